import Dispatch
import Model
import Synchronization

/// Checks a library: the structure of the database, each stored value, the records against their
/// operations, the texts against their hashes, and the places against their texts.
///
/// The check is divided into parts. Two connections, each on its own thread, take the next part
/// until none is left:
///
/// ```swift
/// let problems = try Integrity(transaction, digest: hash).problems(besides: openSecondConnection)
/// ```
final class Integrity {
  private let transaction: ReadTransaction
  private let digest: (@Sendable (UnsafeBufferPointer<UInt8>) -> ContentDigest)?
  /// The facts that all parts use, read once for each connection.
  private lazy var facts = Result { try Facts(transaction) }
  private var shared = SharedDocuments()
  /// The problems of the current part.
  private var found: [String] = []

  private struct Facts {
    let identities: OwnIdentities
    let shared: SharedDocuments
    let properties: [Document.ID: [PropertyName: String]]

    init(_ transaction: ReadTransaction) throws {
      identities = try OwnIdentities(transaction)
      shared = try SharedDocuments(transaction)
      properties = try transaction.documentProperties()
    }
  }

  /// The maximum number of problems that are reported.
  static let limit = 200
  /// The number of sequence numbers or rows in a part.
  static let partSize: Int64 = 1 << 16
  /// The maximum number of parts of one kind. Without it, a huge number in a damaged row would lead
  /// to millions of parts.
  private static let maximumPartCount: Int64 = 64

  init(
    _ transaction: ReadTransaction,
    digest: (@Sendable (UnsafeBufferPointer<UInt8>) -> ContentDigest)?
  ) {
    self.transaction = transaction
    self.digest = digest
  }

  private func report(_ problem: String) {
    if found.count < Self.limit { found.append(problem) }
  }

  // MARK: - Parts

  /// A part of the check. Ranges of different parts do not overlap.
  private enum Part: Sendable {
    case structure
    /// The records with these sequence numbers, and the operations on them.
    case records(ClosedRange<Int64>)
    case identity
    /// The stored texts with these row numbers.
    case texts(ClosedRange<Int64>)
    /// The places of the highlights with these keys.
    case places(ClosedRange<Int64>)
    case journal
  }

  /// Checks everything and returns at most `limit` problems. O(size).
  ///
  /// - Parameters:
  ///   - second: opens another connection to the same database, for a second thread; nil if the
  ///     database can have only one.
  ///   - size: the number of sequence numbers or rows in a part.
  func problems(
    besides second: (@Sendable () throws -> Database)? = nil, partSize size: Int64 = partSize
  ) throws -> [String] {
    try transaction.database.useCacheForChecks()
    let parts = try parts(of: size)
    guard let second else { return try problems(of: parts) }
    let (digest, queue) = (digest, PartQueue(parts))
    let isDone = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      queue.run {
        let database = try second()
        try database.transaction("DEFERRED") {
          try database.useCacheForChecks()
          let integrity = Integrity(ReadTransaction(database), digest: digest)
          try queue.takeAll { try integrity.problems(of: $0) }
        }
      }
      isDone.signal()
    }
    queue.run { try queue.takeAll { try self.problems(of: $0) } }
    isDone.wait()
    // If a connection failed, the main one checks everything, and throws if it fails, too.
    guard let results = queue.results else { return try problems(of: parts) }
    // If the structure is broken, other problems are not reliable.
    let structure = results.first ?? []
    return structure.isEmpty ? Array(results.joined().prefix(Self.limit)) : structure
  }

  /// Checks parts one after the other.
  private func problems(of parts: [Part]) throws -> [String] {
    var all: [String] = []
    for part in parts where all.count < Self.limit {
      all += try problems(of: part)
      if case .structure = part, !all.isEmpty { break }
    }
    return Array(all.prefix(Self.limit))
  }

  private func problems(of part: Part) throws -> [String] {
    found = []
    switch part {
    case .structure: try checkStructure()
    case .records(let sequences): try checkRecords(sequences)
    case .identity: try checkIdentity()
    case .texts(let rows): try checkTexts(rows)
    case .places(let keys): try checkPlaces(keys)
    case .journal: try checkJournal()
    }
    return found
  }

  /// Returns the parts, in the order in which their problems are reported. The structure is the
  /// first, because its check takes longest.
  private func parts(of size: Int64) throws -> [Part] {
    func ranges(_ size: Int64, to greatest: String) throws -> [ClosedRange<Int64>] {
      let last = try transaction.database.first("SELECT \(greatest)") { try $0.integer(0) } ?? 0
      let step = max(size, last / Self.maximumPartCount + 1)
      let starts = Array(stride(from: step, through: last, by: Int(step)))
      // The first and the last range are open, because a damaged row may have any number.
      return zip([.min] + starts, starts.map { $0 - 1 } + [.max]).map { $0...$1 }
    }
    // A text takes longer than a record.
    let textSize = max(1, size / 8)
    return try [.structure]
      + ranges(size, to: "coalesce(max(sequence), 0) FROM operation").map(Part.records)
      + [.identity]
      + ranges(textSize, to: "coalesce(max(rowid), 0) FROM snapshot").map(Part.texts)
      + ranges(size, to: "coalesce(max(key), 0) FROM highlight").map(Part.places)
      + [.journal]
  }

  /// Assigns the parts to two threads, and collects the problems of each part.
  private final class PartQueue: Sendable {
    private let parts: [Part]
    private let next = Atomic(0)
    private let found: Mutex<[[String]]>
    private let hasFailed = Atomic(false)

    init(_ parts: [Part]) {
      self.parts = parts
      found = Mutex(Array(repeating: [], count: parts.count))
    }

    /// Runs the work of one thread. If it throws, both threads stop.
    func run(_ body: () throws -> Void) {
      do { try body() } catch { hasFailed.store(true, ordering: .relaxed) }
    }

    /// Passes the next part to `check` until none is left.
    func takeAll(_ check: (Part) throws -> [String]) throws {
      while !hasFailed.load(ordering: .relaxed) {
        let index = next.add(1, ordering: .relaxed).oldValue
        guard index < parts.count else { return }
        let problems = try check(parts[index])
        found.withLock { $0[index] = problems }
      }
    }

    /// The problems of each part; nil if a thread failed.
    var results: [[String]]? {
      hasFailed.load(ordering: .relaxed) ? nil : found.withLock { $0 }
    }
  }

  /// Runs SQLite's checks of the structure, the indexes and the foreign keys.
  private func checkStructure() throws {
    try transaction.database.forEach("PRAGMA integrity_check(\(Self.limit))") { row in
      let problem = try row.text(0)
      if problem != "ok" { report(problem) }
      return true
    }
    try transaction.database.forEach("PRAGMA foreign_key_check") { row in
      report("a row of \(try row.text(0)) refers to a missing \(try row.text(2))")
      return found.count < Self.limit
    }
    // Diple makes neither, and runs none. A repair leaves them out.
    try transaction.database.forEach(
      "SELECT type, name FROM sqlite_schema WHERE type IN ('trigger', 'view')"
    ) { row in
      report("the \(try row.text(0)) '\(try row.text(1))' is foreign")
      return found.count < Self.limit
    }
  }

  // MARK: - Records

  /// Compares each record with its operations. Operations, documents and highlights are each read
  /// once, in the order of the records' dots.
  private func checkRecords(_ sequences: ClosedRange<Int64>) throws {
    let bounds: Arguments = [sequences.lowerBound, sequences.upperBound]
    let operations = try OrderedOperations(of: transaction, on: sequences) { [unowned self] in
      report($0.description)
    }
    let documents = try OrderedRows(
      """
      SELECT \(Document.columns) FROM document d WHERE d.sequence BETWEEN ? AND ?
      ORDER BY d.sequence, d.replica
      """, bounds, key: 0, in: self, Document.init)
    let sources = try OrderedRows(
      """
      SELECT d.replica, d.sequence, s.variable, s.value FROM document d
      CROSS JOIN source s ON s.document = d.key
      WHERE d.sequence BETWEEN ? AND ? ORDER BY d.sequence, d.replica
      """, bounds, key: 0, in: self
    ) { row in
      var source = Source()
      try source.set(row, at: 2)
      return source
    }
    let facts = try facts.get()
    let (identities, properties) = (facts.identities, facts.properties)
    shared = facts.shared
    let highlights = try OrderedRows(
      """
      SELECT \(Highlight.columns([.digest, .tags])), h.origin_key
      FROM highlight h CROSS JOIN document d ON d.key = h.document
      WHERE h.sequence BETWEEN ? AND ? ORDER BY h.sequence, h.replica
      """, bounds, key: 0, in: self
    ) { row in
      let key = try row.ifPresent(Highlight.columnCount) { try row.text($0) }
      return (highlight: try Highlight(row), originKey: key)
    }
    while found.count < Self.limit,
      let key = [operations.key, documents.key, sources.key, highlights.key].compactMap(\.self)
        .min()
    {
      var record: RecordState?
      try operations.take(key) { operation in
        if !operation.isPossible(in: identities.replica) {
          report("operation \(operation.dot) has a value that Diple does not write")
        }
        if record == nil { record = RecordState(operation.record) }
        if operation.isReadable { record?.add(operation, isOwn: identities.made(operation.dot)) }
      }
      let document = try documents.take(key).first
      let source = try sources.take(key).reduce(Source()) { $0.completed(by: $1) }
      let highlight = try highlights.take(key).first
      let dot = key.dot
      switch record?.record {
      case .document(let id)?:
        compare(record!, id, document, source)
        if document != nil, record!.properties != properties[id] ?? [:] {
          report("a property of document \(id) differs from its operations")
        }
      case .highlight(let id)?:
        try compare(record!, id, highlight?.highlight, originKey: highlight?.originKey)
      case .library?: try compareLibrary(record!)
      case .other?, nil: break
      }
      let isBorn = record?.isBorn == true
      if let record, !isBorn, record.record != .library, record[.purged] == nil, document == nil,
        highlight == nil, identities.knows(dot)
      {
        report("operations change record \(dot), which was never created")
      }
      if document != nil, !isBorn { report("document \(dot) was never created by an operation") }
      if highlight != nil, !isBorn { report("highlight \(dot) was never created by an operation") }
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
    if found.path.string != expected.path {
      report("the path of document \(id) differs from its operations")
    }
    if found.title != expected.title {
      report("the title of document \(id) differs from its operations")
    }
    if (found.state == .removed) != expected.isRemoved {
      report("document \(id) should \(expected.isRemoved ? "" : "not ")be removed")
    }
    if record.source != source {
      report("the source of document \(id) differs from its operations")
    }
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
    func name(_ field: String) -> String {
      "the \(field) of highlight \(id) differs from its operations"
    }
    if found.document.dot != home { report(name("document")) }
    if let text = record.text(.color), let color = HighlightColor(rawValue: text),
      found.color != color
    {
      report(name("colour"))
    }
    if found.note != record.text(.note) ?? "" { report(name("note")) }
    if found.format != record.text(.format) { report(name("format")) }
    let origin = record.text(.origin)
    if let known = origin.flatMap({ StoredOrigin(text: $0).fullKey }) {
      if originKey != known { report(name("origin")) }
    } else if originKey != nil, origin == nil {
      report(name("origin"))
    }
    if var selector = record.selector {
      // Only the operation stores the prefix and the suffix.
      (selector.prefix, selector.suffix) = ("", "")
      if found.selector != selector { report(name("passage")) }
    } else if !found.selector.exact.isEmpty {
      // Another device may have sent no passage, or one that this version cannot read. Then the
      // highlight's passage must be empty.
      report(name("passage"))
    }
    if found.tags != record.tags {
      report("the tags of highlight \(id) differ from its operations")
    }
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
      report("a property of the library differs from its operations")
    }
    for (field, value) in record.values {
      guard case .text(let text) = value else { continue }
      if let color = field.labelled, labels[color] ?? "" != text {
        report("the name of \(color) differs from its operations")
      }
      if let query = field.query, queries[query] ?? "" != text {
        report("the saved query '\(query)' differs from its operations")
      }
    }
  }

  // MARK: - Texts and the journal

  /// Compares each stored text with its hash and with the ranges of the locations in it.
  private func checkTexts(_ rows: ClosedRange<Int64>) throws {
    let reader = StoredTextReader()
    try each(
      """
      SELECT s.size, s.data, NULL, s.digest, d.replica, d.sequence,
        (SELECT max(a.end) FROM highlight h JOIN anchor a ON a.highlight = h.key
         WHERE h.document = s.document AND a.digest = s.digest AND a.selector = h.selector),
        (SELECT max(h.end) FROM highlight h
         WHERE h.document = s.document AND h.text_digest = s.digest)
      FROM snapshot s CROSS JOIN document d ON d.key = s.document
      WHERE s.rowid BETWEEN ? AND ?
      """, [rows.lowerBound, rows.upperBound]
    ) { row in
      let name = "a text of document \(try row.dot(4))"
      let expected = try row.digest(3)
      let found = reader.withUTF8(of: try StoredText(row)) { text in
        (units: Self.utf16Count(of: text), isIts: digest.map { $0(text) == expected } ?? true)
      }
      guard let found else { return report("\(name) cannot be read") }
      if !found.isIts { report("\(name) differs from its hash") }
      let ends = [
        try row.ifPresent(6) { try row.count($0) }, try row.ifPresent(7) { try row.count($0) },
      ]
      if ends.contains(where: { ($0 ?? 0) > found.units }) {
        report("a highlight ends beyond \(name)")
      }
    }
  }

  /// Returns the number of UTF-16 units of valid UTF-8. O(bytes).
  static func utf16Count(of text: UnsafeBufferPointer<UInt8>) -> Int {
    var count = 0
    var start = 0
    // The counts of 16 KiB fit into 16 bits, so that the compiler can add eight or more at once.
    while start < text.count {
      let end = min(start + 1 << 14, text.count)
      var (continuations, pairs): (UInt16, UInt16) = (0, 0)
      for index in start..<end {
        let byte = text[index]
        // A scalar beyond the first plane has two units; the bytes after the first have none.
        continuations &+= byte & 0xC0 == 0x80 ? 1 : 0
        pairs &+= byte >= 0xF0 ? 1 : 0
      }
      count += end - start - Int(continuations) + Int(pairs)
      start = end
    }
    return count
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

  private func checkPlaces(_ highlights: ClosedRange<Int64>) throws {
    try each(
      "SELECT \(Anchor.columns), a.highlight FROM anchor a WHERE a.highlight BETWEEN ? AND ?",
      [highlights.lowerBound, highlights.upperBound]
    ) { _ = try Anchor($0, at: 0) }
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
  private func each(
    _ sql: String, _ arguments: Arguments = [], _ body: (DatabaseRow) throws -> Void
  ) throws {
    try transaction.database.forEach(sql, arguments) { row in
      do { try body(row) } catch let problem as BadValue { report(problem.description) }
      return found.count < Self.limit
    }
  }

  /// Reads rows in the order of the records to which they belong. Reports unreadable rows.
  private final class OrderedRows<Value> {
    private let rows: Database.Rows
    private let column: Int
    private let integrity: Integrity
    private let make: (DatabaseRow) throws -> Value?
    private var current: DatabaseRow?
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
      _ sql: String, _ arguments: Arguments, key column: Int, in integrity: Integrity,
      _ make: @escaping (DatabaseRow) throws -> Value?
    ) throws {
      rows = try integrity.transaction.database.rows(sql, arguments)
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
