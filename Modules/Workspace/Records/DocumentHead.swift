package import MarkdownParse
import Model

/// What the front matter of a document says that a page begins with; it is no part of the text.
package struct DocumentHead: Hashable, Sendable {
  /// The title; nil where the text begins with a heading that says the same.
  package var title: String?
  /// Who wrote it.
  package var author: String?
  /// When, as it stands there.
  package var date: String?

  /// The lines to be shown: the title, then author and date, each empty where there is none; no lines
  /// where there is nothing to show.
  package var lines: [String] {
    let details = [author, date].compactMap(\.self).joined(separator: " · ")
    return title == nil && details.isEmpty ? [] : [title ?? "", details]
  }

  /// Reads a document's front matter; all is nil where there is none.
  package init(of document: ParsedDocument) {
    guard let matter = document.frontMatter else { return }
    title = matter["title"]
    let authors = matter.authors
    // Braces say that a name has no parts; nobody reads them.
    author =
      authors.isEmpty
      ? nil
      : authors.map {
        $0.hasPrefix("{") && $0.hasSuffix("}") ? String($0.dropFirst().dropLast()) : $0
      }
      .joined(separator: ", ")
    date = matter["date"]
    let heading = document.blocks.first {
      if case .heading(level: 1) = $0.kind { !$0.text.isEmpty } else { false }
    }
    if let heading, document.text.substring(heading.text).oneLine == title {
      title = nil
    }
  }
}

extension OpenDocument {
  /// What a page of it begins with.
  package var head: DocumentHead { DocumentHead(of: parsed) }
}

extension ParsedDocument {
  /// Its front matter; nil where there is none.
  var frontMatter: FrontMatter? {
    blocks.first { $0.kind == .frontMatter }.map { FrontMatter(source.text(in: $0.source)) }
  }
}
