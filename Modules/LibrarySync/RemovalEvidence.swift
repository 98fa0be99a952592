import Model
import Storage
import Sync
import Workspace

/// The records of this library that other devices have removed permanently, according to the
/// objects at the target.
struct RemovalEvidence {
  /// The records in this library, by the dots of their first operations.
  private let present: [Dot: RecordReference]
  /// The devices with held operations, and the reasons.
  private let held: [ReplicaID: HeldReason]
  private let progress: [ReplicaID: ReplicaProgress]
  private let own: ReplicaID
  /// The parts of replicas' histories that were sent again under the name of another replica.
  private let renamed: [ReplicaID: Library.RenamedPart]
  /// The records that the evidence shows to be removed.
  private(set) var removed: Set<RecordReference> = []

  init(_ transaction: ReadTransaction, held: [ReplicaID: HeldReason]) throws {
    var present = try transaction.presentRecords()
    // Deferred records that were removed in the meantime must not be created later.
    for operation in try Library.deferredOperations(transaction) where operation.field == .created {
      present[operation.dot] = operation.record
    }
    (self.present, progress) = (present, try transaction.progress())
    (self.held, own) = (held, try transaction.replica())
    renamed = try Library.renamedParts(transaction)
  }

  /// Adds the evidence of a snapshot: a record was removed permanently if the vector covers its
  /// first operation and the snapshot does not contain that operation.
  ///
  /// - Parameter births: the dots of the `created` operations in the snapshot.
  /// - Returns: false, with nothing added, if the snapshot covers operations that this device holds
  ///   back for a reason other than `missing` or `damaged`: they may have removed the records that
  ///   the snapshot lacks.
  mutating func add(_ vector: [ReplicaID: SnapshotFile.Reach], births: Set<Dot>) -> Bool {
    var reaches = Library.common(vector.mapValues(\.sequence), renamed)
    // No other device can know operations that this one has not sent.
    reaches[own] = reaches[own].map { min($0, progress[own]?.sequence ?? 0) }
    let coversHeld = vector.contains { replica, reach in
      guard let reason = held[replica], ![.missing, .damaged].contains(reason.kind) else {
        return false
      }
      return reach.sequence > progress[replica]?.sequence ?? 0
    }
    if coversHeld { return false }
    for (birth, record) in present
    where birth.sequence <= reaches[birth.replica] ?? 0 && !births.contains(birth) {
      // If the record's device has two histories, the snapshot may cover the other one.
      if held[birth.replica]?.kind != .fork { removed.insert(record) }
    }
    return true
  }

  /// Adds the evidence of a segment: records that its operations remove permanently although they
  /// are in this library. Only operations up to the stored progress are considered.
  ///
  /// - Parameter last: the last operation of their device that a revocation accepts; nil for no
  ///   limit.
  mutating func add(_ operations: [Operation], upTo last: Int64?) {
    for operation in operations where operation.field == .purged {
      let replica = operation.dot.replica
      guard present[operation.record.dot] == operation.record, held[replica]?.kind != .fork,
        operation.dot.sequence <= min(progress[replica]?.sequence ?? 0, last ?? .max)
      else { continue }
      // The value was written by a newer version, and its effect is unknown.
      if case .other = operation.value { continue }
      removed.insert(operation.record)
    }
  }

  /// The removed records, sorted by their first operations.
  var records: [RecordReference] { removed.sorted { $0.dot < $1.dot } }
}
