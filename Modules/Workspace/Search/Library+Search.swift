import MarkdownParse
import Model
package import Search
package import Storage
package import SystemSupport

extension Library {
  /// Searches the library and passes each document with matches to `event` as soon as it is found.
  ///
  /// The index selects the documents that are read. Matches always refer to the current text of a
  /// file: if the file changed since its text was stored, it is read and searched again. The stored
  /// text of a missing file is searched; its report is passed after all matches. A ranked strategy
  /// returns the best documents first; the others return them in the order of paths.
  /// Changed files that the index did not select are searched last.
  ///
  /// - Parameters:
  ///   - formatter: writes the matches in texts, on the searching threads. Nil passes the matches
  ///     themselves to `event`, as does a request that is limited to some highlights.
  ///   - progress: called on the searching threads after each document, with the number of documents
  ///     that were searched and of those to search.
  ///   - event: called with each document with matches and with the reports of changed files. It
  ///     returns false to end the search.
  /// - Returns: how the search ended.
  /// - Throws: `usage` if the strategy is unknown or the query is invalid for it.
  package func search(
    _ request: SearchRequest, writing formatter: (any MatchFormatter)? = nil,
    progress: (@Sendable (_ count: Int, _ total: Int) -> Void)? = nil,
    event: @Sendable (SearchEvent) -> Bool
  ) async throws(UserError) -> SearchOutcome {
    let searcher = try searcher(for: request.query, strategy: request.strategy)
    let deadline = request.timeLimit.map { ContinuousClock.now + $0 }
    dialects.forget()
    let search = DocumentSearch(
      searcher: searcher,
      watch: SearchWatch(deadline: deadline, isCancelled: { Task.isCancelled }),
      limit: request.matchesPerDocument ?? .max, countsAll: request.countsAll,
      formatter: request.highlights == nil ? formatter : nil)
    var outcome = SearchOutcome.complete
    if request.place.includes(.text) {
      outcome = try await searchTexts(request, search, progress, event)
    }
    if outcome == .complete, request.place != .text {
      outcome = try await searchHighlights(request, search, event)
    }
    if outcome == .complete, request.place.includes(.notes), request.highlights == nil {
      outcome = try searchDocumentNotes(request, search, event)
    }
    if !isReadOnly, request.checksFileStatus { try indexMissing(for: .seconds(1)) }
    return outcome
  }

  // MARK: - Texts

  /// The number of documents in a batch. The first batch is small, so that the first results appear
  /// early.
  private static let firstBatch = 8
  private static let batch = 256

  private func searchTexts(
    _ request: SearchRequest, _ search: DocumentSearch,
    _ progress: (@Sendable (_ count: Int, _ total: Int) -> Void)?,
    _ event: @Sendable (SearchEvent) -> Bool
  ) async throws(UserError) -> SearchOutcome {
    let marked = try request.highlights.map { (filter) throws(UserError) in
      try highlightedRanges(filter)
    }
    var candidates = try candidates(for: search.searcher.filter, request)
    if request.documents != nil || marked != nil {
      let wanted = request.documents.map(Set.init)
      candidates.keep {
        (wanted?.contains($0.document.id) ?? true)
          && (marked?.keys.contains($0.document.id) ?? true)
      }
    }
    var search = search
    if let progress { search.progress = SearchProgress(of: candidates.count, progress) }
    let counted = search
    let check: DocumentSearch.Check =
      request.checksFileStatus
      ? .status(location, dialects) : request.checksFiles ? .presence : .nothing
    /// The documents whose stored text was found to be current, or that were read again.
    var settled: Set<Document.ID> = []
    var failure: SearchOutcome?
    /// The reports of the documents whose files are missing.
    var missing: [RefreshReport] = []
    /// Results that were not yet passed to `event`, with their texts.
    var waiting: [(document: Document, text: StoredText?, found: DocumentSearch.Outcome)] = []
    func giveWaiting() throws(UserError) -> SearchOutcome? {
      defer { waiting = [] }
      for (document, text, found) in waiting {
        switch found {
        case .nothing: continue
        case .unknown:
          // The file may just have been written. It is read now and not at the end, because results
          // are returned in the order of paths.
          settled.insert(document.id)
          if let end = try searchAgain(document, request, search, event, always: true, &missing) {
            guard case .failed = end else { return end }
            failure = failure ?? end
          }
          guard missing.last?.document.id == document.id, let text else { continue }
          let end = search.finish(text, of: document, after: .matches([], count: 0), from: 0) {
            Self.pass($0, of: document, in: marked, event)
          }
          if case .failed(let cause) = end {
            failure = failure ?? .failed("\(document.shownPath): \(cause)")
          } else if end != .complete {
            return end
          }
        case .found(let part, let rest):
          settled.insert(document.id)
          guard Self.pass(part, of: document, in: marked, event) else { return .cancelled }
          guard let rest, let text else { continue }
          let end = search.finish(text, of: document, after: part, from: rest) {
            Self.pass($0, of: document, in: marked, event)
          }
          if case .failed(let cause) = end {
            failure = failure ?? .failed("\(document.shownPath): \(cause)")
          } else if end != .complete {
            return end
          }
        case .ended(.failed(let cause)):
          settled.insert(document.id)
          failure = failure ?? .failed("\(document.shownPath): \(cause)")
        case .ended(let outcome): return outcome
        }
      }
      return nil
    }
    func read(_ entries: [CatalogEntry]) throws(UserError) -> [StoredText?] {
      try storage { try store.read { try $0.newestTexts(of: entries.map(\.document.id)) } }
    }
    func next(_ count: Int) throws(UserError) -> [CatalogEntry] {
      while let keys = candidates.nextKeys(count) {
        let entries = try storage { try store.read { try $0.catalog(withKeys: keys) } }
        if !entries.isEmpty { return entries }
      }
      return candidates.next(count)
    }
    var entries = try next(Self.firstBatch)
    var texts = try read(entries)
    var isFirst = true
    while !entries.isEmpty {
      let half = entries.count / 2
      let (here, there) = (entries.prefix(half), entries.dropFirst(half))
      let (hereTexts, thereTexts) = (texts.prefix(half), texts.dropFirst(half))
      async let second = Self.aside { counted.outcomes(in: thereTexts, of: there, checking: check) }
      async let first = Self.aside { counted.outcomes(in: hereTexts, of: here, checking: check) }
      let following = try next(Self.batch)
      if isFirst {
        waiting = Self.outcomes(await first + second, entries, texts)
        if let end = try giveWaiting() { return end }
        texts = try read(following)
      } else {
        // While two threads search this batch, pass on the results of the previous batch and read
        // the texts of the next batch.
        if let end = try giveWaiting() { return end }
        let next = try read(following)
        waiting = Self.outcomes(await first + second, entries, texts)
        texts = next
      }
      (entries, isFirst) = (following, false)
    }
    if let end = try giveWaiting() { return end }
    // Documents that another process has indexed during the search have newer keys than the
    // candidates. Search them too.
    if let lastKey = candidates.lastKey {
      for document in try storage({ try store.read { try $0.reindexed(after: lastKey) } })
      where !settled.contains(document.id) {
        settled.insert(document.id)
        if let end = try searchAgain(document, request, search, event, always: true, &missing) {
          guard case .failed = end else { return end }
          failure = failure ?? end
        }
      }
    }
    func reportMissing() -> SearchOutcome {
      missing.allSatisfy { event(.report($0)) } ? failure ?? .complete : .cancelled
    }
    guard request.checksFileStatus else { return reportMissing() }
    let done = settled
    let others = try possiblyChanged {
      !done.contains($0) && request.covers($0) && marked?.keys.contains($0) ?? true
    }
    for document in others {
      if let reason = search.watch.reasonToStop { return reason }
      if let end = try searchAgain(document, request, search, event, always: false, &missing) {
        guard case .failed = end else { return end }
        failure = failure ?? end
      }
    }
    return reportMissing()
  }

  /// Combines results with their documents and texts.
  private static func outcomes(
    _ found: [DocumentSearch.Outcome], _ entries: [CatalogEntry], _ texts: [StoredText?]
  ) -> [(document: Document, text: StoredText?, found: DocumentSearch.Outcome)] {
    zip(zip(entries, texts), found).map { ($0.0.document, $0.1, $1) }
  }

  /// Returns the documents that may contain a match, in the order in which they are searched.
  private func candidates(for filter: TextFilter, _ request: SearchRequest) throws(UserError)
    -> SearchCandidates
  {
    // The first search loads only the documents that may match. Later searches load the catalog of
    // all documents, which is kept.
    defer { hasSearched = true }
    if !hasSearched, searchCatalog == nil {
      // The first results need not wait until all documents are loaded.
      if request.documents == nil, request.highlights == nil,
        let (keys, lastKey) = try storage({
          try store.read { transaction in
            try transaction.ranking(passing: filter).map { ($0, try transaction.lastIndexKey()) }
          }
        })
      {
        return SearchCandidates(keys: keys, lastKey: lastKey)
      }
      if let entries = try storage({ try store.read { try $0.catalog(passing: filter) } }) {
        return SearchCandidates(entries: entries, places: Array(entries.indices))
      }
    }
    let (catalog, passing) = try catalogWithKeys(passing: filter)
    let entries = catalog.entries
    guard let passing else {
      return SearchCandidates(entries: entries, places: Array(entries.indices))
    }
    var places = passing.compactMap { catalog.place(withKey: $0) }
    if case .words = filter {
      places += catalog.unindexed
    } else {
      places = (places + catalog.unindexed).sorted()
    }
    return SearchCandidates(entries: entries, places: places)
  }

  /// Runs `work` outside the library's actor.
  @concurrent
  private static func aside<T: Sendable>(_ work: @Sendable () -> T) async -> T { work() }

  /// Reads a document's current file, updates the library with it, and searches it.
  ///
  /// - Parameters:
  ///   - always: whether the text is searched even if it turns out to be unchanged.
  ///   - missing: the reports of missing files, to which that of this document is added.
  /// - Returns: how the search ended; nil if it continues.
  private func searchAgain(
    _ document: Document, _ request: SearchRequest, _ search: DocumentSearch,
    _ event: @Sendable (SearchEvent) -> Bool, always: Bool, _ missing: inout [RefreshReport]
  ) throws(UserError) -> SearchOutcome? {
    let reading: CheckedDocument
    do { reading = try current(document) } catch
      where Self.isFault(error, ofFile: (try? location.file(of: document.path)) ?? "")
    {
      // An error with one file must not prevent the search of the others.
      let report = RefreshReport(
        document: document, change: .unreadable, outcomes: [], problem: error)
      if report.isMissing {
        missing.append(report)
        return nil
      }
      return event(.report(report)) ? nil : .cancelled
    }
    if reading.report.summary != nil, !event(.report(reading.report)) { return .cancelled }
    guard always || reading.report.change != .unchanged else { return nil }
    // The highlights' ranges are those in the text that was just read.
    var filter = request.highlights
    filter?.documents = [document.id]
    let present = try filter.map { (filter) throws(UserError) in
      try highlightedRanges(filter)
    }
    let found = reading.report.document
    let outcome = search.matches(in: reading.parsed, of: found) {
      Self.pass($0, of: found, in: present, event)
    }
    if case .failed(let cause) = outcome {
      return .failed("\(document.shownPath): \(cause)")
    }
    return outcome == .complete ? nil : outcome
  }

  /// Passes a document's matches to `event`. If `marked` is not nil, only matches that overlap a
  /// highlight are passed.
  private static func pass(
    _ part: TextSearch.Part, of document: Document, in marked: [Document.ID: [TextRange]]?,
    _ event: @Sendable (SearchEvent) -> Bool
  ) -> Bool {
    var (matches, count): ([SearchResult.Match], Int)
    switch part {
    case .matches(let found, let all): (matches, count) = (found, all)
    case .written(let bytes, let count): return event(.written(bytes, matches: count))
    }
    if let marked {
      let ranges = marked[document.id] ?? []
      matches.removeAll { match in !ranges.contains { match.range.map($0.overlaps) ?? false } }
      count = matches.count
    }
    return matches.isEmpty
      || event(.found(SearchResult(document: document, matches: matches, count: count)))
  }

  private func highlightedRanges(_ filter: HighlightFilter) throws(UserError)
    -> [Document.ID: [TextRange]]
  {
    Dictionary(
      try highlights(filter).compactMap { highlight in
        highlight.anchor.range.map { (highlight.document, [$0]) }
      }, uniquingKeysWith: +)
  }

  // MARK: - Highlights

  /// Searches highlighted texts and notes.
  private func searchHighlights(
    _ request: SearchRequest, _ search: DocumentSearch, _ event: @Sendable (SearchEvent) -> Bool
  ) async throws(UserError) -> SearchOutcome {
    var filter = request.highlights ?? HighlightFilter()
    filter.documents = request.documents ?? filter.documents
    if request.checksFileStatus, !request.place.includes(.text) {
      // If texts were searched too, their files were checked already.
      let stale = try possiblyChanged(where: request.covers)
      for report in try refresh(stale) where report.summary != nil {
        guard event(.report(report)) else { return .cancelled }
      }
    }
    let all = try highlights(filter)
    let documents = Dictionary(
      uniqueKeysWithValues: try catalog().entries.map { ($0.document.id, $0.document) })
    // The limit applies to all notes and quotes of a document together. If all matches are counted,
    // the search of a single text must therefore have no limit.
    let search = DocumentSearch(
      searcher: search.searcher, watch: search.watch,
      limit: request.countsAll ? .max : search.limit)
    var failure: SearchOutcome?
    var index = 0
    while index < all.count {
      let id = all[index].document
      var matches: [SearchResult.Match] = []
      while index < all.count, all[index].document == id {
        let highlight = all[index]
        index += 1
        for (place, text) in [
          (SearchRequest.Place.highlights, highlight.selector.exact), (.notes, highlight.note),
        ] where request.place.includes(place) && !text.isEmpty {
          let (ranges, outcome) = search.matches(in: Array(text.utf8))
          switch outcome {
          case .complete: matches += ranges.map { highlight.match(at: $0, in: place, text) }
          case .failed: failure = failure ?? outcome
          default: return outcome
          }
        }
      }
      guard !matches.isEmpty, let document = documents[id] else { continue }
      let shown = request.countsAll ? request.matchesPerDocument ?? .max : .max
      let result = SearchResult(
        document: document, matches: Array(matches.prefix(shown)), count: matches.count)
      guard event(.found(result)) else { return .cancelled }
    }
    return failure ?? .complete
  }

  /// Searches the notes on documents, in the order of the documents' paths.
  private func searchDocumentNotes(
    _ request: SearchRequest, _ search: DocumentSearch, _ event: @Sendable (SearchEvent) -> Bool
  ) throws(UserError) -> SearchOutcome {
    let notes = try textsOfNotes()
    guard !notes.isEmpty else { return .complete }
    let search = DocumentSearch(
      searcher: search.searcher, watch: search.watch,
      limit: request.countsAll ? .max : search.limit)
    var failure: SearchOutcome?
    let documents = try catalog().entries.map(\.document).filter { request.covers($0.id) }
    for document in documents.sorted(by: { $0.path < $1.path }) {
      guard let text = notes[document.id] else { continue }
      let (ranges, outcome) = search.matches(in: Array(text.utf8))
      switch outcome {
      case .complete: break
      case .failed: failure = failure ?? outcome
      default: return outcome
      }
      guard !ranges.isEmpty else { continue }
      let shown = request.matchesPerDocument ?? .max
      let matches = ranges.prefix(shown).map { range in
        SearchResult.Match(
          place: .notes, highlight: nil, range: nil, position: nil, line: text, lineRange: range)
      }
      let result = SearchResult(document: document, matches: matches, count: ranges.count)
      guard event(.found(result)) else { return .cancelled }
    }
    return failure ?? .complete
  }

  // MARK: - The index

  /// Returns the search data of every document. It is cached until the database changes.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func catalog() throws(UserError) -> SearchCatalog {
    let mark = try changeCounter()
    if let searchCatalog, searchCatalog.mark == mark { return searchCatalog }
    var (entries, isWhole) = try storage {
      try store.read { (try $0.catalog(), try $0.isIndexWhole()) }
    }
    if !isWhole { for index in entries.indices { entries[index].indexKey = nil } }
    let catalog = SearchCatalog(mark: mark, isIndexWhole: isWhole, entries: entries)
    searchCatalog = catalog
    return catalog
  }

  /// Returns the search data of every document, and the keys of the index entries that may match a
  /// filter, both from the same state of the database. The keys are nil if the index cannot answer,
  /// or if another process keeps changing the database.
  private func catalogWithKeys(passing filter: TextFilter) throws(UserError)
    -> (catalog: SearchCatalog, keys: [Int64]?)
  {
    var catalog = try catalog()
    for _ in 0..<4 where catalog.isIndexWhole {
      let (mark, keys) = try storage {
        try store.read { (try $0.changeCounter(), try $0.indexKeys(passing: filter)) }
      }
      if mark == catalog.mark { return (catalog, keys) }
      catalog = try self.catalog()
    }
    return (catalog, nil)
  }

  /// Returns a number that changes whenever the library does, in any process.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func changeCounter() throws(UserError) -> Int64 {
    try storage { try store.read { try $0.changeCounter() } }
  }

  /// Returns a number that changes whenever another process writes to the library.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func dataVersion() throws(UserError) -> Int64 {
    try storage { try store.read { try $0.dataVersion() } }
  }

  /// Indexes texts that are missing from the index until `time` has passed. They are missing if an
  /// older version of Diple created the library, or if the index was dropped.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read or written.
  package func indexMissing(for time: Duration) throws(UserError) {
    let (isWhole, isMissing) = try storage {
      try store.read { (try $0.isIndexWhole(), try $0.hasUnindexedDocuments()) }
    }
    if isWhole, !isMissing { return }
    if !isWhole { try storage { try store.write { try $0.clearIndex() } } }
    let end = ContinuousClock.now + time
    var last: Int64? = 0
    while let after = last, ContinuousClock.now < end {
      last = try storage { try store.write { try $0.indexMissing(after: after, limit: 64) } }
    }
  }

  /// Returns the number of documents whose newest text is in the index.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func indexedCount() throws(UserError) -> Int {
    try catalog().entries.count(where: \.isIndexed)
  }

  /// Rebuilds the index.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be written.
  package func rebuildIndex() throws(UserError) {
    try storage { try store.write { try $0.clearIndex() } }
    var last: Int64? = 0
    while let after = last {
      last = try storage { try store.write { try $0.indexMissing(after: after, limit: 2048) } }
    }
  }
}

extension SearchRequest {
  /// Whether the status of files must be checked.
  fileprivate var checksFileStatus: Bool { checksFiles && !filesAreSettled }

  fileprivate func covers(_ document: Document.ID) -> Bool {
    documents?.contains(document) ?? true
  }
}

/// The documents of a library at one moment, for searches.
package struct SearchCatalog: Sendable {
  /// The change counter of the database for which the catalog is valid.
  let mark: Int64
  /// Whether the index is complete. An incomplete index is not used.
  package let isIndexWhole: Bool
  /// The documents in the order of paths.
  package let entries: [CatalogEntry]
  /// The indexes in `entries` of the documents whose text is not in the index.
  let unindexed: [Int]
  /// The keys of the index in ascending order, each with the index of its document in `entries`.
  private let indexPlaces: [(key: Int64, place: Int)]

  init(mark: Int64, isIndexWhole: Bool, entries: [CatalogEntry]) {
    self.mark = mark
    self.isIndexWhole = isIndexWhole
    self.entries = entries
    var unindexed: [Int] = []
    var indexPlaces: [(key: Int64, place: Int)] = []
    indexPlaces.reserveCapacity(entries.count)
    for place in entries.indices {
      if let key = entries[place].indexKey {
        indexPlaces.append((key, place))
      } else {
        unindexed.append(place)
      }
    }
    indexPlaces.sort { $0.key < $1.key }
    (self.unindexed, self.indexPlaces) = (unindexed, indexPlaces)
  }

  /// Returns the index in `entries` of the document with a key of the search index; nil if the key
  /// belongs to an outdated text. O(log documents).
  func place(withKey key: Int64) -> Int? {
    var (low, high) = (0, indexPlaces.count)
    while low < high {
      let middle = (low + high) / 2
      if indexPlaces[middle].key < key { low = middle + 1 } else { high = middle }
    }
    return low < indexPlaces.count && indexPlaces[low].key == key ? indexPlaces[low].place : nil
  }

  /// Returns the document with a key of the search index; nil if the key belongs to an outdated
  /// text. O(log documents).
  package func entry(withKey key: Int64) -> CatalogEntry? {
    place(withKey: key).map { entries[$0] }
  }
}

/// The documents that a search reads, in batches.
private struct SearchCandidates {
  let entries: [CatalogEntry]
  /// The candidates in the order of the search, as indexes in `entries`.
  var places: [Int]
  /// The keys of candidates whose entries are loaded batch by batch.
  private var keys: ArraySlice<Int64> = []
  /// The newest key at the time when the keys were read; nil if the index was empty.
  private(set) var lastKey: Int64?
  /// The number of `places` that were returned.
  private var given = 0

  init(entries: [CatalogEntry], places: [Int]) { (self.entries, self.places) = (entries, places) }

  init(keys: [Int64], lastKey: Int64) {
    (entries, places, self.keys, self.lastKey) = ([], [], keys[...], lastKey)
  }

  /// The number of documents to search.
  var count: Int { places.count + keys.count }

  /// Returns the next keys; nil after the last, or if the entries were loaded at the start.
  mutating func nextKeys(_ count: Int) -> ArraySlice<Int64>? {
    guard !keys.isEmpty else { return nil }
    defer { keys = keys.dropFirst(count) }
    return keys.prefix(count)
  }

  /// Removes the documents that do not meet a condition.
  mutating func keep(_ isWanted: (CatalogEntry) -> Bool) {
    places.removeAll { !isWanted(entries[$0]) }
  }

  /// Returns the next entries; an empty array after the last.
  mutating func next(_ count: Int) -> [CatalogEntry] {
    let next = places[given...].prefix(count)
    given += next.count
    return next.map { entries[$0] }
  }
}

extension Highlight {
  /// Returns a match in the highlight's quote or note. If the quote's text is in the document
  /// unchanged, the match also has a range in the document.
  fileprivate func match(at range: TextRange, in place: SearchRequest.Place, _ text: String)
    -> SearchResult.Match
  {
    var inText: TextRange?
    if place == .highlights, let anchor = anchor.range, anchor.count == text.utf16.count,
      [.exact, .moved].contains(self.anchor.state)
    {
      let start = anchor.lowerBound.utf16
      inText = TextRange(utf16: start + range.utf16.lowerBound..<start + range.utf16.upperBound)
    }
    return SearchResult.Match(
      place: place, highlight: id, highlightName: shortID, range: inText, position: anchor.line,
      line: text, lineRange: range)
  }
}
