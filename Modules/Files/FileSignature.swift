package import SystemSupport

/// The kind of a file that is not text, recognised by its first bytes.
package struct FileSignature: Sendable {
  /// The kind, such as "a PDF file".
  package let kind: String
  private let start: [UInt8]
  private let advice: Advice

  private enum Advice {
    case none
    /// The highlights in the file can be imported.
    case importHighlights
    case other(String)
  }

  private init(_ kind: String, _ start: [UInt8], _ advice: Advice = .none) {
    (self.kind, self.start, self.advice) = (kind, start, advice)
  }

  private static let all = [
    FileSignature("a PDF file", Array("%PDF-".utf8), .importHighlights),
    FileSignature(
      "a PostScript file", Array("%!PS".utf8), .other("convert it to text first: ps2ascii")),
    FileSignature(
      "an RTF file", Array("{\\rtf".utf8), .other("a name that ends in .rtf adds its text")),
    FileSignature("an SQLite database", Array("SQLite format 3\0".utf8)),
    FileSignature(
      "a ZIP archive", [0x50, 0x4B, 3, 4],
      .other("if it is a document, a name that ends in .docx, .odt or .epub adds its text")),
    FileSignature("a compressed file", [0x1F, 0x8B], .other("decompress it first: gunzip")),
    FileSignature(
      "a word-processor file", [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1],
      .other("save it as .docx or .odt first")),
    FileSignature("a picture", [0x89, 0x50, 0x4E, 0x47], .importHighlights),
    FileSignature("a picture", [0xFF, 0xD8, 0xFF], .importHighlights),
    FileSignature("a picture", Array("GIF8".utf8)),
    FileSignature("a program", [0x7F, 0x45, 0x4C, 0x46]),
  ]

  /// Recognises a file; nil if it may be text. O(1).
  package init?(of bytes: [UInt8]) {
    guard let found = Self.all.first(where: { bytes.starts(with: $0.start) }) else { return nil }
    self = found
  }

  /// The hint of the error about a file.
  package func hint(for path: String) -> Hint? {
    switch advice {
    case .none: nil
    case .importHighlights:
      """
      \(action: "highlight.import", ["from": .null, "files": .list([path])]) imports \
      \(kind == "a picture" ? "a quote from it" : "its highlights")
      """
    case .other(let text): Hint(text)
    }
  }
}
