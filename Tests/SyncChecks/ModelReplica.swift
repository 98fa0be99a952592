import Model

/// A rule that is broken deliberately, to test that the checks detect it.
package enum Breakage: String, CaseIterable, Sendable {
  /// Of two operations with the same time, the later arrival wins.
  case tieByArrival
  /// The operation that arrives last wins, whatever its time.
  case lastArrivalHolds
  /// A purge is forgotten if the record's creation is not known yet.
  case purgeForgotten
  /// A creation that arrives after the purge restores the record.
  case lateBirthRevives
  /// A change of a purged record restores it.
  case changeRevives
  /// Only the winning note is kept.
  case otherNoteDropped
  /// A tag cannot be removed.
  case tagAlwaysStays
  /// After a crash the clock starts again.
  case clockNotPersisted
  /// The clock does not advance beyond the times of others.
  case clockIgnoresOthers
  /// An alias is forgotten if one of the two documents is not known yet.
  case aliasForgotten
  /// A snapshot contains only the winning note.
  case snapshotWithoutNotes
  /// Operations that a crash discarded are sent.
  case crashIsSent
}

/// A replica in a few dictionaries, which can break a rule.
final class ModelReplica: CheckedReplica {
  let id: ReplicaID
  var wall: Int64 = 0
  private let breakage: Breakage?
  private var clock = Timestamp(packed: 0)
  private var log: [Operation] = []
  private var known: Set<Dot> = []
  private var records: [RecordReference: SaidOfRecord] = [:]
  private var undoable: [[(operation: Operation, previous: Operation.Value)]] = []

  init(id: ReplicaID, breakage: Breakage?) { (self.id, self.breakage) = (id, breakage) }

  // MARK: - Acting

  func perform(_ act: Act, crashes: Bool) throws -> Bool {
    let before = (clock, log, known, records, purges, undoable)
    let isDone = perform(act)
    guard crashes else { return isDone }
    let lost = log
    (clock, log, known, records, purges, undoable) = before
    if breakage == .clockNotPersisted { clock = Timestamp(packed: 0) }
    if breakage == .crashIsSent { log = lost }
    return true
  }

  private func perform(_ act: Act) -> Bool {
    var step: [(operation: Operation, previous: Operation.Value)] = []
    func say(_ record: RecordReference?, _ field: Operation.Field, _ value: Operation.Value) -> Dot
    {
      let dot = Dot(replica: id, sequence: Int64(log.count) + 1)
      clock = clock.next(wallMilliseconds: wall)
      let record = record ?? .highlight(Highlight.ID(dot))
      let current = records[record]?.fields[field.rawValue]
      if breakage != .clockIgnoresOthers,
        let last = current?.time, last >= clock
      {
        clock = Timestamp(packed: last.packed + 1)
      }
      let operation = Operation(
        dot: dot, time: clock, group: dot.sequence, record: record, field: field, value: value,
        basis: field == .note ? [current?.dot].compactMap { $0 } : [])
      step.append((operation, current?.value ?? .none))
      log.append(operation)
      apply(operation)
      return dot
    }
    func mark(_ dot: Dot) -> SaidOfRecord? {
      records[.highlight(Highlight.ID(dot))].flatMap { $0.isLive ? $0 : nil }
    }
    func set(
      _ dot: Dot, _ field: Operation.Field, _ value: Operation.Value, unless: Operation.Value
    )
      -> Bool
    {
      let record = RecordReference.highlight(Highlight.ID(dot))
      guard let state = mark(dot) else { return true }
      if (state.fields[field.rawValue]?.value ?? unless) == value { return true }
      _ = say(record, field, value)
      return records[record]?.fields[field.rawValue]?.value == value
    }
    defer { if !step.isEmpty, act != .undo { undoable.append(step) } }
    switch act {
    case .newDocument(let title):
      let next = Document.ID(Dot(replica: id, sequence: Int64(log.count) + 1))
      _ = say(.document(next), .created, .none)
      _ = say(.document(next), .title, .text(title))
    case .newMark(let document, let words):
      let dot = say(nil, .created, .reference(document))
      _ = say(.highlight(Highlight.ID(dot)), .selector, .selector(Self.selector(words)))
      _ = say(.highlight(Highlight.ID(dot)), .color, .text("green"))
    case .title(let dot, let title):
      let record = RecordReference.document(Document.ID(dot))
      guard records[record]?.isLive == true else { return true }
      _ = say(record, .title, .text(title))
      return records[record]?.text(.title) == title
    case .removeDocument(let dot, let isRemoved):
      let record = RecordReference.document(Document.ID(dot))
      guard records[record]?.isLive == true else { return true }
      _ = say(record, .trashed, .flag(isRemoved))
      return records[record]?.flag(.trashed) == isRemoved
    case .purgeDocument(let dot):
      for (highlight, mark) in Standing(records).marks where mark.document == dot {
        _ = say(.highlight(Highlight.ID(highlight)), .purged, .flag(true))
      }
      _ = say(.document(Document.ID(dot)), .purged, .flag(true))
    case .alias(let a, let b, let isSame):
      guard a != b, [a, b].allSatisfy({ records[.document(Document.ID($0))]?.isLive == true })
      else {
        return true
      }
      _ = say(
        .document(Document.ID(max(a, b))), .alias(Document.ID(min(a, b))), .flag(isSame))
    case .color(let dot, let color):
      return set(dot, .color, .text(color.rawValue), unless: .text("yellow"))
    case .note(let dot, let text): return set(dot, .note, .text(text), unless: .text(""))
    case .tag(let dot, let tag, let isOn):
      return set(dot, .tag(tag), .flag(isOn), unless: .flag(false))
    case .trash(let dot, let isTrashed):
      return set(dot, .trashed, .flag(isTrashed), unless: .flag(false))
    case .move(let dot, let document):
      guard mark(dot) != nil else { return true }
      _ = say(.highlight(Highlight.ID(dot)), .document, .reference(document))
    case .purge(let dot): _ = say(.highlight(Highlight.ID(dot)), .purged, .flag(true))
    case .undo:
      for (operation, previous) in (undoable.popLast() ?? []).reversed()
      where previous != .none && operation.field != .purged {
        let current = records[operation.record]?.fields[operation.field.rawValue]
        if current?.dot == operation.dot { _ = say(operation.record, operation.field, previous) }
      }
    }
    return true
  }

  static func selector(_ words: String) -> Selector {
    Selector(
      exact: words, prefix: "", suffix: "", position: TextRange(utf16: 0..<words.utf16.count),
      textDigest: nil, renderVersion: 1)
  }

  // MARK: - Hearing

  func lastSequence() -> Int64 { Int64(log.count) }

  func operations(after sequence: Int64) -> [Operation] { Array(log[Int(sequence)...]) }

  func merge(_ operations: [Operation]) {
    for operation in operations { apply(operation) }
    guard breakage != .clockIgnoresOthers else { return }
    for operation in operations { clock = max(clock, operation.time) }
  }

  private func apply(_ operation: Operation) {
    guard known.insert(operation.dot).inserted else { return }
    var state = records[operation.record] ?? SaidOfRecord()
    defer { records[operation.record] = state }
    switch operation.field {
    case .created:
      state.birth = operation
      if breakage == .lateBirthRevives { state.isPurged = false }
    case .purged:
      if breakage == .purgeForgotten, state.birth == nil { return }
      state.isPurged = true
      purges[operation.record] = operation
    default:
      if breakage == .changeRevives { state.isPurged = false }
      if operation.field == .note {
        if breakage == .otherNoteDropped { state.notes = state.notes.filter { _ in false } }
        state.notes.append(operation)
      }
      if breakage == .aliasForgotten, let other = operation.field.alias,
        state.birth == nil || records[.document(other)]?.birth == nil
      {
        return
      }
      let name = operation.field.rawValue
      if let current = state.fields[name], !replaces(operation, current) { return }
      state.fields[name] = operation
    }
  }

  private func replaces(_ operation: Operation, _ current: Operation) -> Bool {
    switch breakage {
    case .tieByArrival: operation.time >= current.time
    case .lastArrivalHolds: true
    case .tagAlwaysStays where operation.field.tag != nil && current.value == .flag(true): false
    default: Oracle.isBefore(current, operation)
    }
  }

  func snapshot() -> [Operation] {
    var list: [Operation] = []
    for (record, said) in records {
      if said.isPurged {
        var isDocument = false
        if case .document = record { isDocument = true }
        // A replica that starts from this snapshot never receives the creation, but needs the purge
        // of a document.
        guard said.birth == nil || isDocument else { continue }
        list.append(
          contentsOf: purges[record].map { [$0] } ?? [])
        continue
      }
      list.append(contentsOf: [said.birth].compactMap { $0 })
      list.append(contentsOf: said.fields.values.filter { $0.field != .note })
      list.append(
        contentsOf: breakage == .snapshotWithoutNotes
          ? said.fields.values.filter { $0.field == .note } : said.notes)
    }
    return list
  }

  /// The purge of each record.
  private var purges: [RecordReference: Operation] = [:]

  func standing() -> Standing { Standing(records) }

  func digest() -> [String] { [Standing(records).description] }
}
