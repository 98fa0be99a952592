import Anchoring
import Interchange
import Model
import Storage
import SystemSupport

extension Library {
  /// How many bytes of words a quote has at least that is looked for in all documents: shorter ones
  /// stand in many a text that they are not from.
  private static let leastQuote = 20
  /// In how many documents a quote is looked for at most.
  private static let mostCandidates = 48
  /// By how many of a quote's words the index is asked; by four times as many when these stand in too
  /// many texts.
  private static let askedWords = 6

  /// The documents in which quotes stand: for each the only one in which it does so surely and once;
  /// nil where there is none, or several.
  ///
  /// The index says which texts have a quote's longest words; each of these texts is read once, for all
  /// of its quotes. O(quotes × words' entries in the index, and the texts read).
  func documents(holding records: [AnnotationRecord]) throws(UserError) -> [Document?] {
    guard records.contains(where: Self.isTelling) else { return records.map { _ in nil } }
    if !isReadOnly { try indexMissing(for: .seconds(5)) }
    let catalog = try catalog()
    let unindexed = catalog.entries.filter { !$0.isIndexed }.map(\.document)
    var wanted: [Document.ID: (document: Document, quotes: [Int])] = [:]
    try storage {
      try store.read { transaction in
        for (index, record) in records.enumerated() where Self.isTelling(record) {
          var found = unindexed
          if catalog.isIndexWhole {
            found += try Self.keys(ofTextsLike: record.quote, transaction).compactMap {
              catalog.entry(indexed: $0)?.document
            }
          }
          guard found.count <= Self.mostCandidates else { continue }
          for document in found {
            wanted[document.id, default: (document, [])].quotes.append(index)
          }
        }
      }
    }
    var hits = [[Document]](repeating: [], count: records.count)
    let reader = StoredTextReader()
    for (document, quotes) in wanted.values {
      let stored = try storage {
        try store.read { try $0.newestTexts(of: [document.id]) }
      }
      guard let text = stored[0].flatMap({ reader.withUTF8(of: $0, Self.text) }) else { continue }
      let found = anchorer.reanchor(
        quotes.map { AnchorSubject(selector: Self.lone(records[$0].quote)) }, from: nil, to: text)
      for (index, anchor) in zip(quotes, found) where anchor.state != .orphaned {
        if ImportArrival.isMeant(anchor) {
          hits[index].append(document)
        } else if anchor.runnerUp >= anchor.score / 2 {
          // It stands there several times.
          hits[index] += [document, document]
        }
      }
    }
    return hits.map { $0.count == 1 ? $0[0] : nil }
  }

  private static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> AnchorText {
    AnchorText(String(decoding: bytes, as: UTF8.self))
  }

  private static func isTelling(_ record: AnnotationRecord) -> Bool {
    record.quote.utf8.count { $0 > 0x20 } >= leastQuote
  }

  /// The texts that have a quote's longest words, by the index: more words where these stand in too many
  /// texts, and parts of words where no text has them whole. None where the quote has no words.
  private static func keys(ofTextsLike quote: String, _ transaction: ReadTransaction) throws
    -> [Int64]
  {
    let words = WordFilter.Phrase(dividing: String(quote.prefix(4000))).words
    // A quote may begin and end within a word.
    let inner = words.count > askedWords + 2 ? words[1..<(words.count - 1)] : words[...]
    let longest = Set(inner).filter { $0.utf8.count > 2 }.sorted {
      ($0.utf8.count, $0) > ($1.utf8.count, $1)
    }
    guard !longest.isEmpty else { return [] }
    func keys(having count: Int) throws -> [Int64]? {
      let phrases = longest.prefix(count).map { WordFilter.Phrase(words: [$0]) }
      return try transaction.indexKeys(
        passing: .words(WordFilter(alternatives: [.init(wanted: phrases)])))
    }
    if let found = try keys(having: askedWords), !found.isEmpty {
      let isEnough = found.count <= mostCandidates || longest.count <= askedWords
      return isEnough ? found : try keys(having: askedWords * 4) ?? found
    }
    let parts = longest.prefix(askedWords).map { TextFilter.substring(String($0.prefix(24))) }
    return try transaction.indexKeys(passing: .all(parts)) ?? []
  }

  private static func lone(_ quote: String) -> Selector {
    Selector(
      exact: quote, prefix: "", suffix: "", position: TextRange(utf16: 0..<quote.utf16.count),
      textDigest: nil, renderVersion: 0)
  }
}
