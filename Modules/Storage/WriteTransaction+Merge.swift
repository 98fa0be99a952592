import FoundationEssentials
package import Model

/// The effect of merging operations.
package struct MergeOutcome: Sendable {
  /// The number of operations that were not known before.
  package var count = 0
  /// The documents that changed, or whose highlights changed.
  package var documents: Set<Document.ID> = []
  /// The number of records that were moved to the trash or purged.
  package var vanished = 0
  /// The records that were created.
  package var born: Set<RecordReference> = []

  /// Creates the outcome of an empty merge.
  package init() {}

  /// Adds the outcome of another merge.
  package mutating func add(_ other: MergeOutcome) {
    count += other.count
    documents.formUnion(other.documents)
    vanished += other.vanished
    born.formUnion(other.born)
  }
}

extension WriteTransaction {
  /// The number of operations from which a larger page cache saves time.
  private static let largeMerge = 10_000

  /// Stores operations of other replicas and updates their records.
  ///
  /// The result is the same as calling `apply` for each operation in any order, but each record is
  /// written only once. The clock advances beyond the times of the operations, except times that
  /// are too far in the future. O(operations × log).
  ///
  /// - Throws: `StoreError.damaged` if no version of Diple can have made one of the operations.
  package func merge(_ operations: [Operation]) throws -> MergeOutcome {
    if operations.count >= Self.largeMerge { try database.useLargeCache() }
    let operations = Self.inStoredOrder(operations)
    let own = try replica()
    if let bad = operations.first(where: { !$0.isPossible(in: own) }) {
      throw BadValue(description: "operation \(bad.dot) has a value that Diple does not write")
    }
    newRecord = nil
    // For a record that is created here and was not mentioned before, nothing has to be looked up.
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
    // Documents before highlights, because these need their document's row.
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

  /// Sorts operations by the order of the table, so that rows are appended one after the other.
  private static func inStoredOrder(_ operations: [Operation]) -> [Operation] {
    func isBefore(_ a: Int, _ b: Int) -> Bool {
      let (a, b) = (operations[a].dot, operations[b].dot)
      return (a.sequence, a.storedReplica) < (b.sequence, b.storedReplica)
    }
    // Operations sent by one device already have this order.
    guard operations.indices.dropFirst().contains(where: { isBefore($0, $0 - 1) }) else {
      return operations
    }
    return operations.indices.sorted(by: isBefore).map { operations[$0] }
  }

  /// Returns the current operation of each field, from operations on one record.
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

  /// Whether the operations hide a visible record: move it to the trash or purge it.
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
    try settleEach(winners)
  }

  private func settleEach(_ winners: [Operation.Field: Operation]) throws {
    // The creation first, because the other operations need the row.
    if let birth = winners[.created] { try settle(birth) }
    for (field, operation) in winners where field != .created { try settle(operation) }
  }

  /// Creates the row of a record that is known only from these operations. A record that was renamed
  /// (``rename(_:after:to:)``) can have a row although its operations are new.
  private func insertRow(of birth: Operation, _ winners: [Operation.Field: Operation]) throws {
    switch birth.record {
    case .document(let id):
      let path = winners[.path]?.textValue ?? ""
      let times = winners.values.map(\.time.milliseconds)
      try execute(
        """
        INSERT OR IGNORE INTO document (replica, sequence, path, title, trashed, created, updated,
          bound)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """,
        [
          id.dot.storedReplica, id.dot.sequence, path, winners[.title]?.textValue ?? "",
          winners[.trashed]?.value == .flag(true), birth.time.milliseconds, times.max(),
          try winners[.path].map { try isOwn($0.dot) } ?? false,
        ])
      guard database.changesCount > 0 else { return try settleEach(winners) }
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
        // An unusual record is created step by step.
        return try settleEach(winners)
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
      guard database.changesCount > 0 else { return try settleEach(winners) }
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

  /// Stores an operation. Returns false if it is already stored.
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

  /// Whether there is an operation on a record other than its creation.
  private func isMentioned(_ record: RecordReference) throws -> Bool {
    try first(
      """
      SELECT 1 FROM \(Operation.changes(of: "?1", "?2")) LIMIT 1
      """, [record.dot.sequence, record.dot.storedReplica]
    ) { _ in true } ?? false
  }

  /// The document that a record is or belongs to; nil if the record has no row.
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
  /// Whether another operation on the same field of the same record supersedes this one.
  func precedes(_ other: Operation) -> Bool {
    (time.packed, dot.storedReplica, dot.sequence)
      < (other.time.packed, other.dot.storedReplica, other.dot.sequence)
  }

  /// The value if it is a text; nil otherwise.
  var textValue: String? {
    if case .text(let text) = value { text } else { nil }
  }
}
