package import Model

/// The position at which the next page of a list of highlights begins.
package struct HighlightCursor: Hashable, Sendable {
  fileprivate var path: String
  fileprivate var document: Int64
  fileprivate var place: PlaceInDocument
}

/// Reads a list of highlights, document by document: ordered by the paths of the documents and by
/// location, with orphans at the end of each document.
///
/// It keeps only the highlights of one document in memory, and must not be used after its
/// transaction.
package final class HighlightReader {
  private let transaction: ReadTransaction
  private let rows: Database.Rows
  private let onProblem: ((BadValue) -> Void)?
  private let labels: [HighlightColor: String]
  private let cursor: HighlightCursor?
  private let detail: HighlightFilter.Detail
  private let conditions: [HighlightCondition]
  /// The document of the last row, and its key.
  private var last: (key: Int64, document: Document)?
  /// The first highlight of the next document, if its row was already read.
  private var begun: (highlight: Highlight, key: Int64, isImported: Bool)?
  /// The key of the document that was returned last.
  fileprivate private(set) var key: Int64 = 0

  fileprivate init(
    _ filter: HighlightFilter, from cursor: HighlightCursor?, in transaction: ReadTransaction
  ) throws {
    let (sql, arguments) = ReadTransaction.query(filter, from: cursor)
    self.transaction = transaction
    rows = try transaction.database.rows(sql, arguments)
    onProblem = transaction.database.onProblem
    labels = try transaction.labels()
    self.cursor = cursor
    detail = filter.detail
    conditions = filter.conditions
  }

  /// Returns the next document of the list with its highlights, at least one; nil after the last
  /// document.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func next() throws -> (document: Document, highlights: [Highlight])? {
    while true {
      var group = ListedHighlights()
      var current: Document?
      if let last, let first = begun.take() {
        (key, current) = (last.key, last.document)
        group.append(first.highlight, key: first.key, isImported: first.isImported)
      }
      while let row = try rows.next() {
        do {
          let found = try row.integer(Self.documentColumn)
          let highlight = try Highlight(row, report: onProblem)
          let number = try row.integer(Self.documentColumn + 1)
          let isImported = try row.flag(Self.documentColumn + 2)
          if current == nil || found != key {
            let document = try document(found)
            if current != nil {
              begun = (highlight, number, isImported)
              break
            }
            (key, current) = (found, document)
          }
          group.append(highlight, key: number, isImported: isImported)
        } catch let problem as BadValue { onProblem?(problem) }
      }
      guard let current else { return nil }
      if let cursor, cursor.document == key {
        let places = group.highlights.map(\.place)
        group.keep { places[$0] > cursor.place }
      }
      try transaction.complete(&group, detail)
      if !conditions.isEmpty {
        let found = group.highlights
        group.keep { index in conditions.allSatisfy { $0.matches(found[index], in: current) } }
      }
      var highlights = group.highlights
      group = ListedHighlights()
      sort(&highlights)
      if !labels.isEmpty {
        for index in highlights.indices {
          highlights[index].label = labels[highlights[index].color]
        }
      }
      if !highlights.isEmpty { return (current, highlights) }
    }
  }

  /// Returns the document with a key. Its columns are not part of the list's rows, because SQLite
  /// would compute them again for each highlight.
  private func document(_ key: Int64) throws -> Document {
    if let last, last.key == key { return last.document }
    let document = try transaction.first(
      "SELECT \(Document.columns) FROM document d WHERE d.key = ?", [key], Document.init)
    guard let document else { throw BadValue(description: "there is no document \(key)") }
    last = (key, document)
    return document
  }

  /// Sorts a document's highlights by location. SQLite's sorter would write all columns of all rows
  /// to a temporary tree and read them again.
  private func sort(_ group: inout [Highlight]) {
    let places = group.map(\.place)
    for index in places.indices.dropFirst() where places[index] < places[index - 1] {
      return group.sort { $0.place < $1.place }
    }
  }

  /// The index of the column with the document's key, which follows the columns of the highlight.
  private static let documentColumn = Highlight.columnCount
}

extension ReadTransaction {
  /// Returns the highlights that match a filter, ordered by the paths of their documents and by
  /// location, with orphans at the end of each document. For lists that may be very long,
  /// `highlightReader` uses less memory.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func highlights(_ filter: HighlightFilter) throws -> [Highlight] {
    var all: [Highlight] = []
    let reader = try highlightReader(filter)
    while let next = try reader.next() { all += next.highlights }
    return all
  }

  /// Returns a reader for the list of `highlights(_:)`.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read.
  package func highlightReader(_ filter: HighlightFilter) throws -> HighlightReader {
    try HighlightReader(filter, from: nil, in: self)
  }

  /// Returns a page of the list of `highlights(_:)`, without reading the rest.
  ///
  /// - Parameters:
  ///   - filter: the highlights to list.
  ///   - cursor: the cursor that the call for the previous page returned; nil for the first page.
  ///   - limit: the maximum number of highlights, at least 1.
  /// - Returns: the highlights, and the cursor for the next page; nil after the last page.
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func highlights(_ filter: HighlightFilter, after cursor: HighlightCursor?, limit: Int)
    throws -> (highlights: [Highlight], next: HighlightCursor?)
  {
    var page: [Highlight] = []
    var last: HighlightCursor?
    let reader = try HighlightReader(filter, from: cursor, in: self)
    while let (document, highlights) = try reader.next() {
      let part = highlights.prefix(limit - page.count)
      page += part
      if let place = part.last?.place {
        last = HighlightCursor(path: document.path.string, document: reader.key, place: place)
      }
      if part.count < highlights.count { return (page, last) }
    }
    return (page, nil)
  }

  /// Returns the documents of the highlights that match a filter, ordered by path. Ignores the
  /// filter's states and conditions.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read. Damaged rows are skipped.
  package func documents(of filter: HighlightFilter) throws -> [Document] {
    var filter = filter
    filter.states = nil
    let (tables, clause, arguments) = Self.source(of: filter, from: nil)
    return try list(
      "SELECT DISTINCT \(Document.columns) FROM \(tables) \(clause) ORDER BY d.path, d.key",
      arguments, Document.init)
  }

  /// Returns the SQL and the arguments that select the highlights of a filter, grouped by document.
  static func query(_ filter: HighlightFilter, from cursor: HighlightCursor?) -> (
    String, Arguments
  ) {
    let (tables, clause, arguments) = source(of: filter, from: cursor)
    let parts: Highlight.Parts = filter.detail == .line ? .place : [.place, .digest]
    return (
      """
      SELECT \(Highlight.columns(parts)), d.key, h.key, h.origin_key IS NOT NULL
      FROM \(tables) \(Highlight.presentPlace) \(clause) ORDER BY d.path, d.key
      """, arguments
    )
  }

  /// Returns the tables and conditions that select the highlights of a filter. A condition on
  /// states also needs the anchors of `Highlight.presentPlace`.
  private static func source(of filter: HighlightFilter, from cursor: HighlightCursor?) -> (
    tables: String, clause: String, Arguments
  ) {
    var conditions: [String] = []
    var arguments: Arguments = []
    // By default, SQLite reads the documents in the order of their paths. If the filter selects few
    // highlights, SQLite finds these first and sorts them.
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
    switch filter.kind {
    case .highlights: conditions.append("h.format IS NULL")
    case .formats: conditions.append("h.format IS NOT NULL")
    case .all: break
    }
    if let documents = filter.documents {
      // A single JSON argument for any number of documents. One condition for each would exceed
      // SQLite's limit on the depth of expressions.
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
    return (tables, clause, arguments)
  }

  private static func marks(_ count: Int) -> String {
    Array(repeating: "?", count: count).joined(separator: ", ")
  }

  /// Returns the highlights with the labels of their colours.
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
