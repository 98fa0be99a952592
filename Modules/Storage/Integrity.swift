import Dispatch
import Model

/// Finds the errors of a library: SQLite's own findings, invalid values, records that differ from
/// their operations, texts that do not match their hashes, and locations outside of their texts.
///
/// It reads everything once, one record or text at a time, and stops after `limit` problems.
final class Integrity {
  private let transaction: ReadTransaction
  /// Facts about documents that their operations do not contain.
  private var shared = SharedDocuments()
  private let digest: ((UnsafeBufferPointer<UInt8>) -> ContentDigest)?
  private(set) var problems: [String] = []

  /// The maximum number of problems to report.
  static let limit = 200

  init(
    _ transaction: ReadTransaction, digest: ((UnsafeBufferPointer<UInt8>) -> ContentDigest)?
  ) {
    self.transaction = transaction
    self.digest = digest
  }

  private func report(_ problem: String) {
    if problems.count < Self.limit { problems.append(problem) }
  }

  /// Runs all checks. O(size).
  ///
  /// - Parameter second: opens another connection to the same database, with which another thread
  ///   checks the structure, the texts, the locations and the journal while this one checks the
  ///   records; nil if that is impossible, as for a database in memory.
  /// - Throws: `SQLiteError` if the database cannot be read.
  func check(besides second: (@Sendable () throws -> Database)? = nil) throws {
    guard let second else {
      problems = try Self.treeProblems(of: transaction.database)
      // Records read from a damaged structure would cause misleading reports.
      guard problems.isEmpty else { return }
      try checkRecords()
      return try checkCaches()
    }
    let other = BackgroundCheck(digest: digest)
    let isDone = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      other.result = Result { try other.check(by: second()) }
      isDone.signal()
    }
    let records = Result { try checkRecords() }
    isDone.wait()
    // If the other connection failed, this one checks everything.
    guard let found = try? other.result?.get() else {
      problems = []
      return try check()
    }
    guard found.trees.isEmpty else { return problems = found.trees }
    try records.get()
    problems = Array((problems + found.content).prefix(Self.limit))
  }

  /// The checks of the other thread. `result` is read only after that thread has finished.
  private final class BackgroundCheck: @unchecked Sendable {
    let digest: ((UnsafeBufferPointer<UInt8>) -> ContentDigest)?
    var result: Result<(trees: [String], content: [String]), any Error>?

    init(digest: ((UnsafeBufferPointer<UInt8>) -> ContentDigest)?) { self.digest = digest }

    func check(by database: Database) throws -> (trees: [String], content: [String]) {
      try database.transaction("DEFERRED") {
        let trees = try Integrity.treeProblems(of: database)
        guard trees.isEmpty else { return (trees, []) }
        let integrity = Integrity(ReadTransaction(database), digest: digest)
        try integrity.checkCaches()
        return ([], integrity.problems)
      }
    }
  }

  private func checkCaches() throws {
    try checkIdentity()
    try checkTexts()
    try checkPlaces()
    try checkJournal()
  }

  /// Returns SQLite's findings on the structure, and the rows with a dangling foreign key.
  private static func treeProblems(of database: Database) throws -> [String] {
    try database.useCacheForChecks()
    var found = try database.values(
      "PRAGMA integrity_check(\(limit))", [], { try $0.text(0) }
    ).filter { $0 != "ok" }
    try database.forEach("PRAGMA foreign_key_check") { row in
      if found.count < limit {
        found.append("a row of \(try row.text(0)) refers to a missing \(try row.text(2))")
      }
      return found.count < limit
    }
    return found
  }

  // MARK: - Records

  /// Compares each record with its operations. Operations, documents and highlights are each read
  /// once, in the order of the records' dots.
  private func checkRecords() throws {
    let operations = try OrderedOperations(of: transaction) { [unowned self] in
      report($0.description)
    }
    let documents = try OrderedRows(
      "SELECT \(Document.columns) FROM document d ORDER BY d.sequence, d.replica", key: 0, in: self,
      Document.init)
    let sources = try OrderedRows(
      """
      SELECT d.replica, d.sequence, s.variable, s.value FROM document d
      CROSS JOIN source s ON s.document = d.key ORDER BY d.sequence, d.replica
      """, key: 0, in: self
    ) { row in
      var source = Source()
      try source.set(row, at: 2)
      return source
    }
    let properties = try transaction.documentProperties()
    let own = try OwnIdentities(transaction)
    shared = try SharedDocuments(transaction)
    let highlights = try OrderedRows(
      """
      SELECT \(Highlight.columns([.digest, .tags])), h.origin_key
      FROM highlight h CROSS JOIN document d ON d.key = h.document ORDER BY h.sequence, h.replica
      """, key: 0, in: self
    ) { row in
      let key = try row.ifPresent(Highlight.columnCount) { try row.text($0) }
      return (highlight: try Highlight(row), originKey: key)
    }
    while problems.count < Self.limit,
      let key = [operations.key, documents.key, sources.key, highlights.key].compactMap(\.self)
        .min()
    {
      var record: RecordState?
      try operations.take(key) { operation in
        if !operation.isPossible(in: own.replica) {
          report("operation \(operation.dot) has a value that Diple does not write")
        }
        if record == nil { record = RecordState(operation.record) }
        if operation.isReadable { record?.add(operation, isOwn: own.made(operation.dot)) }
      }
      let document = try documents.take(key).first
      let source = try sources.take(key).reduce(Source()) { $0.completed(by: $1) }
      let highlight = try highlights.take(key).first
      let dot = key.dot
      switch record?.record {
      case .document(let id)?:
        compare(record!, id, document, source)
        if document != nil, record!.properties != properties[id] ?? [:] {
          report("a property of document \(id) is another one")
        }
      case .highlight(let id)?:
        try compare(record!, id, highlight?.highlight, originKey: highlight?.originKey)
      case .library?: try compareLibrary(record!)
      case .other?, nil: break
      }
      let isBorn = record?.isBorn == true
      if let record, !isBorn, record.record != .library, record[.purged] == nil, document == nil,
        highlight == nil, own.knows(dot)
      {
        report("operations are on record \(dot), which was never made")
      }
      if document != nil, !isBorn { report("document \(dot) was never made by an operation") }
      if highlight != nil, !isBorn { report("highlight \(dot) was never made by an operation") }
    }
  }

  private func compare(
    _ record: RecordState, _ id: Document.ID, _ found: Document?, _ source: Source
  ) {
    guard record.exists else {
      if let found, record.isBorn, found.path.string != WriteTransaction.unfiledPath {
        report("document \(id) should have been deleted")
      }
      return
    }
    guard let found else { return report("document \(id) is missing, or cannot be read") }
    let expected = (
      path: record.ownPath ?? shared.places[id.dot] ?? record.text(.path) ?? "",
      title: record.text(.title) ?? "",
      isRemoved: record.flag(.trashed) ?? false || shared.aliases[id.dot] != nil
    )
    if expected.path.isEmpty, !found.path.isElsewhere { report("document \(id) has no path") }
    if found.path.string != expected.path { report("the path of document \(id) is another one") }
    if found.title != expected.title { report("the title of document \(id) is another one") }
    if (found.state == .removed) != expected.isRemoved {
      report("document \(id) should \(expected.isRemoved ? "" : "not ")be removed")
    }
    if record.source != source { report("the source of document \(id) is another one") }
  }

  private func compare(
    _ record: RecordState, _ id: Highlight.ID, _ found: Highlight?, originKey: String?
  ) throws {
    let homes = [record.reference(.document), record.reference(.created)].compactMap(\.self).map {
      shared.aliases[$0] ?? $0
    }
    let home =
      if let found, homes.first == found.document.dot {
        found.document.dot
      } else {
        try homes.first { try transaction.exists($0) }
      }
    guard record.exists, let home else {
      if found != nil, record.isBorn { report("highlight \(id) should have been deleted") }
      return
    }
    guard let found else { return report("highlight \(id) is missing, or cannot be read") }
    func name(_ field: String) -> String { "the \(field) of highlight \(id) is another one" }
    if found.document.dot != home { report(name("document")) }
    if let text = record.text(.color), let color = HighlightColor(rawValue: text),
      found.color != color
    {
      report(name("colour"))
    }
    if found.note != record.text(.note) ?? "" { report(name("note")) }
    if found.format != record.text(.format) { report(name("format")) }
    let origin = record.text(.origin)
    if let known = origin.flatMap({ StoredOrigin(text: $0).origin }) {
      if originKey != known.fullKey { report(name("origin")) }
    } else if originKey != nil, origin == nil {
      report(name("origin"))
    }
    if var selector = record.selector {
      // Only the operation stores the prefix and the suffix.
      (selector.prefix, selector.suffix) = ("", "")
      if found.selector != selector { report(name("passage")) }
    } else {
      report("highlight \(id) has no passage")
    }
    if found.tags != record.tags { report("the tags of highlight \(id) are others") }
    if found.isTrashed != record.flag(.trashed) ?? false {
      report("highlight \(id) should \(found.isTrashed ? "not " : "")be in the trash")
    }
    if found.isDetached != record.flag(.detached) ?? false {
      report("highlight \(id) should \(found.isDetached ? "not " : "")be marked as gone")
    }
  }

  private func compareLibrary(_ record: RecordState) throws {
    let labels = try transaction.labels()
    let queries = try transaction.savedQueries()
    if record.properties != (try transaction.properties()) {
      report("a property of the library is another one")
    }
    for (field, value) in record.values {
      guard case .text(let text) = value else { continue }
      if let color = field.labelled, labels[color] ?? "" != text {
        report("the name of \(color) is another one")
      }
      if let query = field.query, queries[query] ?? "" != text {
        report("the saved query '\(query)' is another one")
      }
    }
  }

  // MARK: - Texts and the journal

  /// Compares each stored text with its hash and with the ranges of the locations in it.
  private func checkTexts() throws {
    let reader = StoredTextReader()
    try each(
      """
      SELECT s.size, s.data, NULL, s.digest, d.replica, d.sequence,
        (SELECT max(a.end) FROM highlight h JOIN anchor a ON a.highlight = h.key
         WHERE h.document = s.document AND a.digest = s.digest AND a.selector = h.selector),
        (SELECT max(h.end) FROM highlight h
         WHERE h.document = s.document AND h.text_digest = s.digest)
      FROM snapshot s JOIN document d ON d.key = s.document
      """
    ) { row in
      let name = "a text of document \(try row.dot(4))"
      let expected = try row.digest(3)
      let found = reader.withUTF8(of: try StoredText(row)) { text in
        // UTF-16 units: two for a scalar of four bytes, one for any other. Continuation bytes are
        // not counted.
        let units = text.reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : $1 >= 0xF0 ? 2 : 1) }
        return (units: units, isIts: digest.map { $0(text) == expected } ?? true)
      }
      guard let found else { return report("\(name) cannot be read") }
      if !found.isIts { report("\(name) is not the one that it was") }
      let ends = [
        try row.ifPresent(6) { try row.count($0) }, try row.ifPresent(7) { try row.count($0) },
      ]
      if ends.contains(where: { ($0 ?? 0) > found.units }) {
        report("a highlight ends beyond \(name)")
      }
    }
  }

  /// Checks the library's identity, clock and sequence number.
  private func checkIdentity() throws {
    try each(
      """
      SELECT replica, sequence, clock,
        (SELECT coalesce(max(o.sequence), 0) FROM operation o WHERE o.replica = library.replica)
      FROM library
      """
    ) { row in
      _ = try row.timestamp(2)
      if try row.count(1) < row.count(3) { throw row.bad(1) }
    }
  }

  private func checkPlaces() throws {
    try each("SELECT \(Anchor.columns), a.highlight FROM anchor a") { _ = try Anchor($0, at: 0) }
  }

  private func checkJournal() throws {
    try each("SELECT \(JournalEntry.columns) FROM journal") { _ = try JournalEntry($0) }
    for entry in try transaction.list(
      "SELECT DISTINCT entry FROM file_edit", [], { try $0.integer(0) })
    {
      do { _ = try transaction.fileEdits(of: entry) } catch let problem as BadValue {
        report(problem.description)
      }
    }
  }

  // MARK: - Rows

  /// Calls `body` for each row. Reports rows that it cannot read.
  private func each(_ sql: String, _ body: (Row) throws -> Void) throws {
    try transaction.database.forEach(sql) { row in
      do { try body(row) } catch let problem as BadValue { report(problem.description) }
      return problems.count < Self.limit
    }
  }

  /// Reads rows in the order of the records to which they belong. Reports unreadable rows.
  private final class OrderedRows<Value> {
    private let rows: Database.Rows
    private let column: Int
    private let integrity: Integrity
    private let make: (Row) throws -> Value?
    private var current: Row?
    /// The record to which the next rows belong; nil after the last row.
    private(set) var key: RecordKey?

    /// Starts a query and reads its first row.
    ///
    /// - Parameters:
    ///   - sql: the query, ordered by record.
    ///   - column: the column of the record's replica; the sequence is in the next one.
    ///   - integrity: collects the problems.
    ///   - make: reads the value of a row.
    init(
      _ sql: String, key column: Int, in integrity: Integrity,
      _ make: @escaping (Row) throws -> Value?
    ) throws {
      rows = try integrity.transaction.database.rows(sql)
      (self.column, self.integrity, self.make) = (column, integrity, make)
      try advance()
    }

    /// Returns the values of all rows of a record. Records must be requested in order.
    func take(_ wanted: RecordKey) throws -> [Value] {
      var values: [Value] = []
      while let row = current, key == wanted {
        do { if let value = try make(row) { values.append(value) } } catch let problem as BadValue {
          integrity.report(problem.description)
        }
        try advance()
      }
      return values
    }

    private func advance() throws {
      key = nil
      while key == nil {
        current = try rows.next()
        guard let row = current else { return }
        do {
          key = try RecordKey(row, at: column)
        } catch let problem as BadValue { integrity.report(problem.description) }
      }
    }
  }
}
