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
  /// The percentage of the page's sentences that is in the article, if most of them are not; nil
  /// otherwise.
  package var smallShare: Int?

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
    let own = [address, metadata.canonical].compactMap { $0?.withoutFragment.text }
    let content = Content(
      of: consume page, metadata, base: base, own: own, isWhole: isWhole)
    guard !content.blocks.isEmpty else { return nil }
    return Article(
      metadata: metadata, markdown: MarkdownWriter.write(content.blocks, notes: content.notes),
      isComplete: content.isComplete, smallShare: content.smallShare)
  }

  /// The blocks of a page's article and those of its footnotes.
  private struct Content {
    let blocks: [ArticleBlock]
    let notes: [[ArticleBlock]]
    let isComplete: Bool
    let smallShare: Int?

    /// The number of letters from which sentences outside of the article are counted.
    private static let fewestOutside = 1000

    init(
      of page: consuming MarkupTree, _ metadata: PageMetadata, base: WebAddress?, own: [String],
      isWhole: Bool
    ) {
      var tree = page
      var parts = [tree.first("body") ?? MarkupTree.root]
      var share: Int?
      if !isWhole {
        let found = ArticleFinder.find(in: tree, metadata: metadata)
        (parts, tree) = (found.parts, found.tree)
        let outside = found.pageProse - found.prose
        if outside > found.prose, outside >= Self.fewestOutside {
          share = found.prose * 100 / found.pageProse
        }
      }
      smallShare = share
      // Some pages write links within the page with their whole address.
      let anchor = { @Sendable (reference: String) -> String? in
        for address in own where reference.hasPrefix(address) {
          if let anchor = String(reference.dropFirst(address.count)).pageAnchor { return anchor }
        }
        return reference.pageAnchor
      }
      let found = PageNotes(of: &tree, in: parts, anchor: anchor)
      let resolve = { @Sendable (reference: String) -> String? in
        // Links within the page have no target in the document.
        reference.hasPrefix("#") || anchor(reference) != nil
          ? nil : WebAddress.resolved(reference, against: base)
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
