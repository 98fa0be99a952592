import FoundationEssentials
package import Model

/// The effect of merging operations.
package struct MergeOutcome: Sendable {
  /// The number of operations that were not known before.
  package var count = 0
  /// The documents that changed, or whose highlights changed.
  package var documents: Set<Document.ID> = []
  /// The number of records that were moved to the trash or purged.
  package var removed = 0
  /// The records that were created.
  package var created: Set<RecordReference> = []

  /// Creates the outcome of an empty merge.
  package init() {}

  /// Adds the outcome of another merge.
  package mutating func add(_ other: MergeOutcome) {
    count += other.count
    documents.formUnion(other.documents)
    removed += other.removed
    created.formUnion(other.created)
  }
}

extension WriteTransaction {
  /// The number of operations in a transaction from which a larger page cache saves time.
  private static let largeMerge = 10_000

  /// Checks operations of other replicas before they are stored.
  ///
  /// - Throws: `StoreError.damaged` if no version of Diple can have made one of the operations.
  package func requirePossible(_ operations: [Operation]) throws {
    let ownReplica = try replica()
    if let bad = operations.first(where: { !$0.isPossible(in: ownReplica) }) {
      throw BadValue(description: "operation \(bad.dot) has a value that Diple does not write")
    }
  }

  /// Stores operations of other replicas and updates their records.
  ///
  /// The result is the same as calling `apply` for each operation in any order, but the row of a new
  /// record is written only once. The clock advances beyond the times of the operations, except times that
  /// are too far in the future. O(operations × log).
  ///
  /// - Throws: `StoreError.damaged` if no version of Diple can have made one of the operations.
  package func merge(_ operations: [Operation]) throws -> MergeOutcome {
    mergedCount += operations.count
    if mergedCount >= Self.largeMerge { try database.useLargeCache() }
    try requirePossible(operations)
    // Store the operations in the order of the table, so that rows are appended one after the
    // other.
    let dots = operations.map(\.dot)
    let order = Self.sorted(operations.indices) { dots[$0].isStoredBefore(dots[$1]) }
    // For a record that the merge creates and that was not mentioned before, nothing has to be
    // looked up.
    var fresh: Set<Dot> = []
    for index in order where operations[index].field == .created {
      if try !isMentioned(operations[index].record) { fresh.insert(operations[index].dot) }
    }
    var outcome = MergeOutcome()
    var new: [Int] = []
    for index in order where try insert(operations[index]) {
      new.append(index)
      if operations[index].field == .created { outcome.created.insert(operations[index].record) }
    }
    outcome.count = new.count
    guard !new.isEmpty else { return outcome }
    for operation in operations { advanceClock(beyond: operation.time) }
    // Comparing the records first avoids copies of the operations.
    let records = operations.map(\.record)
    new = Self.sorted(new) {
      records[$0] == records[$1]
        ? operations[$0].isSettledBefore(operations[$1])
        : records[$0].isSettledBefore(records[$1])
    }
    var noted: [RecordReference] = []
    homes = [:]
    var start = 0
    while start < new.count {
      let record = records[new[start]]
      var end = start + 1
      while end < new.count, records[new[end]] == record { end += 1 }
      let changes = new[start..<end].lazy.map { operations[$0] }
      let winners = Winners(changes)
      start = end
      let isFresh = fresh.contains(record.dot) && winners[.created] != nil
      let versions = changes.count { $0.field.keepsVersions }
      // A single version cannot be in conflict.
      if versions > (isFresh ? 1 : 0) { noted.append(record) }
      if case .other = record { continue }
      outcome.removed += try removes(record, winners) ? 1 : 0
      if let document = try settle(record, winners, isFresh: isFresh) {
        outcome.documents.insert(document)
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
    for record in noted { try checkNoteVersions(of: record) }
    return outcome
  }

  /// Returns indices in a given order. Often they are in that order already, so this is checked
  /// first.
  private static func sorted(
    _ indices: some Collection<Int>, by isBefore: (Int, Int) -> Bool
  ) -> [Int] {
    zip(indices, indices.dropFirst()).contains { isBefore($1, $0) }
      ? indices.sorted(by: isBefore) : Array(indices)
  }

  /// Whether the operations hide a visible record: move it to the trash or purge it.
  private func removes(_ record: RecordReference, _ winners: Winners) throws -> Bool {
    guard winners[.purged] != nil || winners[.trashed]?.value == .flag(true) else { return false }
    return try isTrashed(record) == false
  }

  /// Updates a record. Returns the document in which the record is shown; nil if it has no row.
  private func settle(_ record: RecordReference, _ winners: Winners, isFresh: Bool) throws
    -> Document.ID?
  {
    if winners[.purged] == nil, isFresh, let birth = winners[.created] {
      var place: HomePlace?
      if case .reference(let home) = birth.value {
        place = try homes[home] ?? homePlace(Document.ID(home))
        homes[home] = place
      }
      if let shown = try insertRow(of: birth, winners, at: place) { return shown }
      homes = [:]
    } else {
      homes = [:]
      if winners[.purged] != nil {
        try purge(record)
      } else if let birth = winners[.created] {
        try settle(birth)
      } else {
        for operation in winners.list { try settle(operation) }
      }
    }
    return try homeDocument(of: record)
  }

  /// Whether there is an operation on a record other than its creation.
  private func isMentioned(_ record: RecordReference) throws -> Bool {
    try first(Self.mention, [record.dot.sequence, record.dot.storedReplica]) { _ in true } ?? false
  }

  private static let mention = "SELECT 1 FROM \(Operation.changes(of: "?1", "?2")) LIMIT 1"

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

extension Dot {
  /// Whether the operation with this dot precedes another one in the table.
  func isStoredBefore(_ other: Dot) -> Bool {
    (sequence, storedReplica) < (other.sequence, other.storedReplica)
  }
}

extension Operation {
  /// Whether a merge applies this operation before another one on the same record. Operations on
  /// one field follow each other, the current one last.
  func isSettledBefore(_ other: Operation) -> Bool {
    if field.isSame(as: other.field) { return precedes(other) }
    return field.rawValue.utf8.lexicographicallyPrecedes(other.field.rawValue.utf8)
  }

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

extension RecordReference {
  /// Whether a merge writes this record before another one: documents before highlights, because
  /// highlights need their document's row.
  fileprivate func isSettledBefore(_ other: RecordReference) -> Bool {
    let (order, others) = (settlingOrder, other.settlingOrder)
    guard order == others else { return order < others }
    return dot.isStoredBefore(other.dot) || dot == other.dot && storedKind < other.storedKind
  }

  /// The order of the kinds of records in a merge.
  private var settlingOrder: Int {
    switch self {
    case .document: 0
    case .library: 1
    case .highlight: 2
    case .other: 3
    }
  }
}

extension Operation.Field {
  /// The name in UTF-8. Names that are canonically equivalent belong to different fields, although
  /// their strings are equal.
  var bytes: [UInt8] { Array(rawValue.utf8) }

  /// Whether both have exactly the same name.
  func isSame(as other: Self) -> Bool {
    self == other && rawValue.utf8.elementsEqual(other.rawValue.utf8)
  }
}
