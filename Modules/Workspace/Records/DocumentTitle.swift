package import MarkdownParse
package import Model
import SystemSupport

/// Chooses the title of a document.
package enum DocumentTitle {
  /// The number of bytes at the start of a file in which its title is looked for after Diple has
  /// changed the file.
  private static let startLimit = 64 << 10

  /// Returns the title in the text of a changed file; nil if it isn't in the first 64 KiB. Of the
  /// file, only this part is parsed. The heading of a longer file is its title only if its level is
  /// 1, because the rest may have such a heading.
  static func inText(startOf source: [UInt8], _ options: MarkdownOptions) -> String? {
    let start = MarkdownSource(Array(source.prefix(startLimit)))
    let document = ParsedDocument(parsing: start, options: options)
    return inText(of: document, isComplete: source.count <= startLimit)
  }

  /// Returns the front matter's `title`, else the first non-empty heading of level 1, else the first
  /// of any level, else the file name without its extension.
  package static func of(_ document: ParsedDocument, path: DocumentPath) -> String {
    inText(of: document) ?? nameWithoutExtension(path)
  }

  /// Returns the title in the front matter, else the first non-empty heading of level 1, else the
  /// first of any level; nil if there is none of them. A document whose file changed gets no other
  /// title: a file can have another name on each device.
  ///
  /// - Parameter isComplete: whether the document is all of the text. Otherwise only a heading of
  ///   level 1 is a title.
  static func inText(of document: ParsedDocument, isComplete: Bool = true) -> String? {
    var lower: String?
    for block in document.blocks {
      switch block.kind {
      case .frontMatter:
        if let title = FrontMatter(document.source.text(in: block.source))["title"] { return title }
      case .heading(level: 1):
        let title = document.text.substring(block.text).oneLine
        if !title.isEmpty { return title }
      case .heading where lower == nil && isComplete:
        let title = document.text.substring(block.text).oneLine
        if !title.isEmpty { lower = title }
      default: continue
      }
    }
    return lower
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
