package import Model

/// Where a list of highlights goes on.
package struct HighlightCursor: Hashable, Sendable {
  fileprivate var path: String
  fileprivate var document: Int64
  fileprivate var place: PlaceInDocument
}

extension ReadTransaction {
  /// The highlights that a filter lets through, by document path and place; orphans come last in
  /// each document. Where there may be very many, `forEachHighlights` takes less memory.
  package func highlights(_ filter: HighlightFilter) throws -> [Highlight] {
    var all: [Highlight] = []
    try forEachHighlights(filter) { highlights in
      all += highlights
      return true
    }
    return all
  }

  /// A part of the same list, for which the rest is not read.
  ///
  /// - Parameters:
  ///   - cursor: what the call before gave; nil to begin.
  ///   - limit: how many highlights are wanted, from 1.
  /// - Returns: the highlights, and what to go on with; nil when there are no more.
  package func highlights(_ filter: HighlightFilter, after cursor: HighlightCursor?, limit: Int)
    throws -> (highlights: [Highlight], next: HighlightCursor?)
  {
    var page: [Highlight] = []
    var next: HighlightCursor?
    var hasMore = false
    try forEachDocument(filter, from: cursor) { path, document, highlights in
      let part = highlights.prefix(limit - page.count)
      page += part
      if let last = part.last {
        next = HighlightCursor(path: path, document: document, place: last.place)
      }
      hasMore = part.count < highlights.count
      return !hasMore
    }
    return (page, hasMore ? next : nil)
  }

  /// Gives the same list to `body`, the highlights of a document at a time, until it returns false.
  package func forEachHighlights(
    _ filter: HighlightFilter, _ body: ([Highlight]) throws -> Bool
  ) throws {
    try forEachDocument(filter, from: nil) { try body($2) }
  }

  /// Gives the highlights of each document, of which there is at least one, in order.
  private func forEachDocument(
    _ filter: HighlightFilter, from cursor: HighlightCursor?,
    _ body: (_ path: String, _ document: Int64, [Highlight]) throws -> Bool
  ) throws {
    var group: [Highlight] = []
    var (path, document) = ("", Int64(0))
    let labels = try labels()
    /// Puts a document's highlights in order. SQLite's own sorter would write every column of every
    /// row into a temporary tree and read it again.
    func give() throws -> Bool {
      var places = group.enumerated().map { ($0.element.place, $0.offset) }
      if let cursor, cursor.document == document { places.removeAll { $0.0 <= cursor.place } }
      places.sort { $0.0 < $1.0 }
      let ordered = places.map { _, index in
        var highlight = group[index]
        if !labels.isEmpty { highlight.label = labels[highlight.color] }
        return highlight
      }
      group = []
      return try ordered.isEmpty || body(path, document, ordered)
    }
    let (sql, arguments) = Self.query(filter, from: cursor)
    var goesOn = true
    try forEach(sql, arguments) { row in
      let key = try row.integer(Self.documentColumn)
      if key != document {
        goesOn = try group.isEmpty || give()
        guard goesOn else { return false }
        (document, path) = (key, "")
        path = try row.text(Self.documentColumn + 1)
      }
      group.append(try Highlight(row, report: database.onProblem))
      return true
    }
    if goesOn, !group.isEmpty { _ = try give() }
  }

  /// The column of the document's number, which its path follows.
  private static let documentColumn = 26

  /// What asks for the highlights of a filter by document.
  static func query(_ filter: HighlightFilter, from cursor: HighlightCursor?) -> (
    String, Arguments
  ) {
    var conditions: [String] = []
    var arguments: Arguments = []
    // SQLite walks the documents in the order of their paths; where few highlights are asked for, it
    // looks for these, and orders them.
    var tables = "document d CROSS JOIN highlight h ON h.document = d.key"
    var tags = filter.tags[...]
    if filter.documents == nil {
      if let tag = tags.popFirst() {
        tables = """
          tag t CROSS JOIN highlight h ON h.key = t.highlight
          CROSS JOIN document d ON d.key = h.document
          """
        conditions.append("t.name = ?")
        arguments.append(tag)
      } else if filter.trash == .only {
        tables = "highlight h CROSS JOIN document d ON d.key = h.document"
      }
    }
    switch filter.trash {
    case .excluded: conditions.append("h.trashed = 0 AND d.trashed = 0")
    case .included: break
    case .only: conditions.append("h.trashed = 1")
    }
    if let documents = filter.documents {
      // One argument for any number of them: a condition for each would soon be too deep for SQLite.
      conditions.append(
        """
        d.key IN (SELECT o.key FROM json_each(?) j JOIN document o
          ON o.sequence = j.value ->> 0 AND o.replica = j.value ->> 1)
        """)
      let dots = documents.map { "[\($0.dot.sequence),\($0.dot.storedReplica)]" }
      arguments.append("[" + dots.joined(separator: ",") + "]")
    }
    if let colors = filter.colors {
      conditions.append("h.color IN (\(marks(colors.count)))")
      arguments += colors.map(\.rawValue).sorted() as Arguments
    }
    for tag in tags {
      conditions.append("EXISTS (SELECT 1 FROM tag WHERE highlight = h.key AND name = ?)")
      arguments.append(tag)
    }
    if let states = filter.states {
      conditions.append("coalesce(a.state, 'orphaned') IN (\(marks(states.count)))")
      arguments += states.map(\.rawValue).sorted() as Arguments
    }
    if let since = filter.since {
      conditions.append("h.updated >= ?")
      arguments.append(since.milliseconds)
    }
    if let cursor {
      conditions.append("(d.path, d.key) >= (?, ?)")
      arguments += [cursor.path, cursor.document] as Arguments
    }
    let clause = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
    return (
      """
      SELECT \(Highlight.columns(context: !filter.omitsContext)), d.key, d.path
      FROM \(tables) \(Highlight.presentPlace) \(clause) ORDER BY d.path, d.key
      """, arguments
    )
  }

  private static func marks(_ count: Int) -> String {
    Array(repeating: "?", count: count).joined(separator: ", ")
  }

  /// The highlights with what their colours mean.
  func labelled(_ highlights: [Highlight]) throws -> [Highlight] {
    let labels = try labels()
    guard !labels.isEmpty else { return highlights }
    return highlights.map { highlight in
      var highlight = highlight
      highlight.label = labels[highlight.color]
      return highlight
    }
  }
}
