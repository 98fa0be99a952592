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
  private let firstSequence: Int64
  private let startClock: Timestamp
  /// How this transaction is recorded in the journal.
  var step = JournalStep()
  /// The record that this transaction created last, and the key of its row.
  var newRecord: RecordReference?
  var newKey: Int64 = 0
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
    let found = try database.first("SELECT replica, sequence, clock FROM library") { row in
      (
        replica: ReplicaID(rawValue: try row.bits(0)), sequence: Int64(try row.count(1)),
        clock: try row.timestamp(2)
      )
    }
    guard let found else {
      throw StoreError.damaged(path: database.path, detail: "it has no identity")
    }
    (replica, sequence, clock) = found
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

  /// The group of this transaction's operations. A later transaction of the same step continues it.
  package var group: Int64 { step.group ?? firstSequence }

  // MARK: - Local operations

  /// Creates a record, whose identifier is that of the operation.
  private func create(
    _ value: Operation.Value, as record: (Dot) -> RecordReference
  ) throws -> Dot {
    let dot = nextDot()
    newRecord = record(dot)
    let operation = Operation(
      dot: dot, time: clock, group: group, record: record(dot), field: .created, value: value)
    outline.add(operation)
    try apply(operation)
    return dot
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
    if record != newRecord, let latest = try latestTime(of: field, on: record), latest >= time {
      time = Timestamp(packed: latest.packed + 1)
      advanceClock(beyond: time)
    }
    let replaced =
      field.keepsVersions && record != newRecord
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

  /// Creates a record that was made in another library at the given date.
  func adopt(
    _ value: Operation.Value, _ field: Operation.Field, at date: Date,
    as record: (Dot) -> RecordReference
  ) throws -> RecordReference {
    let dot = nextDot()
    let reference = record(dot)
    try apply(
      Operation(
        dot: dot, time: Self.time(date), group: group, record: reference, field: field, value: value
      ))
    return reference
  }

  /// Sets a field of a record that was made in another library, as of the given date.
  func adopt(
    _ record: RecordReference, _ field: Operation.Field, _ value: Operation.Value, at date: Date
  ) throws {
    try apply(
      Operation(
        dot: nextDot(), time: Self.time(date), group: group, record: record, field: field,
        value: value))
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

  /// Adds a document to the library, with the text of its file.
  ///
  /// - Throws: ``StoreError`` if the database cannot be written.
  package func createDocument(
    path: DocumentPath, title: String, revision: Revision, text: PreparedText
  ) throws -> Document {
    let dot = try create(.none) { .document(Document.ID($0)) }
    let id = Document.ID(dot)
    try change(.document(id), .path, to: .text(path.string))
    try change(.document(id), .title, to: .text(title))
    try setPresence(true, of: id)
    try store(revision, text, of: id)
    return Document(
      id: id, path: path, title: title, state: .present, created: wall, updated: wall)
  }

  /// Creates a highlight, with its location in the document's current text.
  ///
  /// - Throws: ``StoreError`` if the highlight cannot be stored.
  package func createHighlight(
    in document: Document.ID, selector: Selector, color: HighlightColor, note: String,
    tags: [String], origin: Origin? = nil, anchor: Anchor
  ) throws -> Highlight {
    let dot = try create(.reference(document.dot)) { .highlight(Highlight.ID($0)) }
    let id = Highlight.ID(dot)
    try change(.highlight(id), .selector, to: .selector(selector))
    try change(.highlight(id), .color, to: .text(color.rawValue))
    if !note.isEmpty { try change(.highlight(id), .note, to: .text(note)) }
    if let origin {
      try change(.highlight(id), .origin, to: .text(StoredOrigin(origin).text))
    }
    for tag in Set(tags).sorted() { try change(.highlight(id), .tag(tag), to: .flag(true)) }
    if let revision = try revision(of: document) {
      try store(
        [id: anchor], text: revision.textDigest, version: revision.renderVersion, of: document)
    }
    guard let highlight = try highlight(id) else {
      throw StoreError.other(path: "library", detail: "highlight \(id) was not stored")
    }
    return highlight
  }

  /// Creates a formatted passage, with its location in the document's current text.
  ///
  /// - Throws: ``StoreError`` if the database cannot be written.
  package func createFormat(
    _ format: String, in document: Document.ID, selector: Selector, anchor: Anchor
  ) throws -> Highlight.ID {
    let id = Highlight.ID(try create(.reference(document.dot)) { .highlight(Highlight.ID($0)) })
    try change(.highlight(id), .selector, to: .selector(selector))
    try change(.highlight(id), .format, to: .text(format))
    if let revision = try revision(of: document) {
      try store(
        [id: anchor], text: revision.textDigest, version: revision.renderVersion, of: document)
    }
    return id
  }

  /// Moves a highlight to another passage, in the same document or another one. Has no effect if
  /// the highlight does not exist.
  ///
  /// - Throws: `StoreError.damaged` if the highlight's row is damaged; another ``StoreError`` if
  ///   the database cannot be written.
  package func reattach(
    _ id: Highlight.ID, to selector: Selector, in document: Document.ID, anchor: Anchor
  ) throws {
    guard let old = try highlight(id) else { return }
    if old.document != document {
      try change(
        .highlight(id), .document, to: .reference(document.dot), from: .reference(old.document.dot))
    }
    try change(
      .highlight(id), .selector, to: .selector(selector), from: .selector(old.selector))
    if old.isDetached {
      try change(.highlight(id), .detached, to: .flag(false), from: .flag(true))
    }
    guard let revision = try revision(of: document) else { return }
    try store(
      [id: anchor], text: revision.textDigest, version: revision.renderVersion, of: document)
  }

  /// Marks a highlight as detached from its text. It keeps its locations in older texts in which it
  /// was located with certainty.
  ///
  /// - Returns: false if it is already detached or does not exist.
  /// - Throws: `StoreError.damaged` if the highlight's row is damaged; another ``StoreError`` if
  ///   the database cannot be written.
  package func detach(_ id: Highlight.ID) throws -> Bool {
    guard let old = try highlight(id), !old.isDetached else { return false }
    try change(.highlight(id), .detached, to: .flag(true), from: .flag(false))
    guard let revision = try revision(of: old.document) else { return true }
    try store(
      [id: .orphan], text: revision.textDigest, version: revision.renderVersion, of: old.document)
    return true
  }

  /// Sets the label of a colour in this library; an empty name deletes it.
  ///
  /// - Returns: false if the label is unchanged.
  /// - Throws: ``StoreError`` if the database cannot be written.
  package func setLabel(_ name: String, of color: HighlightColor) throws -> Bool {
    let old = try labels()[color] ?? ""
    guard old != name else { return false }
    try change(.library, .label(color), to: .text(name), from: .text(old))
    return true
  }

  /// Sets the colour of a highlight. Returns false if it is unchanged.
  ///
  /// - Throws: `StoreError.damaged` if the highlight's row is damaged; another ``StoreError`` if
  ///   the database cannot be written.
  package func setColor(_ color: HighlightColor, of id: Highlight.ID) throws -> Bool {
    guard let old = try highlight(id), old.color != color else { return false }
    try change(.highlight(id), .color, to: .text(color.rawValue), from: .text(old.color.rawValue))
    return true
  }

  /// Sets the note of a highlight. Returns false if it is unchanged.
  ///
  /// - Throws: `StoreError.damaged` if the highlight's row is damaged; another ``StoreError`` if
  ///   the database cannot be written.
  package func setNote(_ note: String, of id: Highlight.ID) throws -> Bool {
    guard let old = try highlight(id), old.note != note else { return false }
    try change(.highlight(id), .note, to: .text(note), from: .text(old.note))
    return true
  }

  /// Sets the application from which a highlight was imported. Returns false if it is unchanged.
  ///
  /// - Throws: `StoreError.damaged` if the highlight's row is damaged; another ``StoreError`` if
  ///   the database cannot be written.
  package func setOrigin(_ origin: Origin, of id: Highlight.ID) throws -> Bool {
    let new = StoredOrigin(origin)
    guard let old = try highlight(id), old.origin != new else { return false }
    try change(
      .highlight(id), .origin, to: .text(new.text), from: old.origin.map { .text($0.text) } ?? .none
    )
    return true
  }

  /// Adds a tag to a highlight or removes it. Returns false if that changes nothing.
  ///
  /// - Throws: `StoreError.damaged` if the highlight's row is damaged; another ``StoreError`` if
  ///   the database cannot be written.
  package func setTag(_ name: String, _ isOn: Bool, of id: Highlight.ID) throws -> Bool {
    guard let old = try highlight(id), old.tags.contains(name) != isOn else { return false }
    try change(.highlight(id), .tag(name), to: .flag(isOn), from: .flag(!isOn))
    return true
  }

  /// Moves a highlight to the trash or restores it. Returns false if that changes nothing.
  ///
  /// - Throws: `StoreError.damaged` if the highlight's row is damaged; another ``StoreError`` if
  ///   the database cannot be written.
  package func setTrashed(_ isTrashed: Bool, of id: Highlight.ID) throws -> Bool {
    guard let old = try highlight(id), old.isTrashed != isTrashed else { return false }
    try change(.highlight(id), .trashed, to: .flag(isTrashed), from: .flag(!isTrashed))
    return true
  }

  /// Removes a document or restores it. Returns false if that changes nothing.
  ///
  /// Its highlights are not changed: lists omit the highlights of removed documents.
  ///
  /// - Throws: `StoreError.damaged` if the document's row is damaged; another ``StoreError`` if the
  ///   database cannot be written.
  package func setTrashed(_ isTrashed: Bool, of id: Document.ID) throws -> Bool {
    guard let old = try document(id), (old.state == .removed) != isTrashed else { return false }
    try change(.document(id), .trashed, to: .flag(isTrashed), from: .flag(!isTrashed))
    return true
  }

  /// Deletes a highlight permanently.
  ///
  /// - Throws: ``StoreError`` if the database cannot be written.
  package func purge(_ id: Highlight.ID) throws {
    try change(.highlight(id), .purged, to: .flag(true), from: .flag(false))
  }

  /// Deletes a document permanently, with all of its known highlights. A highlight made on another
  /// device at the same time is kept.
  ///
  /// - Throws: ``StoreError`` if the database cannot be written.
  package func purge(_ id: Document.ID) throws {
    for highlight in try highlights(
      HighlightFilter(documents: [id], trash: .included, kind: .all))
    {
      try purge(highlight.id)
    }
    try change(.document(id), .purged, to: .flag(true), from: .flag(false))
  }

  /// Sets the title of a document. Returns false if it is unchanged.
  ///
  /// - Throws: `StoreError.damaged` if the document's row is damaged; another ``StoreError`` if the
  ///   database cannot be written.
  package func setTitle(_ title: String, of id: Document.ID) throws -> Bool {
    guard let old = try document(id), old.title != title else { return false }
    try change(.document(id), .title, to: .text(title), from: .text(old.title))
    return true
  }

  /// Sets the path of a document's file. Returns false if it is unchanged.
  ///
  /// - Throws: `StoreError.damaged` if the document's row is damaged; another ``StoreError`` if the
  ///   database cannot be written.
  package func setPath(_ path: DocumentPath, of id: Document.ID) throws -> Bool {
    guard let old = try document(id), old.path != path else { return false }
    try change(.document(id), .path, to: .text(path.string), from: .text(old.path.string))
    return true
  }
}
