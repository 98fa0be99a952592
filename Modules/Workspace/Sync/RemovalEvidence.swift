import Model
import Storage
import Sync

/// The records of this library that other devices have removed for good, as far as files at the target
/// show it.
struct RemovalEvidence {
  /// The records that are here, by their births.
  private let present: [Dot: RecordReference]
  /// Why operations of devices are held.
  private let held: [ReplicaID: HeldReason]
  private let progress: [ReplicaID: ReplicaProgress]
  /// The parts of histories that have another name now.
  private let renamed: [ReplicaID: Library.RenamedPart]
  /// The records that were found.
  private(set) var removed: Set<RecordReference> = []

  init(_ transaction: ReadTransaction, held: [ReplicaID: HeldReason]) throws {
    var present = try transaction.presentRecords()
    // What is kept for later is removed before it arrives.
    for operation in try Library.keptAhead(transaction) where operation.field == .created {
      present[operation.dot] = operation.record
    }
    (self.present, progress) = (present, try transaction.progress())
    self.held = held
    renamed = try Library.renamedParts(transaction)
  }

  /// Adds what a snapshot shows: a record was removed for good where the vector covers its birth and the
  /// snapshot does not contain that.
  ///
  /// - Parameter births: the births in the snapshot.
  /// - Returns: false, with nothing added, where the snapshot covers operations that are held here: what
  ///   it lacks may have been removed by these.
  mutating func add(_ vector: [ReplicaID: SnapshotContent.Reach], births: Set<Dot>) -> Bool {
    let reaches = Library.common(vector.mapValues(\.sequence), renamed)
    let coversHeld = vector.contains { replica, reach in
      guard let reason = held[replica], ![.missing, .damaged].contains(reason.kind) else {
        return false
      }
      return reach.sequence > progress[replica]?.sequence ?? 0
    }
    if coversHeld { return false }
    for (birth, record) in present
    where birth.sequence <= reaches[birth.replica] ?? 0 && !births.contains(birth) {
      // Of two histories under one name, the snapshot may count the other one.
      if held[birth.replica]?.kind != .fork { removed.insert(record) }
    }
    return true
  }

  /// Adds what operations of a segment show that are known here, and were not applied.
  ///
  /// - Parameter last: the last operation of their device that counts; nil for all.
  mutating func add(_ operations: [Operation], upTo last: Int64?) {
    for operation in operations where operation.field == .purged {
      let replica = operation.dot.replica
      guard present[operation.record.dot] == operation.record, held[replica]?.kind != .fork,
        operation.dot.sequence <= min(progress[replica]?.sequence ?? 0, last ?? .max)
      else { continue }
      // What a newer version says so is not understood here.
      if case .other = operation.value { continue }
      removed.insert(operation.record)
    }
  }

  /// The records that were found, in the order of their births.
  var records: [RecordReference] { removed.sorted { $0.dot < $1.dot } }
}
