import FoundationEssentials
import Model
import Storage
import Sync
import SystemSupport

/// What a device did that was revoked, and that some members had applied before they heard of that: one
/// of them says it again, so that it counts everywhere. The others need neither the device's files for
/// it nor the key with which these were sealed.
extension Library {
  /// How many operations are said again at once.
  private static let saidLimit = 10_000

  /// Says again what is known here of revoked devices beyond what counts.
  func sayAgain(_ session: SyncSession) throws(UserError) {
    for (replica, revocation) in session.epochs?.revoked ?? [:] {
      try storage {
        let said = try store.read { transaction in
          let known = try saidAgain(by: replica, after: revocation.last, in: transaction)
          let last = known.last?.dot.sequence ?? revocation.last
          let more = try transaction.operations(
            of: replica, after: last, limit: Self.saidLimit)
          return Self.withoutGaps(more, after: last)
        }
        guard !said.isEmpty else { return }
        try store.write { transaction in
          // No person did it, so there is nothing for undo.
          transaction.journal(JournalStep(nil))
          for operation in said {
            let line = try JSONEncoder.ordered().encode(operation)
            _ = try transaction.setProperty(
              .said(operation.dot), String(decoding: line, as: UTF8.self), of: .library)
          }
        }
      }
    }
  }

  /// Applies what others say again of a revoked device, once all is known here that counts anyway.
  ///
  /// - Returns: how far the device is known then.
  func takeSaidAgain(
    of replica: ReplicaID, _ progress: ReplicaProgress, _ session: SyncSession,
    _ outcome: inout PullOutcome
  ) throws(UserError) -> ReplicaProgress {
    guard let last = session.epochs?.revoked[replica]?.last, progress.sequence >= last else {
      return progress
    }
    var next = progress
    let merged = try storage { () -> MergeOutcome? in
      let said = try store.read { transaction in
        try saidAgain(by: replica, after: progress.sequence, in: transaction)
      }
      guard let end = said.last?.dot.sequence else { return nil }
      next.sequence = end
      next.chain = ChainHash(bytes: progress.chain)?.adding(said).bytes ?? []
      return try store.write { transaction in
        let merged = try transaction.merge(said)
        try transaction.setProgress(next, of: replica)
        return merged
      }
    }
    if let merged { outcome.merged.add(merged) }
    return next
  }

  /// What members say again of a replica, without gaps after one of its operations.
  private func saidAgain(
    by replica: ReplicaID, after last: Int64, in transaction: ReadTransaction
  ) throws -> [Operation] {
    let found = try transaction.properties().compactMap { name, value -> Operation? in
      guard let dot = name.said, dot.replica == replica, dot.sequence > last,
        let operation = try? JSONDecoder().decode(Operation.self, from: Data(value.utf8)),
        operation.dot == dot
      else { return nil }
      return operation
    }
    return Self.withoutGaps(found.sorted { $0.dot.sequence < $1.dot.sequence }, after: last)
  }

  private static func withoutGaps(_ operations: [Operation], after last: Int64) -> [Operation] {
    Array(
      operations.enumerated().prefix { $0.element.dot.sequence == last + 1 + Int64($0.offset) }
        .map(\.element))
  }
}
