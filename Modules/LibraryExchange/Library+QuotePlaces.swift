import Anchoring
import FoundationEssentials
import Interchange
import Model
import Storage
import SystemSupport
import Workspace

/// Finds the texts that contain the quotes of other applications.
extension Library {
  /// The minimum size in bytes, without spaces, of a quote that is searched for in all documents.
  /// Shorter quotes occur by chance in unrelated texts.
  private static let leastQuote = 20
  /// The maximum number of documents in which a quote is searched for.
  private static let mostCandidates = 48
  /// The number of a quote's words to look up in the index. If too many texts contain them, four
  /// times as many are used.
  private static let askedWords = 6
  /// The maximum number of comparisons of one quote with one text, for the quotes of a work whose
  /// words none of its texts contains.
  private static let mostComparisons = 4000

  /// Returns for each record the text of a work that has its passage; nil if it isn't in the work.
  ///
  /// The work is a document or, if the document is the contents of a book or a collection, all of
  /// its texts. A passage that the index finds in a single document is not searched for.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  func texts(of records: [AnnotationRecord], in document: Document) throws(UserError)
    -> [Document?]
  {
    let chapters = try chapters(of: document)
    if !isReadOnly { try indexMissing(for: .seconds(5)) }
    let catalog = try catalog()
    // A contents page repeats the titles of its chapters, so they come first.
    let work = chapters + [document]
    let ids = Set(work.map(\.id))
    var found = [Document?](repeating: nil, count: records.count)
    // The quotes to search for in each text.
    var wanted: [Document.ID: [Int]] = [:]
    var comparisons = 0
    try storage {
      try store.read { transaction in
        for (index, record) in records.enumerated() {
          if record.quote.isEmpty {
            found[index] = document
            continue
          }
          var asked: [Document] = []
          if catalog.isIndexWhole {
            asked = try Self.keys(ofTextsLike: record.quote, transaction)
              .compactMap { catalog.entry(withKey: $0)?.document }.filter { ids.contains($0.id) }
          }
          if chapters.isEmpty, !asked.isEmpty {
            found[index] = document
            continue
          }
          // A quote that differs from the text isn't in the index.
          if asked.isEmpty {
            guard comparisons + work.count <= Self.mostComparisons else { continue }
            comparisons += work.count
            asked = work
          }
          for text in asked { wanted[text.id, default: []].append(index) }
        }
      }
    }
    var scores = [Double](repeating: 0, count: records.count)
    let reader = StoredTextReader()
    for text in work {
      guard let quotes = wanted[text.id] else { continue }
      let stored = try storage { try store.read { try $0.newestTexts(of: [text.id]) } }
      guard let words = stored[0].flatMap({ reader.withUTF8(of: $0, Self.text) }) else { continue }
      let subjects = quotes.map { index in
        let record = records[index]
        var selector = Self.lone(record.quote)
        (selector.prefix, selector.suffix) = (record.prefix, record.suffix)
        return AnchorSubject(selector: selector)
      }
      let anchors = anchorer.reanchor(subjects, from: nil, to: words)
      for (index, anchor) in zip(quotes, anchors) where anchor.range != nil {
        // The title of a chapter is unique in the contents, but its first words may repeat it.
        if text.id == document.id, found[index] != nil { continue }
        // Of equal places, the first in the order of the work is taken.
        let score = anchor.score + (LocatedRecord.isIntended(anchor) ? 1 : 0)
        if score > scores[index] { (scores[index], found[index]) = (score, text) }
      }
    }
    return found
  }

  /// Returns for each record the document that contains its quote. The quote must be found with
  /// certainty, and only once. Nil if no document or more than one qualifies.
  ///
  /// The index finds the texts that contain a quote's longest words. Each of these texts is read
  /// once for all of its quotes. O(quotes × index entries of their words, and the texts read).
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  func documents(containing records: [AnnotationRecord]) throws(UserError) -> [Document?] {
    guard records.contains(where: Self.isDistinctive) else { return records.map { _ in nil } }
    if !isReadOnly { try indexMissing(for: .seconds(5)) }
    let catalog = try catalog()
    let unindexed = catalog.entries.filter { !$0.isIndexed }.map(\.document)
    var wanted: [Document.ID: (document: Document, quotes: [Int])] = [:]
    try storage {
      try store.read { transaction in
        for (index, record) in records.enumerated() where Self.isDistinctive(record) {
          var found = unindexed
          if catalog.isIndexWhole {
            found += try Self.keys(ofTextsLike: record.quote, transaction).compactMap {
              catalog.entry(withKey: $0)?.document
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
        if LocatedRecord.isIntended(anchor) {
          hits[index].append(document)
        } else if anchor.runnerUp >= anchor.score / 2 {
          // The quote occurs several times in this text. Adding the document twice makes the result
          // ambiguous.
          hits[index] += [document, document]
        }
      }
    }
    return hits.map { $0.count == 1 ? $0[0] : nil }
  }

  /// Returns for each record the one of several documents with its title to which it belongs: a
  /// document with a highlight of the same words and note or, if there is none, the only document
  /// that contains its quote. Nil if no document or more than one qualifies.
  ///
  /// Each highlight is assigned to one record at most, preferably to one with its date.
  /// O(highlights of the documents, and records × documents).
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  func documents(of incoming: [IncomingRecord], among documents: [Document]) throws(UserError)
    -> [Document?]
  {
    var found = [Document?](repeating: nil, count: incoming.count)
    guard !documents.isEmpty else { return found }
    let byID = Dictionary(uniqueKeysWithValues: documents.map { ($0.id, $0) })
    let present = try storage {
      try store.read {
        try $0.highlights(HighlightFilter(documents: documents.map(\.id)))
      }
    }
    var free = Dictionary(grouping: present) { [$0.words, $0.note] }
    func assign(_ isOf: (Highlight, IncomingRecord) -> Bool) {
      for index in incoming.indices where found[index] == nil {
        let words = [incoming[index].record.quote, incoming[index].record.note]
        guard let place = free[words]?.lastIndex(where: { isOf($0, incoming[index]) }),
          let highlight = free[words]?.remove(at: place)
        else { continue }
        found[index] = byID[highlight.document]
      }
    }
    assign { highlight, next in
      let created = highlight.origin?.origin?.created ?? highlight.created
      return next.record.created.map {
        abs($0.timeIntervalSince(created)) < 1
      } ?? false
    }
    assign { _, _ in true }
    let rest = found.indices.filter { found[$0] == nil && !incoming[$0].record.quote.isEmpty }
    guard !rest.isEmpty else { return found }
    let reader = StoredTextReader()
    var hits = [[Document]](repeating: [], count: incoming.count)
    for document in documents {
      let stored = try storage { try store.read { try $0.newestTexts(of: [document.id]) } }
      guard let text = stored[0].flatMap({ reader.withUTF8(of: $0, Self.text) }) else { continue }
      let anchors = anchorer.reanchor(
        rest.map { AnchorSubject(selector: Self.lone(incoming[$0].record.quote)) }, from: nil,
        to: text)
      for (index, anchor) in zip(rest, anchors) where anchor.range != nil {
        hits[index].append(document)
      }
    }
    for index in rest where hits[index].count == 1 { found[index] = hits[index][0] }
    return found
  }

  private static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> AnchorText {
    AnchorText(String(decoding: bytes, as: UTF8.self))
  }

  static func isDistinctive(_ record: AnnotationRecord) -> Bool {
    record.quote.utf8.count { $0 > 0x20 } >= leastQuote
  }

  /// Returns the index entries of the texts that contain a quote's longest words; empty if the
  /// quote has no words.
  ///
  /// If too many texts match, more words are looked up. If none match, the words are looked up as
  /// substrings.
  private static func keys(ofTextsLike quote: String, _ transaction: ReadTransaction) throws
    -> [Int64]
  {
    let words = WordFilter.Phrase(dividing: String(quote.prefix(4000))).words
    // A quote may start and end inside a word, so omit its first and last words if there are enough
    // others.
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
