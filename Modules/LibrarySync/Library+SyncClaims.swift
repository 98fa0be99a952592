import Model
import Storage
import Sync
import SystemSupport
import Workspace

/// Changes of a device that only another device's snapshot claims to contain.
///
/// A snapshot is signed by its writer alone, so a claim about another device may be false. Until
/// the device's own files reach the claim, they are read as if it did not exist.
extension Library {
  /// The prefix of the keys that store, for each device, the last operation before a claim.
  private static let claimPrefix = "claim/"

  /// Stores that the progress of a device is a claim from the operation on that its own files do
  /// not show.
  ///
  /// - Parameter range: the operations that a snapshot added to the device's progress.
  static func noteClaim(
    _ range: ClosedRange<Int64>, on replica: ReplicaID, _ session: SyncSession,
    _ transaction: WriteTransaction
  ) throws {
    let key = claimPrefix + "\(replica)"
    let earlier = try transaction.syncState(key).flatMap(sequence)
    let own = session.objects(of: replica).compactMap(\.file.ownOperations)
    let shown = max(end(of: own), earlier ?? range.lowerBound - 1)
    try transaction.setSyncState(key, shown < range.upperBound ? Array("\(shown)".utf8) : nil)
  }

  /// Lowers the progress of a device to the last operation before a claim, if the device has sent
  /// the next one.
  ///
  /// - Returns: the claimed progress; nil if there is nothing to read again.
  /// - Throws: `damaged` or `conflict` if the library cannot be read or written.
  func openClaim(on replica: ReplicaID, _ session: SyncSession) throws(UserError)
    -> ReplicaProgress?
  {
    // Most devices have no claim, so nothing else is read for them.
    let stored = try storage {
      try store.read { try $0.syncState(Self.claimPrefix + "\(replica)") }
    }
    guard let last = stored.flatMap(Self.sequence) else { return nil }
    let (progress, superseded) = try storage {
      try store.read { try ($0.progress()[replica], $0.syncStates(withPrefix: "shed/")) }
    }
    guard let progress, last < progress.sequence,
      session.segments(of: replica).contains(where: {
        $0.range.contains(last + 1) && superseded[$0.name.file] == nil
      })
    else { return nil }
    try storage {
      try store.write { transaction in
        try transaction.require(session.replica, progress, of: replica)
        try transaction.setProgress(
          ReplicaProgress(sequence: last, chain: [], floor: last), of: replica)
      }
    }
    return progress
  }

  /// Restores a claimed progress that the device's own files have not reached.
  ///
  /// - Returns: whether it was restored.
  /// - Throws: `damaged` or `conflict` if the library cannot be read or written.
  func closeClaim(_ claim: ReplicaProgress, on replica: ReplicaID) throws(UserError) -> Bool {
    try storage {
      try store.write { transaction in
        let reached = try transaction.progress()[replica]?.sequence ?? 0
        let key = Self.claimPrefix + "\(replica)"
        guard reached < claim.sequence else {
          try transaction.setSyncState(key, nil)
          return false
        }
        try transaction.setSyncState(key, Array("\(reached)".utf8))
        try transaction.setProgress(claim, of: replica)
        return true
      }
    }
  }

  private static func sequence(_ bytes: [UInt8]) -> Int64? {
    Int64(String(decoding: bytes, as: UTF8.self))
  }

  /// Whether operations with the same dots as received ones are stored, and differ from them: a
  /// snapshot of another device contained them.
  ///
  /// - Parameter received: operations of one device, which follow its progress.
  static func isContradicted(_ received: [Operation], in transaction: ReadTransaction) throws
    -> Bool
  {
    guard let first = received.first?.dot,
      try transaction.syncState(claimPrefix + "\(first.replica)") != nil
    else { return false }
    let stored = try transaction.operations(
      of: first.replica, after: first.sequence - 1, limit: received.count)
    guard !stored.isEmpty else { return false }
    let known = Dictionary(stored.map { ($0.dot, $0) }) { first, _ in first }
    return received.contains { operation in
      known[operation.dot].map { !isSame(operation, $0) } ?? false
    }
  }
}

/// The error if a device's operations differ from those that a snapshot contained.
struct ContradictionError: Error {}
