import FoundationEssentials
package import Model
import SystemSupport
package import Workspace

/// Lists the highlights that a filter matches.
package struct ListHighlights: Action {
  /// The property by which the list is sorted.
  package enum Order: String, CaseIterable, Codable, Sendable {
    case place, created, updated, color
  }

  package static let name = "highlight.list"
  package static let summary = "Lists highlights, after checking their files."
  package static let effect = ActionEffect.reads
  package static let parameters =
    ActionParameter.filters + [
      .filter,
      ActionParameter("text", .text, "Only with these words in the quote or the note."),
      ActionParameter("trashed", .flag, "Lists the trash instead."),
      ActionParameter(
        "sort", .choice(Order.allCases.map(\.rawValue)),
        "The order; by document and place when omitted."),
      ActionParameter("skip", .integer, "Skips this many highlights at the start."),
      ActionParameter("limit", .integer, "Lists at most this many highlights."),
    ]
  package static let examples = [
    ListHighlights(
      documents: [.example], colors: [.green], tags: ["todo"], states: [.exact],
      since: "2026-01-31T12:00:00Z", filter: "-#old", text: "fox", trashed: false, sort: .place,
      skip: 200,
      limit: 200)
  ]

  package var documents: [Document.ID]?
  package var colors: [HighlightColor]?
  package var tags: [String]?
  package var states: [AnchorState]?
  package var since: String?
  package var filter: String?
  package var text: String?
  package var trashed: Bool?
  package var sort: Order?
  package var skip: Int?
  package var limit: Int?

  package init(
    documents: [Document.ID]? = nil, colors: [HighlightColor]? = nil, tags: [String]? = nil,
    states: [AnchorState]? = nil, since: String? = nil, filter: String? = nil,
    text: String? = nil, trashed: Bool? = nil, sort: Order? = nil, skip: Int? = nil,
    limit: Int? = nil
  ) {
    (self.documents, self.colors, self.tags, self.states) = (documents, colors, tags, states)
    (self.since, self.filter, self.text, self.trashed) = (since, filter, text, trashed)
    (self.sort, self.skip, self.limit) = (sort, skip, limit)
  }

  package struct Outcome: ActionOutcome {
    package var highlights: [(highlight: Highlight, document: Document)] = []

    package var json: String {
      JSON.line(
        "diple.highlights/1", highlights.map { HighlightRecord($0.highlight, in: $0.document) })
    }
  }

  /// The time of `since`; nil if it is omitted.
  ///
  /// - Throws: `usage` if `since` is neither a date nor a time.
  func sinceDate() throws(UserError) -> Date? {
    guard let since else { return nil }
    let now = Int(Date.now.timeIntervalSince1970.rounded(.down))
    guard let seconds = LocalTime.seconds(of: since, now: now) else {
      throw UserError(
        .usage, "'\(since)' is not a date or time", hint: "write \(LocalTime.forms)"
      ).about("since")
    }
    return Date(timeIntervalSince1970: Double(seconds))
  }

  /// Returns the highlights to list, as a filter. It does not contain `sort`, `skip` and `limit`.
  ///
  /// - Throws: `usage` if `since` is neither a date nor a time, or `filter` is invalid; `damaged` or
  ///   `conflict` if the library cannot be read.
  package func selected(in library: Library) async throws -> HighlightFilter {
    var selected = HighlightFilter(
      documents: documents, colors: colors.map(Set.init), tags: tags ?? [],
      states: states.map(Set.init), since: try sinceDate(),
      trash: trashed == true ? .only : .excluded)
    if let filter { selected.conditions = try await library.conditions(filter) }
    if let text, !text.isEmpty { selected.conditions.append(.init(.text([TextNeedle(text)]))) }
    return selected
  }

  /// Checks the files on which the list depends.
  ///
  /// - Returns: the reports of files that changed or cannot be read.
  /// - Throws: `usage` if `since` or `filter` is invalid; `notFound` if a document does not exist; the errors
  ///   of `Library.refresh`.
  package func checkFiles(in session: ActionSession) async throws -> [RefreshReport] {
    let library = session.library
    if let documents { return try await library.refresh(try await session.documents(documents)) }
    if session.filesAreSettled() { return [] }
    var selected = try await selected(in: library)
    selected.detail = .line
    if sort ?? .place == .place, states == nil, selected.conditions.isEmpty, let limit {
      return try await checkFirst(limit + (skip ?? 0), selected, library)
    }
    // Checking files doesn't change tags, so only check the documents of the listed highlights.
    if !selected.tags.isEmpty {
      return try await library.refresh(try await library.documents(of: selected))
    }
    return try await library.refreshChanged()
  }

  /// Checks only the files of the documents that contain the first `limit` highlights. If a check
  /// removes highlights from the list, later ones replace them. Therefore, the list is read
  /// again until the documents of all listed highlights are checked.
  private func checkFirst(_ limit: Int, _ filter: HighlightFilter, _ library: Library)
    async throws -> [RefreshReport]
  {
    var seen: Set<Document.ID> = []
    var reports: [RefreshReport] = []
    while true {
      let (found, _) = try await library.gatherHighlights(filter, into: ([Document](), 0)) {
        $0.0.append($1)
        $0.1 += $2.count
        return $0.1 < limit
      }
      let new = found.filter { seen.insert($0.id).inserted }
      if new.isEmpty { return reports }
      reports += try await library.refresh(new)
    }
  }

  /// Reads the highlights one document at a time, so that a front-end can write a list of any
  /// length in bounded memory. Ignores `sort`, `skip` and `limit`.
  ///
  /// - Parameters:
  ///   - result: the initial value.
  ///   - detail: the properties to read.
  ///   - body: called with the value so far, the highlights of a document and the document. It
  ///     returns false to stop.
  /// - Returns: the value after the last call of `body`.
  /// - Throws: `usage` if `since` or `filter` is invalid, or the trash is requested and the session does not
  ///   see it; the error of `body`; the errors of reading the library.
  package func gather<Result: Sendable>(
    in session: ActionSession, into result: Result, detail: HighlightFilter.Detail,
    _ body: @Sendable (inout Result, Document, [Highlight]) throws -> Bool
  ) async throws -> Result {
    guard session.seesTrash || trashed != true else {
      throw UserError(.usage, "the trash is not listed here").about("trashed")
    }
    var selected = try await selected(in: session.library)
    selected.detail = detail
    return try await session.library.gatherHighlights(selected, into: result, body)
  }

  package func run(in session: ActionSession) async throws -> Outcome {
    _ = try await checkFiles(in: session)
    let order = sort ?? .place
    let skipped = skip ?? 0
    let end = skipped + min(limit ?? session.rowLimit, session.rowLimit)
    var kept = try await gather(in: session, into: Outcome(), detail: .withoutContext) {
      for highlight in $2 { $0.highlights.append((highlight, $1)) }
      if order == .place { return $0.highlights.count < end }
      // Keep only the first ones, so that memory does not grow with the library.
      if $0.highlights.count > 2 * end { $0.highlights = order.first(end, of: $0.highlights) }
      return true
    }
    kept.highlights = Array(order.first(end, of: kept.highlights).dropFirst(skipped))
    return kept
  }
}

extension ListHighlights.Order {
  /// Returns the highlights in this order. Highlights with equal keys keep their relative order.
  package func sorted(_ highlights: [(highlight: Highlight, document: Document)])
    -> [(highlight: Highlight, document: Document)]
  {
    switch self {
    case .place: highlights
    case .created: highlights.sorted { $0.highlight.created < $1.highlight.created }
    case .updated: highlights.sorted { $0.highlight.updated < $1.highlight.updated }
    case .color: highlights.sorted { $0.highlight.color.order < $1.highlight.color.order }
    }
  }

  fileprivate func first(
    _ count: Int, of highlights: [(highlight: Highlight, document: Document)]
  ) -> [(highlight: Highlight, document: Document)] {
    Array(sorted(highlights).prefix(count))
  }
}

extension HighlightColor {
  /// The position of the colour in the order of all colours.
  fileprivate var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
