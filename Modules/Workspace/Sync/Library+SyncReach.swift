import Model
import Storage
import Sync
import SystemSupport

/// How far a device counts that was revoked.
extension Library {
  /// How far a device counts that was revoked: as far as who revoked it knew it, or as far as others knew
  /// it then who are members still. Nil for one that was not.
  func reach(of replica: ReplicaID, _ session: SyncSession) throws(UserError)
    -> Revocation?
  {
    guard let revoked = session.epochs?.revoked, var reach = revoked[replica] else { return nil }
    let said = try storage { try store.read { try $0.operations(on: .reach(replica)) } }
    for operation in said where revoked[operation.dot.replica] == nil {
      guard case .text(let text) = operation.value,
        let other = Revocation(of: replica, said: text), reach.last < other.last
      else { continue }
      reach = other
    }
    return reach
  }

  /// Says of revoked devices of which more is known here than who revoked them knew: what was applied
  /// here is to count everywhere.
  func grantReach(_ progress: [ReplicaID: ReplicaProgress], _ session: SyncSession)
    throws(UserError)
  {
    for replica in (session.epochs?.revoked.keys.sorted() ?? []) {
      guard let here = progress[replica], let chain = ChainHash(bytes: here.chain),
        let reach = try reach(of: replica, session), reach.last < here.sequence
      else { continue }
      let said = Revocation(replica: replica, last: here.sequence, chain: chain).said
      try storage {
        try store.write { transaction in
          transaction.journal(JournalStep(nil))
          _ = try transaction.setProperty(.reach(replica), said, of: .library)
        }
      }
    }
  }
}

extension Revocation {
  /// How far it goes, as a property of the library says it: the last sequence, and what the operations
  /// up to it add up to.
  fileprivate var said: String { "\(last) \(chain)" }

  fileprivate init?(of replica: ReplicaID, said text: String) {
    let words = text.split(separator: " ")
    guard words.count == 2, let last = Int64(words[0]), last > 0,
      let chain = ChainHash(String(words[1]))
    else { return nil }
    self.init(replica: replica, last: last, chain: chain)
  }
}
