import Anchoring
import MarkdownParse
package import Model
import Storage
package import SystemSupport
package import Workspace

extension Library {
  /// The minimum size in bytes, without spaces, of a quote that is moved to a document. Shorter
  /// quotes occur by chance in unrelated texts.
  private static let leastMovedQuote = 20

  /// Moves imported highlights from the files of quotes to documents that were added now and
  /// contain their quotes. Their new places are doubtful, so that the user reviews them.
  ///
  /// A quote moves only if its place is certain, and only one of the documents contains it. Each
  /// text is read once. O(texts, and the quotes whose longest word is in them).
  ///
  /// - Returns: the moved highlights with their documents.
  /// - Throws: `damaged` or `conflict` if the library cannot be read or written.
  package func placeQuotes(in added: [Document]) throws(UserError) -> [(
    highlight: Highlight, document: Document
  )] {
    guard !added.isEmpty else { return [] }
    let quotes = try waitingQuotes(except: Set(added.map(\.id)))
    guard !quotes.isEmpty else { return [] }
    var byWord: [String: [Int]] = [:]
    for (index, quote) in quotes.enumerated() { byWord[quote.rarest, default: []].append(index) }
    var places: [[QuotePlace]] = Array(repeating: [], count: quotes.count)
    let reader = StoredTextReader()
    for document in added {
      let stored = try storage { try store.read { try $0.newestTexts(of: [document.id]) } }
      let bytes = stored[0].flatMap { reader.withUTF8(of: $0) { Array($0) } }
      guard let text = bytes.map({ String(decoding: $0, as: UTF8.self) }) else { continue }
      let words = Set(WordFilter.Phrase(dividing: text).words)
      let wanted = words.flatMap { byWord[$0] ?? [] }
        .filter { quotes[$0].words.allSatisfy(words.contains) }.sorted()
      guard !wanted.isEmpty else { continue }
      let reading = try current(document)
      let anchorText = AnchorText(utf16: reading.parsed.text.utf16)
      let anchors = anchorer.reanchor(
        wanted.map { AnchorSubject(selector: quotes[$0].selector) }, from: nil, to: anchorText)
      let lines = reading.parsed.sourceLines
      for (index, anchor) in zip(wanted, anchors) where anchor.range != nil {
        var located = reading.parsed.locating(anchor, in: lines)
        let isCertain = LocatedRecord.isIntended(located)
        located.state = .doubtful
        places[index].append(
          QuotePlace(
            document: document, anchor: located, isCertain: isCertain,
            digest: reading.digests.text,
            selector: Selector(
              selecting: located.range!, in: anchorText, digest: reading.digests.text,
              renderVersion: ParsedDocument.renderVersion)))
      }
    }
    let moves = zip(quotes, places).compactMap { quote, found in
      found.count == 1 && found[0].isCertain ? (quote.highlight, found[0]) : nil
    }
    guard !moves.isEmpty else { return [] }
    return try storage {
      try store.write { transaction in
        var moved: [(highlight: Highlight, document: Document)] = []
        for (highlight, place) in moves {
          // A document that has changed meanwhile keeps its quotes where they are.
          guard try transaction.revision(of: place.document.id)?.textDigest == place.digest,
            let now = try transaction.highlight(highlight.id), !now.isTrashed,
            now.document == highlight.document
          else { continue }
          try transaction.reattach(
            highlight.id, to: place.selector, in: place.document.id, anchor: place.anchor)
          moved.append((try transaction.highlight(highlight.id) ?? now, place.document))
        }
        return moved
      }
    }
  }

  /// Returns the imported highlights in the files of quotes, apart from those that are too short.
  private func waitingQuotes(except added: Set<Document.ID>) throws(UserError) -> [WaitingQuote] {
    let folder = location.documentPath(
      (location.root ?? location.folder).appending(QuoteBook.folder)
    ).string
    let books = try documents().filter {
      !added.contains($0.id) && $0.path.string.parentFolder == folder
    }
    guard !books.isEmpty else { return [] }
    return try highlights(HighlightFilter(documents: books.map(\.id))).compactMap(WaitingQuote.init)
  }

  /// An imported highlight in a file of quotes.
  private struct WaitingQuote {
    let highlight: Highlight
    /// The words of the quote, without the first and the last, which may be cut.
    let words: [String]
    let selector: Selector

    /// Accepts an imported highlight with enough words; nil for any other.
    init?(_ highlight: Highlight) {
      guard let origin = highlight.origin?.origin, !highlight.isDetached else { return nil }
      let quote = origin.quote ?? highlight.selector.exact
      guard quote.utf8.count(where: { $0 > 0x20 }) >= Library.leastMovedQuote else { return nil }
      let all = WordFilter.Phrase(dividing: String(quote.prefix(4000))).words
      words = all.count > 4 ? Array(all.dropFirst().dropLast()) : all
      guard !words.isEmpty else { return nil }
      self.highlight = highlight
      selector = Selector(
        exact: quote, prefix: "", suffix: "", position: TextRange(utf16: 0..<quote.utf16.count),
        textDigest: nil, renderVersion: 0)
    }

    /// The longest word, which is in the fewest texts.
    var rarest: String { words.max { ($0.utf8.count, $1) < ($1.utf8.count, $0) } ?? "" }
  }

  /// A place of a quote in an added document.
  private struct QuotePlace {
    var document: Document
    var anchor: Anchor
    var isCertain: Bool
    var digest: ContentDigest
    var selector: Selector
  }
}
