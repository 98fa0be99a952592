import Foundation

/// Creates pictures of a page for text recognition. Pango renders the page, and ImageMagick rotates
/// and distorts it.
///
/// ```swift
/// guard PagePicture.canBeMade else { return }
/// try PagePicture.make(folder + "/page.png", "-rotate 3")
/// ```
public enum PagePicture {
  /// Whether the required programs and Tesseract are installed.
  public static let canBeMade: Bool = {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return ["pango-view", "convert", "tesseract"].allSatisfy { name in
      folders.contains { FileManager.default.isExecutableFile(atPath: $0 + "/" + name) }
    }
  }()

  /// The text of the page, two paragraphs.
  public static let text = """
    The margin is where readers have always talked back to their books. A mark beside a line says that \
    somebody stopped here, and a word beside the mark says why.

    Most of these marks are lost. Those that are left tell us more about reading than any treatise does.
    """

  /// Creates a picture.
  ///
  /// - Parameters:
  ///   - path: The path of the file. Its extension determines the format.
  ///   - steps: Additional arguments of ImageMagick's `convert`.
  /// - Throws: `CocoaError` if a program fails, `Timeout` if it doesn't end.
  public static func make(_ path: String, _ steps: String = "") throws {
    let clean = path + ".clean.png"
    let source = path + ".txt"
    try Data(text.utf8).write(to: URL(filePath: source))
    defer { for file in [clean, source] { try? FileManager.default.removeItem(atPath: file) } }
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = [
      "-ec",
      "pango-view -q --no-display --dpi=200 --width=320 --margin=80 --wrap=word --font 'DejaVu Serif 11' "
        + "--output '\(clean)' '\(source)'; convert '\(clean)' -colorspace Gray \(steps) '\(path)'",
    ]
    try process.run()
    guard try process.end() == 0 else { throw CocoaError(.fileWriteUnknown) }
  }
}
