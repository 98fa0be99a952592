import FoundationEssentials
package import Model

/// A transaction that changes the database.
///
/// User actions become operations, which only this class records and applies. Its functions throw
/// `SQLiteError` and `BadValue`. ``Store`` converts both to ``StoreError``, which their
/// documentation names.
package final class WriteTransaction: ReadTransaction {
  let wall: Date
  let replica: ReplicaID
  private var sequence: Int64
  private var clock: Timestamp
  /// The greatest numbers that were given to records.
  private var numbers: [NumberedRecord: Int]
  private let firstNumbers: [NumberedRecord: Int]
  /// The kinds of records whose greatest number was compared with their rows.
  private var comparedNumbers: Set<NumberedRecord> = []
  private let firstSequence: Int64
  private let startClock: Timestamp
  /// How this transaction is recorded in the journal.
  var step = JournalStep()
  /// The number of operations that were merged.
  var mergedCount = 0
  /// The places of documents in which a merge has created highlights, by their dots.
  var homes: [Dot: HomePlace] = [:]
  /// The keys of documents whose aliases changed and that ``regroupPending()`` has yet to process.
  var ungrouped: Set<Int64> = []
  /// The summary of this transaction's operations. After the transaction it includes earlier
  /// transactions of the same step.
  package internal(set) var outline = StepOutline()
  /// Generates index terms, in the same memory for all texts of the transaction.
  lazy var indexTerms = IndexTerms()
  /// The maximum length in bytes of a text that this transaction indexes.
  private(set) var indexedTextLimit = Int.max

  init(_ database: Database, now: Date) throws {
    wall = now
    let found = try database.first(
      "SELECT replica, sequence, clock, documents, highlights FROM library"
    ) { row in
      (
        replica: ReplicaID(rawValue: try row.bits(0)), sequence: Int64(try row.count(1)),
        clock: try row.timestamp(2),
        numbers: [NumberedRecord.document: try row.count(3), .highlight: try row.count(4)]
      )
    }
    guard let found else {
      throw StoreError.damaged(path: database.path, detail: "it has no identity")
    }
    (replica, sequence, clock, numbers) = found
    firstNumbers = numbers
    firstSequence = sequence + 1
    startClock = clock
    super.init(database)
  }

  func execute(_ sql: String, _ arguments: Arguments = []) throws {
    try database.execute(sql, arguments)
  }

  /// Excludes texts of more than `bytes` bytes from indexing. The next search indexes them.
  package func limitIndexing(toTextsOf bytes: Int) { indexedTextLimit = bytes }

  /// Stores the sequence number and the clock, and records the step.
  func finish() throws {
    if numbers != firstNumbers {
      try execute(
        "UPDATE library SET documents = ?, highlights = ?",
        [numbers[.document], numbers[.highlight]])
    }
    guard sequence >= firstSequence else {
      if clock > startClock {
        try execute("UPDATE library SET clock = ?", [clock.packed])
      }
      return
    }
    try execute(
      "UPDATE library SET sequence = ?, clock = ?", [sequence, clock.packed])
    try recordStep(group: group, last: sequence)
  }

  /// The greatest identifiers that were given to operations and records.
  package struct GivenIdentifiers: Sendable {
    fileprivate var sequence: Int64
    fileprivate var numbers: [NumberedRecord: Int]
  }

  /// The greatest identifiers that this transaction, or an earlier one, has given.
  package var given: GivenIdentifiers { GivenIdentifiers(sequence: sequence, numbers: numbers) }

  /// Gives identifiers after those of a transaction that was rolled back. For a dry run of several
  /// transactions, whose records then have the identifiers that a real run would give.
  package func follow(_ earlier: GivenIdentifiers) {
    sequence = max(sequence, earlier.sequence)
    numbers.merge(earlier.numbers, uniquingKeysWith: max)
  }

  /// The group of this transaction's operations. A later transaction of the same step continues it.
  package var group: Int64 { step.group ?? firstSequence }

  // MARK: - Local operations

  /// Creates a record. Its identifier is that of the first operation.
  ///
  /// - Parameters:
  ///   - value: the value of the creation: the document of a highlight, or `none`.
  ///   - fields: the values of the record's fields, each field once.
  ///   - dates: the dates of a record that was made in another library; nil for a new one, which
  ///     the journal lists.
  ///   - record: returns the record with an identifier.
  /// - Returns: the identifier.
  func create(
    _ value: Operation.Value, _ fields: [(Operation.Field, Operation.Value)],
    madeElsewhere dates: (created: Date, updated: Date)? = nil,
    as record: (Dot) -> RecordReference
  ) throws -> Dot {
    var operations: [Operation] = []
    let values: [(Operation.Field, Operation.Value)] = [(.created, value)] + fields
    for (field, value) in values {
      let dot = nextDot()
      let date = field == .created ? dates?.created : dates?.updated
      let operation = Operation(
        dot: dot, time: date.map(Self.time) ?? clock, group: group,
        record: operations.first?.record ?? record(dot), field: field, value: value)
      if dates == nil { outline.add(operation) }
      _ = try insert(operation)
      operations.append(operation)
    }
    _ = try insertRow(of: operations[0], Winners(operations))
    try regroupPending()
    return operations[0].dot
  }

  /// Records and applies a user's change to one field.
  ///
  /// - Parameters:
  ///   - record: the record to change.
  ///   - field: the field to set.
  ///   - value: the new value.
  ///   - previous: the current value, for undo; `none` if it cannot be undone.
  ///   - known: the versions that the change replaces; nil for the current version.
  func change(
    _ record: RecordReference, _ field: Operation.Field, to value: Operation.Value,
    from previous: Operation.Value = .none, replacing known: [Dot]? = nil
  ) throws {
    let dot = nextDot()
    // A field written by a device whose clock is ahead must remain writable, so this operation gets
    // a later time. The clock itself follows only if the difference is small; other operations keep
    // the time of this device.
    var time = clock
    if let latest = try latestTime(of: field, on: record), latest >= time {
      time = Timestamp(packed: latest.packed + 1)
      advanceClock(beyond: time)
    }
    let replaced =
      field.keepsVersions
      ? try known ?? currentOperation(of: field, on: record).map { [$0.dot] } ?? [] : []
    let operation = Operation(
      dot: dot, time: time, group: group, record: record, field: field, value: value,
      previous: previous, basis: replaced)
    outline.add(operation)
    try apply(operation)
    if !replaced.isEmpty { try checkNoteVersions(of: record) }
  }

  /// Advances the clock to a time of another replica, unless that is too far in the future.
  package func advanceClock(beyond time: Timestamp) {
    if time > clock, time.milliseconds <= wall.milliseconds + Timestamp.tolerance { clock = time }
  }

  private static func time(_ date: Date) -> Timestamp {
    Timestamp(milliseconds: min(max(0, date.milliseconds), 1 << 47 - 1))
  }

  /// Returns the identifier of the next operation, and advances the clock.
  private func nextDot() -> Dot {
    sequence += 1
    clock = clock.next(wallMilliseconds: wall.milliseconds)
    return Dot(replica: replica, sequence: sequence)
  }

  /// Returns the number for the next row of a kind; nil if the row has a known key, because a repair
  /// gives these rows their former numbers. Once the row is stored, the number must be added to
  /// `numbers`.
  private func nextNumber(of kind: NumberedRecord, key: Int64?) throws -> Int? {
    guard key == nil else { return nil }
    // With a counter that is too low, a new row would be ignored, because another has its number.
    if comparedNumbers.insert(kind).inserted {
      // The condition is that of the index, which SQLite would not use without it.
      let greatest = try first("SELECT max(number) FROM \(kind) WHERE number IS NOT NULL") { row in
        try row.ifPresent(0) { try row.count($0) }
      }
      numbers[kind] = max(numbers[kind] ?? 0, (greatest ?? nil) ?? 0)
    }
    return (numbers[kind] ?? 0) + 1
  }

  /// Returns a new number for a row of a kind.
  func takeNumber(of kind: NumberedRecord) throws -> Int? {
    numbers[kind] = try nextNumber(of: kind, key: nil)
    return numbers[kind]
  }

  /// Adds a document to the library, with the text of its file, and returns it.
  ///
  /// - Throws: ``StoreError`` if the database cannot be written.
  package func createDocument(
    path: DocumentPath, title: String, revision: Revision, text: PreparedText
  ) throws -> Document {
    let id = Document.ID(
      try create(.none, [(.path, .text(path.string)), (.title, .text(title))]) {
        .document(Document.ID($0))
      })
    try setPresence(true, of: id)
    try store(revision, text, of: id)
    var document = Document(
      id: id, path: path, title: title, state: .present, created: wall, updated: wall)
    document.number = numbers[.document]
    return document
  }

  /// Creates a highlight, with its location in the document's current text, and returns it.
  ///
  /// - Throws: ``StoreError`` if the highlight cannot be stored.
  package func createHighlight(
    in document: Document.ID, selector: Selector, color: HighlightColor, note: String,
    tags: [String], origin: Origin? = nil, anchor: Anchor
  ) throws -> Highlight {
    var fields: [(Operation.Field, Operation.Value)] = [
      (.selector, .selector(selector)), (.color, .text(color.rawValue)),
    ]
    if !note.isEmpty { fields.append((.note, .text(note))) }
    if let origin { fields.append((.origin, .text(StoredOrigin(origin).text))) }
    fields += Set(tags).sorted().map { (.tag($0), .flag(true)) }
    let id = Highlight.ID(
      try create(.reference(document.dot), fields) { .highlight(Highlight.ID($0)) })
    if let revision = try revision(of: document) {
      try store(
        [id: anchor], text: revision.textDigest, version: revision.renderVersion, of: document)
    }
    guard let highlight = try highlight(id) else {
      throw StoreError.other(path: "library", detail: "highlight \(id) was not stored")
    }
    return highlight
  }
}

extension WriteTransaction {
  /// Stores an operation and updates its record. Does nothing if the operation is already stored.
  ///
  /// Operations of this replica and of others can be applied in any order: the current operation of
  /// a field is the one with the greatest (time, replica, sequence).
  ///
  /// - Parameters:
  ///   - operation: the operation to apply.
  ///   - key: the key of the row if the operation creates a record; nil for the next free key.
  /// - Throws: ``StoreError`` if the database cannot be written.
  package func apply(_ operation: Operation, key: Int64? = nil) throws {
    guard try insert(operation) else { return }
    try settle(operation, key: key)
    try regroupPending()
  }

  private static let insertion = """
    INSERT OR IGNORE INTO operation (\(Operation.columns))
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """

  /// Stores an operation. Returns false if it is already stored.
  func insert(_ operation: Operation) throws -> Bool {
    try database.execute(Self.insertion) { (parameters) throws in
      try parameters.bind(operation.dot.storedReplica)
      try parameters.bind(operation.dot.sequence)
      try parameters.bind(operation.time.packed)
      try parameters.bind(operation.group)
      try parameters.bind(operation.record.storedKind)
      try parameters.bind(operation.record.dot.storedReplica)
      try parameters.bind(operation.record.dot.sequence)
      try parameters.bind(operation.field.rawValue)
      try parameters.bind(database.coder.stored(operation.value, of: operation.field))
      try parameters.bind(database.coder.stored(operation.previous, of: operation.field))
      try parameters.bind(
        operation.basis.isEmpty ? nil : OperationCoder.packed(operation.basis))
    }
    return database.changesCount > 0
  }

  /// Updates the record of a stored operation.
  ///
  /// - Parameters:
  ///   - operation: the stored operation.
  ///   - key: the key of the row if the operation creates a record; nil for the next free key. With
  ///     a key, highlights that wait for the document are not created.
  func settle(_ operation: Operation, key: Int64? = nil) throws {
    let record = operation.record
    if operation.field != .purged, try isPurged(record) { return try purge(record) }
    if operation.field == .created {
      // Apply the changes of the record that arrived before its creation.
      _ = try insertRow(of: operation, Winners(of: try operations(on: record)), key: key)
      guard case .document(let id) = record else { return }
      if let key = try documentKey(id) { try projectPath(of: id, key: key) }
    } else if operation.field == .path, case .document(let id) = record {
      // Each device has a separate path for the document.
      if let key = try documentKey(id) { try projectPath(of: id, key: key) }
    } else if operation.isReadable, try holds(operation) {
      try project(operation)
    }
  }

  private func holds(_ operation: Operation) throws -> Bool {
    try first(
      """
      SELECT 1 FROM \(Operation.changes(of: "?1", "?2"))
      WHERE field = ?3 AND (time, replica, sequence) > (?4, ?5, ?6) AND \(Operation.isReadable)
      LIMIT 1
      """,
      [
        operation.record.dot.sequence, operation.record.dot.storedReplica,
        operation.field.rawValue, operation.time.packed, operation.dot.storedReplica,
        operation.dot.sequence,
      ]
    ) { _ in true } == nil
  }

  /// Creates the row of a record, which must not be purged. A highlight of an unknown document waits
  /// for it. A record that was renamed (``rename(_:after:to:)``) can have a row already, which then
  /// gets the values of all stored operations.
  ///
  /// - Parameters:
  ///   - birth: the operation that creates the record.
  ///   - winners: the current operations of the record.
  ///   - known: the place of a highlight's document; nil if it must be looked up.
  ///   - key: the key of the row; nil for the next free key. With a key, highlights that wait for
  ///     the document are not created.
  /// - Returns: the document in which the record is shown, if this function created its row.
  func insertRow(
    of birth: Operation, _ winners: Winners, at known: HomePlace? = nil, key: Int64? = nil
  ) throws -> Document.ID? {
    var latest = birth.time
    for operation in winners.list { latest = max(latest, operation.time) }
    switch birth.record {
    case .document(let id):
      let number = try nextNumber(of: .document, key: key)
      try execute(
        """
        INSERT OR IGNORE INTO document (key, replica, sequence, path, title, trashed, created,
          updated, bound, number)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        [
          key, id.dot.storedReplica, id.dot.sequence, winners[.path]?.textValue ?? "",
          winners[.title]?.textValue ?? "", winners[.trashed]?.value == .flag(true),
          birth.time.milliseconds, latest.milliseconds,
          try winners[.path].map { try isOwn($0.dot) } ?? false, number,
        ])
      let isNew = database.changesCount > 0
      if isNew {
        let row = database.lastInsertedRowID
        if let number { numbers[.document] = number }
        for operation in winners.list
        where ![.created, .path, .title, .trashed].contains(operation.field) {
          try project(operation, key: row)
        }
      } else {
        try projectAll(birth.record)
      }
      try expectAliases(of: id)
      if key == nil { try createWaitingHighlights(of: id) }
      return isNew ? id : nil
    case .highlight(let id):
      guard case .reference(let home) = birth.value else { return nil }
      guard let place = try known ?? homePlace(Document.ID(home)) else {
        try execute(
          """
          INSERT OR IGNORE INTO waiting (document_sequence, document_replica, sequence, replica)
          VALUES (?, ?, ?, ?)
          """, [home.sequence, home.storedReplica, id.dot.sequence, id.dot.storedReplica])
        return nil
      }
      let color = winners[.color]?.textValue.flatMap(HighlightColor.init(rawValue:))
      let selector =
        if case .selector(let selector)? = winners[.selector]?.value { selector } else {
          Selector?.none
        }
      let number = try winners[.format] == nil ? nextNumber(of: .highlight, key: key) : nil
      try execute(
        """
        INSERT OR IGNORE INTO highlight (key, replica, sequence, document, home, color, note,
          trashed, detached, created, updated, exact, start, end, text_digest, render_version,
          selector, format, number)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        [
          key, id.dot.storedReplica, id.dot.sequence, place.document, place.home,
          (color ?? .yellow).rawValue, winners[.note]?.textValue ?? "",
          winners[.trashed]?.value == .flag(true), winners[.detached]?.value == .flag(true),
          birth.time.milliseconds, latest.milliseconds, selector?.exact ?? "",
          selector?.position.utf16.lowerBound ?? 0, selector?.position.utf16.upperBound ?? 0,
          selector?.textDigest?.bytes, selector?.renderVersion ?? 0, selector?.storedHash ?? 0,
          winners[.format]?.textValue, number,
        ])
      guard database.changesCount > 0 else {
        try projectAll(birth.record)
        return nil
      }
      let row = database.lastInsertedRowID
      if let number { numbers[.highlight] = number }
      var isMoved = false
      for operation in winners.list
      where operation.field.tag != nil || operation.field == .origin || operation.field == .document
      {
        try project(operation, key: row)
        isMoved = isMoved || operation.field == .document
      }
      return isMoved ? nil : place.shown
    case .library, .other: return nil
    }
  }

  /// Writes the values of all stored operations on a record to its row, the current values last.
  private func projectAll(_ record: RecordReference) throws {
    for operation in try operations(on: record)
    where operation.field != .created && operation.isReadable {
      try project(operation)
    }
  }

  /// Returns whether a record was purged, by an operation that is stored in this library.
  ///
  /// - Throws: `StoreError.damaged` if the operation is damaged; another ``StoreError`` if the
  ///   database cannot be read.
  package func isPurged(_ record: RecordReference) throws -> Bool {
    try latestTime(of: .purged, on: record) != nil
  }

  /// Purges a record: deletes its row and the values of its operations. The operations themselves
  /// are kept, because each replica's operations are numbered without gaps.
  func purge(_ record: RecordReference) throws {
    switch record {
    case .document(let id): try purgeRow(of: id)
    case .highlight(let id): try purgeRow(of: id)
    case .library, .other: return
    }
    try execute(
      """
      UPDATE operation SET value = NULL, previous = NULL
      WHERE (sequence, replica) IN (
        SELECT sequence, replica FROM \(Operation.changes(of: "?1", "?2")) WHERE field <> 'purged')
      """, [record.dot.sequence, record.dot.storedReplica])
  }

  func createWaitingHighlights(of document: Document.ID) throws {
    let arguments: Arguments = [document.dot.sequence, document.dot.storedReplica]
    let waiting = try list(
      "SELECT replica, sequence FROM waiting WHERE document_sequence = ? AND document_replica = ?",
      arguments
    ) { Highlight.ID(try $0.dot(0)) }
    guard !waiting.isEmpty else { return }
    try execute(
      "DELETE FROM waiting WHERE document_sequence = ? AND document_replica = ?", arguments)
    for id in waiting {
      let operations = try operations(on: .highlight(id))
      guard let birth = operations.first(where: { $0.field == .created }) else {
        try projectAll(.highlight(id))
        continue
      }
      if operations.contains(where: { $0.field == .purged }) { continue }
      _ = try insertRow(of: birth, Winners(of: operations))
    }
  }

  func documentKey(_ id: Document.ID) throws -> Int64? {
    try first(
      "SELECT key FROM document WHERE sequence = ? AND replica = ?",
      [id.dot.sequence, id.dot.storedReplica]
    ) { try $0.integer(0) }
  }

  func highlightKey(_ id: Highlight.ID) throws -> Int64? {
    try first(
      "SELECT key FROM highlight WHERE sequence = ? AND replica = ?",
      [id.dot.sequence, id.dot.storedReplica]
    ) { try $0.integer(0) }
  }

  /// Writes an operation's value to the record's row. Fields that this version of Diple does not
  /// know are ignored; their operations stay stored.
  ///
  /// - Parameter row: the key of the row; nil if it must be looked up.
  func project(_ operation: Operation, key row: Int64? = nil) throws {
    let time = operation.time.milliseconds
    if operation.field == .purged { return try purge(operation.record) }
    switch operation.record {
    case .document(let id):
      guard let key = try row ?? documentKey(id) else { return }
      switch (operation.field, operation.value) {
      case (.path, .text): try projectPath(of: id, key: key)
      case (.title, .text(let title)):
        try execute("UPDATE document SET title = ? WHERE key = ?", [title, key])
      case (.trashed, .flag(let isTrashed)):
        try execute(
          "UPDATE document SET trashed = (? OR alias IS NOT NULL) WHERE key = ?", [isTrashed, key])
      default:
        if let other = operation.field.alias, case .flag(let isSame) = operation.value {
          try projectAlias(other, isSame, document: key)
        } else if let variable = operation.field.source {
          try projectSource(variable, operation.value, document: key)
        } else if let property = operation.field.property {
          try projectProperty(property, operation.value, document: key)
        }
      }
      try touch("document", key, time)
    case .highlight(let id):
      guard let key = try row ?? highlightKey(id) else { return }
      try project(operation.field, operation.value, highlight: key, time)
    case .library:
      guard case .text(let text) = operation.value else { return }
      if let color = operation.field.labelled {
        try execute(
          "INSERT OR REPLACE INTO color_label (color, name) VALUES (?, ?)", [color.rawValue, text])
      } else if let name = operation.field.query {
        try execute("INSERT OR REPLACE INTO saved_query (name, value) VALUES (?, ?)", [name, text])
      } else if let property = operation.field.property {
        try projectProperty(property, operation.value, document: nil)
      }
    case .other: break
    }
  }

  /// Updates the date of a record's last change, unless it is later already.
  private func touch(_ table: String, _ key: Int64, _ time: Int64) throws {
    try execute("UPDATE \(table) SET updated = max(updated, ?) WHERE key = ?", [time, key])
  }

  private func project(
    _ field: Operation.Field, _ value: Operation.Value, highlight key: Int64, _ time: Int64
  ) throws {
    func set(_ column: String) throws {
      try execute(
        "UPDATE highlight SET \(column) = ?, updated = max(updated, ?) WHERE key = ?",
        [value.column, time, key])
    }
    switch (field, value) {
    // A colour that only a newer version of Diple knows is not written to the row.
    case (.color, .text(let text)) where HighlightColor(rawValue: text) != nil: try set("color")
    case (.note, .text): try set("note")
    case (.format, .text): try set("format")
    case (.origin, .text(let text)):
      // The same applies to an origin that only a newer version can read.
      guard let origin = StoredOrigin(text: text).origin else {
        return try touch("highlight", key, time)
      }
      try execute(
        """
        UPDATE highlight SET origin_key = ?, updated = max(updated, ?) WHERE key = ?
        """, [origin.fullKey, time, key])
    case (.trashed, .flag): try set("trashed")
    case (.detached, .flag): try set("detached")
    case (.document, .reference(let dot)):
      try touch("highlight", key, time)
      guard let place = try homePlace(Document.ID(dot)) else {
        // The highlight moves when the document arrives.
        try execute(
          """
          INSERT OR IGNORE INTO waiting (document_sequence, document_replica, sequence, replica)
          SELECT ?, ?, sequence, replica FROM highlight WHERE key = ?
          """, [dot.sequence, dot.storedReplica, key])
        return
      }
      let old = try first(
        """
        SELECT d.replica, d.sequence FROM highlight h
        JOIN document d ON d.key = coalesce(h.home, h.document) WHERE h.key = ?
        """, [key]
      ) { Document.ID(try $0.dot(0)) }
      try execute(
        "UPDATE highlight SET document = ?, home = ? WHERE key = ?",
        [place.document, place.home, key])
      // The highlight may have been the last one of a purged document.
      if let old, old.dot != dot, try isPurged(.document(old)) { try purgeRow(of: old) }
    case (.selector, .selector(let selector)):
      // The stored locations belong to the old selector. They are valid again if it is restored.
      try execute(
        """
        UPDATE highlight SET exact = ?, start = ?, end = ?, text_digest = ?, render_version = ?,
          selector = ?, updated = max(updated, ?)
        WHERE key = ?
        """,
        [
          selector.exact, selector.position.utf16.lowerBound, selector.position.utf16.upperBound,
          selector.textDigest?.bytes, selector.renderVersion, selector.storedHash, time, key,
        ])
    case (_, .flag(let isOn)):
      try touch("highlight", key, time)
      guard let tag = field.tag else { return }
      if isOn {
        try execute("INSERT OR IGNORE INTO tag (highlight, name) VALUES (?, ?)", [key, tag])
      } else {
        try execute("DELETE FROM tag WHERE highlight = ? AND name = ?", [key, tag])
      }
    default: try touch("highlight", key, time)
    }
  }
}

/// The current operation of each field of one record.
struct Winners {
  /// The operations, in the order of their fields.
  private(set) var list: [Operation] = []

  /// Selects the current operations of a record from all of them, in any order.
  init(of operations: [Operation]) {
    self.init(operations.sorted { $0.isSettledBefore($1) })
  }

  /// Selects the current operations.
  ///
  /// - Parameter operations: operations in the order of ``Operation/isSettledBefore(_:)``, or one
  ///   for each field.
  init(_ operations: some Sequence<Operation>) {
    for operation in operations where operation.isReadable {
      if let last = list.last, last.field.isSame(as: operation.field) {
        list[list.count - 1] = operation
      } else {
        list.append(operation)
      }
    }
  }

  subscript(field: Operation.Field) -> Operation? { list.first { $0.field == field } }
}

extension Operation.Value {
  /// The value of a text or flag column; nil for other values.
  fileprivate var column: (any Bindable)? {
    switch self {
    case .text(let text): text
    case .flag(let flag): flag
    default: nil
    }
  }
}
