import MarkdownParse
import Model
package import Search
import Storage
package import SystemSupport

extension Library {
  /// Looks through the library and gives what it finds document by document, as soon as it is found.
  ///
  /// The index says which documents are worth reading, and each match stands in the file as it is
  /// now: a file that is not as it was when its text was last seen is read again and searched, after
  /// the others. A ranked strategy's best documents come first; other strategies' come in the order
  /// of paths.
  ///
  /// - Parameters:
  ///   - formatter: writes the matches in texts on the threads that find them, unless only those in
  ///     some highlights count; then, and without it, they are given themselves.
  ///   - event: is given each document with matches, and what checks of files showed; false ends the
  ///     search.
  /// - Returns: how the search ended.
  /// - Throws: `usage` for a query that the strategy cannot read, or a strategy that there is not.
  package func search(
    _ request: SearchRequest, writing formatter: (any MatchFormatter)? = nil,
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
      outcome = try await searchTexts(request, search, event)
    }
    if outcome == .complete, request.place != .text {
      outcome = try await searchHighlights(request, search, event)
    }
    if !isReadOnly, request.looksAtStatus { try indexMissing(for: .seconds(1)) }
    return outcome
  }

  // MARK: - Texts

  /// How many documents are looked through at once: few at first, for the first results' sake.
  private static let firstBatch = 8
  private static let batch = 256

  private func searchTexts(
    _ request: SearchRequest, _ search: DocumentSearch, _ event: @Sendable (SearchEvent) -> Bool
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
    let check: DocumentSearch.Check =
      request.looksAtStatus
      ? .status(location, dialects) : request.looksAtFiles ? .presence : .nothing
    /// Those whose file was seen to be as the index knows it, or was read again.
    var settled: Set<Document.ID> = []
    var failure: SearchOutcome?
    /// Results that were not yet passed on, with their texts.
    var waiting: [(document: Document, text: StoredText?, found: DocumentSearch.Outcome)] = []
    func giveWaiting() throws(UserError) -> SearchOutcome? {
      defer { waiting = [] }
      for (document, text, found) in waiting {
        switch found {
        case .nothing: continue
        case .unknown:
          // Its file is read again here and not later: the order is that of the paths, whatever was
          // written a moment ago.
          settled.insert(document.id)
          if let end = try searchAgain(document, request, search, event, always: true) {
            guard case .failed = end else { return end }
            failure = failure ?? end
          }
        case .found(let part, let rest):
          settled.insert(document.id)
          guard Self.give(part, of: document, in: marked, event) else { return .cancelled }
          guard let rest, let text else { continue }
          let end = search.finish(text, of: document, after: part, from: rest) {
            Self.give($0, of: document, in: marked, event)
          }
          if case .failed(let cause) = end {
            failure = failure ?? .failed("\(document.path.string): \(cause)")
          } else if end != .complete {
            return end
          }
        case .ended(.failed(let cause)):
          settled.insert(document.id)
          failure = failure ?? .failed("\(document.path.string): \(cause)")
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
        let entries = try storage { try store.read { try $0.catalog(indexed: keys) } }
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
      async let second = Self.aside { search.outcomes(in: thereTexts, of: there, checking: check) }
      async let first = Self.aside { search.outcomes(in: hereTexts, of: here, checking: check) }
      let following = try next(Self.batch)
      if isFirst {
        waiting = Self.outcomes(await first + second, entries, texts)
        if let end = try giveWaiting() { return end }
        texts = try read(following)
      } else {
        // What was found before is given, and what comes next is read, while two processors look
        // through these.
        if let end = try giveWaiting() { return end }
        let next = try read(following)
        waiting = Self.outcomes(await first + second, entries, texts)
        texts = next
      }
      (entries, isFirst) = (following, false)
    }
    if let end = try giveWaiting() { return end }
    guard request.looksAtStatus else { return failure ?? .complete }
    let others = try catalog().entries.filter {
      let id = $0.document.id
      return !settled.contains(id) && request.covers(id) && marked?.keys.contains(id) ?? true
    }
    for document in await changed(among: others) {
      if let reason = search.watch.reasonToStop { return reason }
      if let end = try searchAgain(document, request, search, event, always: false) {
        guard case .failed = end else { return end }
        failure = failure ?? end
      }
    }
    return failure ?? .complete
  }

  /// Results with their documents and texts.
  private static func outcomes(
    _ found: [DocumentSearch.Outcome], _ entries: [CatalogEntry], _ texts: [StoredText?]
  ) -> [(document: Document, text: StoredText?, found: DocumentSearch.Outcome)] {
    zip(zip(entries, texts), found).map { ($0.0.document, $0.1, $1) }
  }

  /// The documents that may hold a match, in the order in which they are looked through.
  private func candidates(for filter: TextFilter, _ request: SearchRequest) throws(UserError)
    -> SearchCandidates
  {
    // The first search need not know the documents that it does not look at; for later ones all are
    // kept.
    defer { hasSearched = true }
    if !request.looksAtStatus, !hasSearched, searchCatalog == nil {
      // The first results need not wait until all documents are read.
      if request.documents == nil, request.highlights == nil,
        let keys = try storage({ try store.read { try $0.ranking(passing: filter) } })
      {
        return SearchCandidates(keys: keys)
      }
      if let entries = try storage({ try store.read { try $0.catalog(passing: filter) } }) {
        return SearchCandidates(entries: entries, places: Array(entries.indices))
      }
    }
    let catalog = try catalog()
    let entries = catalog.entries
    let passing =
      catalog.isIndexWhole
      ? try storage { try store.read { try $0.indexKeys(passing: filter) } } : nil
    guard let passing else {
      return SearchCandidates(entries: entries, places: Array(entries.indices))
    }
    var places = passing.compactMap { catalog.place(indexed: $0) }
    if case .words = filter {
      places += catalog.unindexed
    } else {
      places = (places + catalog.unindexed).sorted()
    }
    return SearchCandidates(entries: entries, places: places)
  }

  /// The documents whose files are not as they were when their texts were last seen.
  private func changed(among entries: [CatalogEntry]) async -> [Document] {
    let (place, dialects) = (location, dialects)
    let half = entries.count / 2
    @Sendable func changed(in entries: ArraySlice<CatalogEntry>) -> [Document] {
      entries.filter { !$0.isUnchanged(in: place, dialects) }.map(\.document)
    }
    async let other = Self.aside { changed(in: entries.dropFirst(half)) }
    return await Self.aside { changed(in: entries.prefix(half)) } + other
  }

  /// Runs something away from the library's thread.
  @concurrent
  private static func aside<T: Sendable>(_ work: @Sendable () -> T) async -> T { work() }

  /// Reads a document's file, brings the library up to date with it, and looks through it.
  ///
  /// - Parameter always: whether also a text that proves to be the one last seen is looked through.
  /// - Returns: why the search ended; nil when it goes on.
  private func searchAgain(
    _ document: Document, _ request: SearchRequest, _ search: DocumentSearch,
    _ event: @Sendable (SearchEvent) -> Bool, always: Bool
  ) throws(UserError) -> SearchOutcome? {
    let reading: Reading
    do { reading = try current(document) } catch
      where Self.isFault(error, ofFile: (try? location.file(of: document.path)) ?? "")
    {
      // A file that is gone, or is no text, hides no other.
      let report = RefreshReport(
        document: document, change: .unreadable, outcomes: [], problem: error)
      return event(.report(report)) ? nil : .cancelled
    }
    if reading.report.summary != nil, !event(.report(reading.report)) { return .cancelled }
    guard always || reading.report.change != .unchanged else { return nil }
    // The places of highlights are those in the text that was just read.
    var filter = request.highlights
    filter?.documents = [document.id]
    let present = try filter.map { (filter) throws(UserError) in
      try highlightedRanges(filter)
    }
    let found = reading.report.document
    let outcome = search.matches(in: reading.parsed, of: found) {
      Self.give($0, of: found, in: present, event)
    }
    if case .failed(let cause) = outcome {
      return .failed("\(document.path.string): \(cause)")
    }
    return outcome == .complete ? nil : outcome
  }

  /// Gives a document's matches, those inside highlights only where only they count.
  private static func give(
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

  /// Looks through highlighted words and notes.
  private func searchHighlights(
    _ request: SearchRequest, _ search: DocumentSearch, _ event: @Sendable (SearchEvent) -> Bool
  ) async throws(UserError) -> SearchOutcome {
    var filter = request.highlights ?? HighlightFilter()
    filter.documents = request.documents ?? filter.documents
    if request.looksAtStatus, !request.place.includes(.text) {
      // A search of the texts has checked the files already.
      let covered = try catalog().entries.filter { request.covers($0.document.id) }
      let stale = await changed(among: covered)
      for report in try refresh(stale) where report.summary != nil {
        guard event(.report(report)) else { return .cancelled }
      }
    }
    let all = try highlights(filter)
    let documents = Dictionary(
      uniqueKeysWithValues: try catalog().entries.map { ($0.document.id, $0.document) })
    // What stands in a document's notes is counted together.
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

  // MARK: - The index

  /// What a search must know of every document, kept until the database changes.
  func catalog() throws(UserError) -> SearchCatalog {
    let mark = try changeMark()
    if let searchCatalog, searchCatalog.mark == mark { return searchCatalog }
    var (entries, isWhole) = try storage {
      try store.read { (try $0.catalog(), try $0.isIndexWhole()) }
    }
    if !isWhole { for index in entries.indices { entries[index].indexKey = nil } }
    let catalog = SearchCatalog(mark: mark, isIndexWhole: isWhole, entries: entries)
    searchCatalog = catalog
    return catalog
  }

  /// A number that changes whenever the library does, by any process.
  package func changeMark() throws(UserError) -> Int64 {
    try storage { try store.read { try $0.changeMark() } }
  }

  /// A number that changes whenever another process stores something.
  package func othersMark() throws(UserError) -> Int64 {
    try storage { try store.read { try $0.othersMark() } }
  }

  /// Indexes texts that are not in the index, for some time: those of a library that an older Diple
  /// made, or whose index was dropped.
  func indexMissing(for time: Duration) throws(UserError) {
    let catalog = try catalog()
    guard catalog.entries.contains(where: { !$0.isIndexed }) else { return }
    if !catalog.isIndexWhole { try storage { try store.write { try $0.clearIndex() } } }
    let end = ContinuousClock.now + time
    var last: Int64? = 0
    while let after = last, ContinuousClock.now < end {
      last = try storage { try store.write { try $0.indexMissing(after: after, limit: 64) } }
    }
  }

  /// How many documents' newest texts are in the index.
  package func indexedCount() throws(UserError) -> Int {
    try catalog().entries.count(where: \.isIndexed)
  }

  /// Rebuilds the index.
  package func rebuildIndex() throws(UserError) {
    try storage { try store.write { try $0.clearIndex() } }
    var last: Int64? = 0
    while let after = last {
      last = try storage { try store.write { try $0.indexMissing(after: after, limit: 2048) } }
    }
  }
}

extension SearchRequest {
  /// Whether the status of files has to be checked.
  fileprivate var looksAtStatus: Bool { looksAtFiles && !filesAreSettled }

  fileprivate func covers(_ document: Document.ID) -> Bool {
    documents?.contains(document) ?? true
  }
}

/// The documents of a library at one moment, for searches.
struct SearchCatalog: Sendable {
  /// The state of the database.
  let mark: Int64
  /// Whether the index has all of its entries; otherwise it is not asked.
  let isIndexWhole: Bool
  /// In the order of paths.
  let entries: [CatalogEntry]
  /// The places of unindexed documents.
  let unindexed: [Int]
  /// The numbers of the index's entries, in order, each with the place of its document.
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

  /// The place of the document with an entry of the index; nil for the entry of an old text.
  /// O(log documents).
  func place(indexed key: Int64) -> Int? {
    var (low, high) = (0, indexPlaces.count)
    while low < high {
      let middle = (low + high) / 2
      if indexPlaces[middle].key < key { low = middle + 1 } else { high = middle }
    }
    return low < indexPlaces.count && indexPlaces[low].key == key ? indexPlaces[low].place : nil
  }

  /// The document with an entry of the index; nil for the entry of an old text.
  func entry(indexed key: Int64) -> CatalogEntry? { place(indexed: key).map { entries[$0] } }
}

/// The documents that a search looks through, given some at a time.
private struct SearchCandidates {
  let entries: [CatalogEntry]
  /// The places of the candidates among the entries, in the order of the search.
  var places: [Int]
  /// The numbers of the index's entries for candidates that are read when they are asked for.
  private var keys: ArraySlice<Int64> = []
  /// How many were given.
  private var given = 0

  init(entries: [CatalogEntry], places: [Int]) { (self.entries, self.places) = (entries, places) }

  init(keys: [Int64]) { (entries, places, self.keys) = ([], [], keys[...]) }

  /// The numbers of the next ones of those; nil after the last.
  mutating func nextKeys(_ count: Int) -> ArraySlice<Int64>? {
    guard !keys.isEmpty else { return nil }
    defer { keys = keys.dropFirst(count) }
    return keys.prefix(count)
  }

  /// Leaves out documents that don't meet a condition.
  mutating func keep(_ isWanted: (CatalogEntry) -> Bool) {
    places.removeAll { !isWanted(entries[$0]) }
  }

  /// The next ones; none after the last.
  mutating func next(_ count: Int) -> [CatalogEntry] {
    let next = places[given...].prefix(count)
    given += next.count
    return next.map { entries[$0] }
  }
}

extension Highlight {
  /// A match in the highlight's words or note.
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
      place: place, highlight: id, range: inText, position: anchor.line, line: text,
      lineRange: range)
  }
}
