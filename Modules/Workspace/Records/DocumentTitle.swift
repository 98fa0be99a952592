package import MarkdownParse
package import Model
import SystemSupport

/// Chooses the title of a document.
package enum DocumentTitle {
  /// Returns the front matter's `title`, else the first non-empty heading of level 1, else the file
  /// name without its extension.
  package static func of(_ document: ParsedDocument, path: DocumentPath) -> String {
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
