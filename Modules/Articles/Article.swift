/// The main article of a web page, as Markdown.
///
/// ```swift
/// if let article = Article.read(tree, at: WebAddress("https://example.org/essay")) {
///   print(article.metadata.title, article.markdown)
/// }
/// ```
package struct Article: Sendable {
  package var metadata: PageMetadata
  /// The Markdown without front matter.
  package var markdown: String
  /// Whether the page was read completely. False if it has too many elements.
  package var isComplete: Bool

  /// Extracts the article of a page.
  ///
  /// - Parameters:
  ///   - address: the address from which the page was fetched; nil for a file.
  ///   - isWhole: whether to convert the whole page instead of only its article.
  /// - Returns: nil if the page has no article.
  package static func read(
    _ page: consuming MarkupTree, at address: WebAddress?, isWhole: Bool = false
  ) -> Article? {
    let metadata = PageMetadata(of: copy page, at: address)
    var base = address ?? metadata.canonical
    if let written = page.first("base").flatMap({ page.attribute("href", of: $0) }),
      let found = WebAddress.resolved(written, against: base).flatMap({ WebAddress($0) })
    {
      base = found
    }
    // The tree is freed before the Markdown is written, because a page can have many megabytes.
    let content = Content(of: consume page, base: base, isWhole: isWhole)
    guard !content.blocks.isEmpty else { return nil }
    return Article(
      metadata: metadata, markdown: MarkdownWriter.write(content.blocks, notes: content.notes),
      isComplete: content.isComplete)
  }

  /// The blocks of a page's article and those of its footnotes.
  private struct Content {
    let blocks: [ArticleBlock]
    let notes: [[ArticleBlock]]
    let isComplete: Bool

    init(of page: consuming MarkupTree, base: WebAddress?, isWhole: Bool) {
      var tree = page
      var parts = [tree.first("body") ?? MarkupTree.root]
      if !isWhole { (parts, tree) = ArticleFinder.find(in: tree) }
      let found = PageNotes(of: &tree, in: parts)
      let resolve = { @Sendable (reference: String) -> String? in
        // Links within the page have no target in the document.
        reference.hasPrefix("#") ? nil : WebAddress.resolved(reference, against: base)
      }
      let pictures = { @Sendable (reference: String) -> String? in
        resolve(reference).flatMap { $0.hasPrefix("http") ? $0 : nil }
      }
      var reader = BlockReader(tree, notes: found, links: resolve, pictures: pictures)
      blocks = parts.flatMap { reader.blocks(of: $0) }
      notes = found.notes.map { reader.blocks(in: $0) }
      isComplete = tree.isComplete
    }
  }
}
