import FoundationEssentials
package import Model

/// What merging operations did.
package struct MergeOutcome: Sendable {
  /// How many were not known before.
  package var count = 0
  /// The documents of which something is different now, or of whose highlights.
  package var documents: Set<Document.ID> = []
  /// How many records went into the trash or away for good.
  package var vanished = 0
  /// The records that began.
  package var born: Set<RecordReference> = []

  /// Nothing was merged yet.
  package init() {}

  /// Adds what another merge did.
  package mutating func add(_ other: MergeOutcome) {
    count += other.count
    documents.formUnion(other.documents)
    vanished += other.vanished
    born.formUnion(other.born)
  }
}

extension WriteTransaction {
  /// From how many operations on more memory is worth it.
  private static let largeMerge = 10_000

  /// Stores operations of other replicas and brings their records up to date: the same as `apply` for
  /// each of them, in any order, but each record is written once. The clock goes on beyond
  /// theirs, but for those that are too far ahead.
  /// O(operations × log).
  ///
  /// - Throws: `StoreError.damaged` for an operation that no Diple can have made.
  package func merge(_ operations: [Operation]) throws -> MergeOutcome {
    if operations.count >= Self.largeMerge { try database.useLargeCache() }
    let operations = Self.inStoredOrder(operations)
    let own = try replica()
    if let bad = operations.first(where: { !$0.isPossible(in: own) }) {
      throw BadValue(description: "operation \(bad.dot) has a value that Diple does not write")
    }
    newRecord = nil
    // Of a record that begins here and of which nothing was said before, nothing has to be looked up.
    var fresh: Set<RecordReference> = []
    for operation in operations where operation.field == .created {
      if try !isMentioned(operation.record) { fresh.insert(operation.record) }
    }
    var outcome = MergeOutcome()
    var order: [RecordReference] = []
    var changes: [RecordReference: [Operation]] = [:]
    for operation in operations where try insert(operation) {
      outcome.count += 1
      if operation.field == .created { outcome.born.insert(operation.record) }
      if changes[operation.record] == nil { order.append(operation.record) }
      changes[operation.record, default: []].append(operation)
    }
    guard outcome.count > 0 else { return outcome }
    for operation in operations { advanceClock(beyond: operation.time) }
    // Highlights need their documents.
    for kind in [1, 3, 2] {
      for record in order where record.storedKind == kind {
        let winners = Self.winners(changes[record] ?? [])
        outcome.vanished += try vanishing(record, winners) ? 1 : 0
        try settle(record, winners, isFresh: fresh.contains(record))
        if let document = try homeDocument(of: record) { outcome.documents.insert(document) }
      }
    }
    try regroupPending()
    for document in outcome.documents {
      if let shown = try first(
        """
        SELECT c.replica, c.sequence FROM document d JOIN document c ON c.key = d.alias
        WHERE d.sequence = ? AND d.replica = ?
        """, [document.dot.sequence, document.dot.storedReplica], { Document.ID(try $0.dot(0)) })
      {
        outcome.documents.insert(shown)
      }
    }
    for record in order where changes[record]!.contains(where: { $0.field.keepsVersions }) {
      try checkNoteVersions(of: record)
    }
    return outcome
  }

  /// Operations in the order of the table, so that they go into it one after the other.
  private static func inStoredOrder(_ operations: [Operation]) -> [Operation] {
    func isBefore(_ a: Int, _ b: Int) -> Bool {
      let (a, b) = (operations[a].dot, operations[b].dot)
      return (a.sequence, a.storedReplica) < (b.sequence, b.storedReplica)
    }
    // What one device sends is.
    guard operations.indices.dropFirst().contains(where: { isBefore($0, $0 - 1) }) else {
      return operations
    }
    return operations.indices.sorted(by: isBefore).map { operations[$0] }
  }

  /// Of operations on one record, the one that holds for each field.
  private static func winners(_ operations: [Operation]) -> [Operation.Field: Operation] {
    var winners: [Operation.Field: Operation] = [:]
    for operation in operations where operation.isReadable {
      guard let other = winners[operation.field] else {
        winners[operation.field] = operation
        continue
      }
      if other.precedes(operation) { winners[operation.field] = operation }
    }
    return winners
  }

  /// Whether these operations take a record out of sight that is in it.
  private func vanishing(
    _ record: RecordReference, _ winners: [Operation.Field: Operation]
  ) throws -> Bool {
    guard winners[.purged] != nil || winners[.trashed]?.value == .flag(true) else { return false }
    return try isTrashed(record) == false
  }

  private func settle(
    _ record: RecordReference, _ winners: [Operation.Field: Operation], isFresh: Bool
  ) throws {
    if winners[.purged] != nil { return try purge(record) }
    if isFresh, let birth = winners[.created] { return try insertRow(of: birth, winners) }
    // The birth first: the rest needs the row.
    if let birth = winners[.created] { try settle(birth) }
    for (field, operation) in winners where field != .created { try settle(operation) }
  }

  /// Makes the row of a record of which all is said in these operations.
  private func insertRow(of birth: Operation, _ winners: [Operation.Field: Operation]) throws {
    switch birth.record {
    case .document(let id):
      let said = winners[.path]?.textValue ?? ""
      let times = winners.values.map(\.time.milliseconds)
      try execute(
        """
        INSERT OR IGNORE INTO document (replica, sequence, path, title, trashed, created, updated,
          bound)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """,
        [
          id.dot.storedReplica, id.dot.sequence, said, winners[.title]?.textValue ?? "",
          winners[.trashed]?.value == .flag(true), birth.time.milliseconds, times.max(),
          try winners[.path].map { try isOwn($0.dot) } ?? false,
        ])
      newRecord = birth.record
      newKey = database.lastInsertedRowID
      defer { newRecord = nil }
      for (field, operation) in winners
      where ![.created, .path, .title, .trashed].contains(field) {
        try project(operation)
      }
      newRecord = nil
      try expectAliases(of: id)
      try createWaitingHighlights(of: id)
    case .highlight(let id):
      guard case .reference(let home) = birth.value,
        case .selector(let selector)? = winners[.selector]?.value,
        let place = try homePlace(Document.ID(home))
      else {
        // What is unusual takes the usual way.
        try settle(birth)
        for (field, operation) in winners where field != .created { try settle(operation) }
        return
      }
      let times = winners.values.map(\.time.milliseconds)
      let color = winners[.color]?.textValue.flatMap(HighlightColor.init(rawValue:))
      try execute(
        """
        INSERT OR IGNORE INTO highlight (replica, sequence, document, home, color, note, trashed,
          detached, created, updated, exact, start, end, text_digest, render_version, selector,
          format)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        [
          id.dot.storedReplica, id.dot.sequence, place.document, place.home,
          (color ?? .yellow).rawValue, winners[.note]?.textValue ?? "",
          winners[.trashed]?.value == .flag(true), winners[.detached]?.value == .flag(true),
          birth.time.milliseconds, times.max(), selector.exact,
          selector.position.utf16.lowerBound, selector.position.utf16.upperBound,
          selector.textDigest?.bytes, selector.renderVersion, selector.storedHash,
          winners[.format]?.textValue,
        ])
      newRecord = birth.record
      newKey = database.lastInsertedRowID
      defer { newRecord = nil }
      for (field, operation) in winners
      where field.tag != nil || [.origin, .document].contains(field) {
        try project(operation)
      }
    case .library, .other: break
    }
  }

  /// Stores an operation. False when it is known already.
  func insert(_ operation: Operation) throws -> Bool {
    try execute(
      """
      INSERT OR IGNORE INTO operation (\(Operation.columns))
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        operation.dot.storedReplica, operation.dot.sequence, operation.time.packed,
        operation.group, operation.record.storedKind, operation.record.dot.storedReplica,
        operation.record.dot.sequence, operation.field.rawValue,
        database.coder.stored(operation.value, of: operation.field),
        database.coder.stored(operation.previous, of: operation.field),
        operation.basis.isEmpty ? nil : OperationCoder.packed(operation.basis),
      ])
    return database.changesCount > 0
  }

  /// Whether anything was said of a record before.
  private func isMentioned(_ record: RecordReference) throws -> Bool {
    try first(
      """
      SELECT 1 FROM \(Operation.changes(of: "?1", "?2")) LIMIT 1
      """, [record.dot.sequence, record.dot.storedReplica]
    ) { _ in true } ?? false
  }

  /// The document that a record is, or stands in.
  func homeDocument(of record: RecordReference) throws -> Document.ID? {
    switch record {
    case .document(let id): id
    case .highlight(let id):
      try first(
        """
        SELECT d.replica, d.sequence FROM highlight h JOIN document d ON d.key = h.document
        WHERE h.sequence = ? AND h.replica = ?
        """, [id.dot.sequence, id.dot.storedReplica]
      ) { Document.ID(try $0.dot(0)) }
    case .library, .other: nil
    }
  }
}

extension Operation {
  /// Whether another operation on the same field of the same record holds instead of this one.
  func precedes(_ other: Operation) -> Bool {
    (time.packed, dot.storedReplica, dot.sequence)
      < (other.time.packed, other.dot.storedReplica, other.dot.sequence)
  }

  /// What it says, when that is a text.
  var textValue: String? {
    if case .text(let text) = value { text } else { nil }
  }
}
