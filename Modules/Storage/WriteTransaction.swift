import FoundationEssentials
package import Model

/// One transaction that changes the database. What a person changes becomes operations, which are
/// stored and applied here and nowhere else.
package final class WriteTransaction: ReadTransaction {
  let wall: Date
  let replica: ReplicaID
  private var sequence: Int64
  private var clock: Timestamp
  private let firstSequence: Int64
  private let startClock: Timestamp
  /// What this transaction is in the journal.
  var step = JournalStep()
  /// The record that was made here last, and the number of its row.
  var newRecord: RecordReference?
  var newKey: Int64 = 0
  /// The rows of documents whose aliases changed, until `regroupPending`.
  var ungrouped: Set<Int64> = []
  /// What the operations made here add up to; after the end, those of earlier transactions of the same
  /// step too.
  package internal(set) var outline = StepOutline()
  /// Makes index terms; its memory serves all texts of the transaction.
  lazy var indexTerms = IndexTerms()
  /// The longest text that is indexed here, in bytes.
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

  /// Leaves texts of more than so many bytes out of the index, until a search puts them in.
  package func limitIndexing(toTextsOf bytes: Int) { indexedTextLimit = bytes }

  /// Stores the clock with the operations that it stamped.
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

  /// The group of the operations made here: what a later transaction of the same step goes on with.
  package var group: Int64 { step.group ?? firstSequence }

  // MARK: - Local operations

  /// Records and applies the birth of a record, which takes its identity from the operation.
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

  /// Records and applies a change that a person makes here to one field.
  func change(
    _ record: RecordReference, _ field: Operation.Field, to value: Operation.Value,
    from previous: Operation.Value = .none, replacing known: [Dot]? = nil
  ) throws {
    let dot = nextDot()
    // A field that was written by a clock ahead of ours can still be overwritten by who sees it. One
    // that is far ahead is not taken on: what else is done here has the time of this machine.
    var time = clock
    if record != newRecord, let latest = try latestTime(of: field, on: record), latest >= time {
      time = Timestamp(packed: latest.packed + 1)
      advanceClock(beyond: time)
    }
    let replaced =
      field.keepsVersions && record != newRecord
      ? try known ?? holder(of: field, on: record).map { [$0.dot] } ?? [] : []
    let operation = Operation(
      dot: dot, time: time, group: group, record: record, field: field, value: value,
      previous: previous, basis: replaced)
    outline.add(operation)
    try apply(operation)
    if !replaced.isEmpty { try checkNoteVersions(of: record) }
  }

  /// Goes on beyond what another replica's clock said, unless that is too far ahead.
  package func advanceClock(beyond time: Timestamp) {
    if time > clock, time.milliseconds <= wall.milliseconds + Timestamp.tolerance { clock = time }
  }

  /// Records and applies the birth of a record that was made elsewhere at some time.
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

  /// Records and applies what somebody said of such a record at some time.
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

  /// The next operation's name; the clock goes on with it.
  private func nextDot() -> Dot {
    sequence += 1
    clock = clock.next(wallMilliseconds: wall.milliseconds)
    return Dot(replica: replica, sequence: sequence)
  }

  /// Brings a document into the library with the text that was seen of it.
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

  /// Makes a highlight, with its place in the document's present text.
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

  /// Makes a formatted passage, with its place in the document's present text.
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

  /// Says where a highlight stands from now on: other words, in this document or another one.
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

  /// Says that a highlight's passage is gone; in texts in which it surely had a place it keeps it.
  /// False when that was said already.
  package func detach(_ id: Highlight.ID) throws -> Bool {
    guard let old = try highlight(id), !old.isDetached else { return false }
    try change(.highlight(id), .detached, to: .flag(true), from: .flag(false))
    guard let revision = try revision(of: old.document) else { return true }
    try store(
      [id: .orphan], text: revision.textDigest, version: revision.renderVersion, of: old.document)
    return true
  }

  /// Says what a colour means in this library; empty takes it back. False when it means that
  /// already.
  package func setLabel(_ name: String, of color: HighlightColor) throws -> Bool {
    let old = try labels()[color] ?? ""
    guard old != name else { return false }
    try change(.library, .label(color), to: .text(name), from: .text(old))
    return true
  }

  /// Gives a highlight a colour. False when it has it already.
  package func setColor(_ color: HighlightColor, of id: Highlight.ID) throws -> Bool {
    guard let old = try highlight(id), old.color != color else { return false }
    try change(.highlight(id), .color, to: .text(color.rawValue), from: .text(old.color.rawValue))
    return true
  }

  /// Gives a highlight a note. False when it has it already.
  package func setNote(_ note: String, of id: Highlight.ID) throws -> Bool {
    guard let old = try highlight(id), old.note != note else { return false }
    try change(.highlight(id), .note, to: .text(note), from: .text(old.note))
    return true
  }

  /// Says where a highlight was imported from. False when that is said already.
  package func setOrigin(_ origin: Origin, of id: Highlight.ID) throws -> Bool {
    let new = StoredOrigin(origin)
    guard let old = try highlight(id), old.origin != new else { return false }
    try change(
      .highlight(id), .origin, to: .text(new.text), from: old.origin.map { .text($0.text) } ?? .none
    )
    return true
  }

  /// Puts a tag on a highlight or takes it off. False when that changes nothing.
  package func setTag(_ name: String, _ isOn: Bool, of id: Highlight.ID) throws -> Bool {
    guard let old = try highlight(id), old.tags.contains(name) != isOn else { return false }
    try change(.highlight(id), .tag(name), to: .flag(isOn), from: .flag(!isOn))
    return true
  }

  /// Puts a highlight into the trash or takes it out. False when it is there already.
  package func setTrashed(_ isTrashed: Bool, of id: Highlight.ID) throws -> Bool {
    guard let old = try highlight(id), old.isTrashed != isTrashed else { return false }
    try change(.highlight(id), .trashed, to: .flag(isTrashed), from: .flag(!isTrashed))
    return true
  }

  /// Removes a document or brings it back; its highlights go and come with it, because live lists
  /// leave out those of removed documents. False when that changes nothing.
  package func setTrashed(_ isTrashed: Bool, of id: Document.ID) throws -> Bool {
    guard let old = try document(id), (old.state == .removed) != isTrashed else { return false }
    try change(.document(id), .trashed, to: .flag(isTrashed), from: .flag(!isTrashed))
    return true
  }

  /// Takes a highlight away for good.
  package func purge(_ id: Highlight.ID) throws {
    try change(.highlight(id), .purged, to: .flag(true), from: .flag(false))
  }

  /// Takes a document away for good, and the highlights that are known to be in it: one that is made
  /// elsewhere at the same time stays.
  package func purge(_ id: Document.ID) throws {
    for highlight in try highlights(
      HighlightFilter(documents: [id], trash: .included, kind: .all))
    {
      try purge(highlight.id)
    }
    try change(.document(id), .purged, to: .flag(true), from: .flag(false))
  }

  /// Gives a document a title. False when it has it already.
  package func setTitle(_ title: String, of id: Document.ID) throws -> Bool {
    guard let old = try document(id), old.title != title else { return false }
    try change(.document(id), .title, to: .text(title), from: .text(old.title))
    return true
  }

  /// Says where a document's file stands. False when it stands there already.
  package func setPath(_ path: DocumentPath, of id: Document.ID) throws -> Bool {
    guard let old = try document(id), old.path != path else { return false }
    try change(.document(id), .path, to: .text(path.string), from: .text(old.path.string))
    return true
  }
}
