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
  package static func read(_ page: MarkupTree, at address: WebAddress?, isWhole: Bool = false)
    -> Article?
  {
    let metadata = PageMetadata(of: page, at: address)
    var base = address ?? metadata.canonical
    if let written = page.first("base").flatMap({ page.attribute("href", of: $0) }),
      let found = WebAddress.resolved(written, against: base).flatMap({ WebAddress($0) })
    {
      base = found
    }
    let origin = base
    var (parts, tree) = ([page.first("body") ?? MarkupTree.root], page)
    if !isWhole { (parts, tree) = ArticleFinder.find(in: page) }
    let notes = PageNotes(of: &tree, in: parts)
    let resolve = { @Sendable (reference: String) -> String? in
      // Links within the page have no target in the document.
      reference.hasPrefix("#") ? nil : WebAddress.resolved(reference, against: origin)
    }
    let pictures = { @Sendable (reference: String) -> String? in
      resolve(reference).flatMap { $0.hasPrefix("http") ? $0 : nil }
    }
    var reader = BlockReader(tree, notes: notes, links: resolve, pictures: pictures)
    let blocks = parts.flatMap { reader.blocks(of: $0) }
    guard !blocks.isEmpty else { return nil }
    let noteBlocks = notes.notes.map { reader.blocks(in: $0) }
    return Article(
      metadata: metadata, markdown: MarkdownWriter.write(blocks, notes: noteBlocks),
      isComplete: tree.isComplete)
  }
}
