package import MarkdownParse
package import Model
import SystemSupport

/// Chooses the title of a document.
package enum DocumentTitle {
  /// The number of bytes at the start of a file in which its title is looked for after Diple has
  /// changed the file.
  private static let startLimit = 64 << 10

  /// Returns the title in the text of a changed file; nil if it isn't in the first 64 KiB. Of the
  /// file, only this part is parsed.
  static func inText(startOf source: [UInt8], _ options: MarkdownOptions) -> String? {
    let start = MarkdownSource(Array(source.prefix(startLimit)))
    return inText(of: ParsedDocument(parsing: start, options: options))
  }

  /// Returns the front matter's `title`, else the first non-empty heading of level 1, else the file
  /// name without its extension.
  package static func of(_ document: ParsedDocument, path: DocumentPath) -> String {
    inText(of: document) ?? nameWithoutExtension(path)
  }

  /// Returns the title in the front matter, else the first non-empty heading of level 1; nil if
  /// there is neither. A document whose file changed gets no other title: a file can have another
  /// name on each device.
  static func inText(of document: ParsedDocument) -> String? {
    for block in document.blocks {
      switch block.kind {
      case .frontMatter:
        if let title = FrontMatter(document.source.text(in: block.source))["title"] { return title }
      case .heading(level: 1):
        let title = document.text.substring(block.text).oneLine
        if !title.isEmpty { return title }
      default: continue
      }
    }
    return nil
  }

  /// Returns a file's name without its extension.
  private static func nameWithoutExtension(_ path: DocumentPath) -> String {
    let name = path.name
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
    return String(name[..<dot])
  }

  /// Returns the title for a file of quotes from another text, which is also its heading. The title
  /// of the other text may be empty.
  package static func ofQuotes(from title: String) -> String {
    title.isEmpty ? "Quotes" : "Quotes of \(title.oneLine)"
  }
}

/// A title without the differences between applications: case, spaces and punctuation.
package struct FoldedTitle: Hashable, Sendable {
  private let words: [String]

  package init(_ title: String) { words = WordFilter.Phrase(dividing: title).words }

  package var isEmpty: Bool { words.isEmpty }
}
