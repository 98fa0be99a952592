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
  /// Under names that begin so is remembered how far a device was known when nothing of it was left to
  /// be said again.
  private static let lookedPrefix = "looked/"

  /// Says again what is known here of revoked devices beyond what counts.
  func sayAgain(_ session: SyncSession, _ outcome: inout PullOutcome) throws(UserError) {
    guard let revoked = session.epochs?.revoked, !revoked.isEmpty else { return }
    let (progress, looked) = try storage {
      try store.read { try ($0.progress(), $0.syncStates(withPrefix: Self.lookedPrefix)) }
    }
    for (replica, revocation) in revoked {
      let known = try saidAgain(by: replica, after: revocation.last, &outcome)
      let last = known.last?.dot.sequence ?? revocation.last
      // Looking for a device's operations is a walk over those of all devices. There are no others than
      // the last time while it is known as far as then, and so is what is said again of it.
      let mark = Array("\(last) \(progress[replica]?.sequence ?? 0)".utf8)
      if looked["\(replica)"] == mark { continue }
      try storage { () -> Void in
        let said = try store.read {
          Self.withoutGaps(
            try $0.operations(of: replica, after: last, limit: Self.saidLimit), after: last)
        }
        guard !said.isEmpty else {
          return try store.writeCache {
            try $0.setSyncState(Self.lookedPrefix + "\(replica)", mark)
          }
        }
        try store.write { transaction in
          // No person did it, so there is nothing for undo.
          transaction.journal(JournalStep(nil))
          for operation in said {
            let line = try JSONEncoder.ordered().encode(operation)
            _ = try transaction.setProperty(
              .said(operation.dot), String(decoding: line, as: UTF8.self), of: .library)
          }
        }
        outcome.said = nil
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
    let said = try saidAgain(by: replica, after: progress.sequence, &outcome)
    guard let end = said.last?.dot.sequence else { return progress }
    var next = progress
    next.sequence = end
    next.chain = ChainHash(bytes: progress.chain)?.adding(said).bytes ?? []
    let reached = next
    outcome.merged.add(
      try storage {
        try store.write { transaction in
          try transaction.require(session.replica, progress, of: replica)
          let merged = try transaction.merge(said)
          try transaction.setProgress(reached, of: replica)
          return merged
        }
      })
    return next
  }

  /// What members say again of a replica, without gaps after one of its operations.
  private func saidAgain(
    by replica: ReplicaID, after last: Int64, _ outcome: inout PullOutcome
  ) throws(UserError) -> [Operation] {
    // They are among all that is said of the library: read again only when something came.
    if outcome.said?.count != outcome.merged.count {
      outcome.said = (try allSaidAgain(), outcome.merged.count)
    }
    let found = outcome.said?.operations[replica] ?? []
    return Self.withoutGaps(found.filter { $0.dot.sequence > last }, after: last)
  }

  /// What members say again of each replica, in order.
  private func allSaidAgain() throws(UserError) -> [ReplicaID: [Operation]] {
    let properties = try storage { try store.read { try $0.properties() } }
    let found = properties.compactMap { name, value -> Operation? in
      guard let dot = name.said,
        let operation = try? JSONDecoder().decode(Operation.self, from: Data(value.utf8)),
        operation.dot == dot
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
