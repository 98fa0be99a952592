import FoundationEssentials
package import RichText
import SystemSupport

/// The colours that the user chose last for text and backgrounds, for the palettes of all
/// front-ends. They are in a file of the state folder, a line for each, the last one first.
package struct RecentColors: Sendable {
  private let folder: String?
  private var path: String? { folder.map { $0.appending("recent-colors") } }

  /// The maximum number of colours.
  package static let limit = 8
  /// The maximum size of the file in bytes that is read.
  private static let sizeLimit = 1_024

  package init(_ environment: [String: String]) {
    folder = StandardFolders(environment: environment).state.map { $0.appending("diple") }
  }

  /// The colours, the last one first. Empty if there is no file, or it cannot be read.
  package var colors: [TextColor] {
    guard let path, let bytes = try? PrivateFile.content(of: path, limit: Self.sizeLimit)
    else { return [] }
    var colors: [TextColor] = []
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      guard let color = TextColor(String(line)), color != .automatic, !colors.contains(color)
      else { continue }
      colors.append(color)
    }
    return Array(colors.prefix(Self.limit))
  }

  /// Moves a colour to the front. Errors are ignored: the list is only a convenience.
  package func add(_ color: TextColor) {
    guard color != .automatic, let folder, let path else { return }
    let old = colors
    let new = [color] + old.filter { $0 != color }.prefix(Self.limit - 1)
    guard new != old else { return }
    let text = new.map { "\($0)\n" }.joined()
    do {
      try FileSystem.makeFolders(folder)
      try AtomicReplacement(of: path, with: Array(text.utf8), mode: 0o600, isDurable: false)
        .commit()
    } catch { return }
  }

  /// Adds the colours that a change sets.
  package func add(_ change: FormatChange) {
    for attribute in change.characters {
      switch attribute {
      case .set(.color(let color)), .set(.background(let color)): add(color)
      default: break
      }
    }
  }
}
