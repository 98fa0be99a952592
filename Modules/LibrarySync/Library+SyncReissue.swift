import FoundationEssentials
import Model
import Storage
import Sync
import SystemSupport
import Workspace

/// Reissues operations of a revoked device.
///
/// Some members may have applied operations of the device before they learned of the revocation.
/// One of them publishes these operations again, so that they are valid for all. The other members
/// need neither the device's files nor the key of those files.
extension Library {
  /// The maximum number of operations to reissue in one sync.
  private static let saidLimit = 10_000
  /// The prefix of the keys under which scans that found nothing are stored. The value contains the
  /// last reissued operation and the progress at the time of the scan.
  private static let lookedPrefix = "looked/"

  /// Reissues the operations of revoked devices that are known on this device and follow the last
  /// operation that the revocation accepts.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read or written.
  func reissue(_ session: SyncSession, _ outcome: inout PullOutcome) throws(UserError) {
    guard let revoked = session.epochs?.revoked, !revoked.isEmpty else { return }
    let (progress, looked) = try storage {
      try store.read { try ($0.progress(), $0.syncStates(withPrefix: Self.lookedPrefix)) }
    }
    for (replica, revocation) in revoked {
      let known = try reissued(by: replica, after: revocation.last, &outcome)
      let last = known.last?.dot.sequence ?? revocation.last
      // Finding a device's operations is a scan over those of all devices. It is skipped if neither
      // the device's progress nor its reissued operations have changed since a scan that found
      // nothing.
      let mark = Array("\(last) \(progress[replica]?.sequence ?? 0)".utf8)
      if looked["\(replica)"] == mark { continue }
      try storage { () -> Void in
        let operations = try store.read {
          Self.withoutGaps(
            try $0.operations(of: replica, after: last, limit: Self.saidLimit), after: last)
        }
        guard !operations.isEmpty else {
          return try store.writeCache {
            try $0.setSyncState(Self.lookedPrefix + "\(replica)", mark)
          }
        }
        try store.write { transaction in
          // This is not a user action, so there is nothing to undo.
          transaction.journal(JournalStep(nil))
          for operation in operations {
            let line = try JSONEncoder.ordered().encode(operation)
            _ = try transaction.setProperty(
              .reissued(operation.dot), String(decoding: line, as: UTF8.self), of: .library)
          }
        }
        outcome.reissued = nil
      }
    }
  }

  /// Applies the reissued operations of a revoked device, once all operations that are valid by the
  /// revocation are known.
  ///
  /// Any member can reissue operations, so they are deferred and reviewed like those of a segment.
  ///
  /// - Parameter progress: the progress of the device, which is updated.
  /// - Returns: the reason why all or some of them are held; nil if there is none.
  /// - Throws: `changedDuringSync` if another process changed the progress; `damaged` or `conflict`
  ///   if the library cannot be read or written.
  func applyReissued(
    of replica: ReplicaID, _ progress: inout ReplicaProgress, _ session: SyncSession,
    _ options: SyncOptions, _ outcome: inout PullOutcome
  ) throws(UserError) -> HeldReason? {
    guard let last = session.epochs?.revoked[replica]?.last, progress.sequence >= last else {
      return nil
    }
    let operations = try reissued(by: replica, after: progress.sequence, &outcome)
    let (applied, later, count) = try separateDeferred(operations, options)
    let name = session.deviceName(replica)
    let reason =
      count == operations.count
      ? nil
      : held(
        .clock, Self.ahead(operations[count].time, of: latestTime, in: "the clock of \(name)"))
    guard let end = operations[..<count].last?.dot.sequence else { return reason }
    let known = progress
    var next = progress
    next.sequence = end
    next.chain =
      ChainHash(bytes: progress.chain)?.adding(Array(operations[..<count])).bytes ?? []
    do {
      outcome.merged.add(
        try store.write { [next] transaction in
          try transaction.require(session.replica, known, of: replica)
          let merged = try transaction.merge(applied)
          if !options.removals { try Self.checkRemovals(merged, in: transaction) }
          try Self.storeDeferred(later, in: transaction)
          try transaction.setProgress(next, of: replica)
          return merged
        })
      progress = next
      return reason
    } catch let removals as TooManyRemovalsError {
      return held(.removals, "changes of \(name) remove \(removals.count.counted("record"))")
    } catch StoreError.damaged(_, let detail) {
      return held(.damaged, "changes of \(name) cannot be applied: \(detail)")
    } catch { return try storage { throw error } }
  }

  /// Returns the reissued operations of a replica that follow `last` without a gap.
  private func reissued(
    by replica: ReplicaID, after last: Int64, _ outcome: inout PullOutcome
  ) throws(UserError) -> [Operation] {
    // The reissued operations are stored in properties of the library, so they are read again only
    // if operations were received.
    if outcome.reissued?.count != outcome.merged.count {
      outcome.reissued = (try allReissued(), outcome.merged.count)
    }
    let found = outcome.reissued?.operations[replica] ?? []
    return Self.withoutGaps(found.filter { $0.dot.sequence > last }, after: last)
  }

  /// Returns the reissued operations of each replica, in order. Invalid ones are skipped.
  private func allReissued() throws(UserError) -> [ReplicaID: [Operation]] {
    let (properties, ownReplica) = try storage {
      try store.read { (try $0.properties(), try $0.replica()) }
    }
    let found = properties.compactMap { name, value -> Operation? in
      guard let dot = name.reissued,
        let operation = try? JSONDecoder().decode(Operation.self, from: Data(value.utf8)),
        operation.dot == dot, operation.isPossible(in: ownReplica)
      else { return nil }
      return operation
    }
    return Dictionary(grouping: found, by: \.dot.replica).mapValues { operations in
      operations.sorted { $0.dot.sequence < $1.dot.sequence }
    }
  }

  private static func withoutGaps(_ operations: [Operation], after last: Int64) -> [Operation] {
    Array(
      operations.enumerated().prefix { $0.element.dot.sequence == last + 1 + Int64($0.offset) }
        .map(\.element))
  }
}
