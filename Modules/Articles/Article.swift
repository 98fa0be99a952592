/// The article of a page, as Markdown.
package struct Article: Sendable {
  package var metadata: PageMetadata
  /// Without front matter.
  package var markdown: String
  /// Whether nothing of the page was left out for its size.
  package var isComplete: Bool

  /// Reads a page.
  ///
  /// - Parameters:
  ///   - address: where the page was fetched; nil for a file.
  ///   - isWhole: whether all of the page is wanted, not only its article.
  ///   - Returns: nil where the page has no article.
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
      // A place in the page itself has no address in the document.
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
