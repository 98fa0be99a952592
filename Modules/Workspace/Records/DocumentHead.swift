package import MarkdownParse
import Model

/// The front-matter values shown above a document's text: title, author and date.
///
/// The head is not part of the rendered text, so no offset points into it.
package struct DocumentHead: Hashable, Sendable {
  /// The title in one line; nil if there is none, or if the document's first heading of level 1
  /// repeats it.
  package var title: String?
  /// The authors, separated by commas; nil if the front matter names none.
  package var author: String?
  /// The date exactly as the front matter writes it.
  package var date: String?

  /// The two lines to show: the title, then author and date separated by a middle dot.
  ///
  /// Either line may be empty. The array is empty if there is nothing to show.
  package var lines: [String] {
    let details = [author, date].compactMap(\.self).joined(separator: " · ")
    return title == nil && details.isEmpty ? [] : [title ?? "", details]
  }

  /// Reads the head from the document's front matter. Without front matter every value is nil.
  package init(of document: ParsedDocument) {
    guard let matter = document.frontMatter else { return }
    title = matter["title"]
    let authors = matter.authors
    // Braces mark a name that is not split into parts. They are not displayed.
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
  /// The head shown on the document's page.
  package var head: DocumentHead { DocumentHead(of: parsed) }
}

extension ParsedDocument {
  /// The document's front matter; nil if it has none.
  var frontMatter: FrontMatter? {
    blocks.first { $0.kind == .frontMatter }.map { FrontMatter(source.text(in: $0.source)) }
  }
}
