package import Model
import Storage
package import Sync
package import SystemSupport

/// The key of the vault is changed: so that a device that is revoked does not get the new one, and so
/// that another passphrase opens what comes from then on.
extension Library {
  /// Shuts a device out: what it does from now on counts no more, and what the others do is sealed with
  /// a key that it does not get. What it has, it keeps.
  ///
  /// - Parameter passphrase: of the vault from now on; nil when it is to have none.
  /// - Returns: what the sync did that follows.
  @discardableResult
  package func revoke(
    _ replica: ReplicaID, passphrase: String?, cost: PassphraseCost = .usual
  ) async throws(UserError) -> SyncReport {
    try await changeKey(revoking: replica, passphrase: passphrase.map { ($0, cost) })
  }

  /// Has another passphrase open the vault from now on. It comes with a new key: what the old one
  /// opens is at the place for good, and must not open what comes.
  ///
  /// - Returns: what the sync did that follows.
  @discardableResult
  package func setPassphrase(
    _ passphrase: String, cost: PassphraseCost = .usual
  ) async throws(UserError) -> SyncReport {
    try await changeKey(revoking: nil, passphrase: (passphrase, cost))
  }

  private func changeKey(
    revoking replica: ReplicaID?, passphrase: (words: String, cost: PassphraseCost)?
  ) async throws(UserError) -> SyncReport {
    let lock = try await lockSync()
    defer { lock.unlock() }
    var session = try await openSession(try requireSyncPlace())
    try await closing(session.connection) { () async throws(UserError) in
      try await readMembers(&session)
      // What nobody has settled yet of what was revoked at the same time is settled with it.
      var revoked = session.epochs?.unsettled ?? []
      if let replica { revoked.append(try revocation(of: replica, session)) }
      if let passphrase, let last = session.epochs?.records.last, last.hasPassphrase,
        (try? last.keys(passphrase: passphrase.words)) != nil
      {
        throw UserError(
          .usage,
          "that is the passphrase that the vault has now"
            + (replica == nil ? "" : ": the device knows it"),
          hint: "choose another one")
      }
      try await beginEpoch(&session, revoking: revoked, passphrase: passphrase)
    }
    return try await sync(SyncAllowance(), lock)
  }

  /// What is granted to a device that a person revokes: what is known of it here.
  private func revocation(of replica: ReplicaID, _ session: SyncSession) throws(UserError)
    -> Revocation
  {
    guard replica != session.replica else {
      throw UserError(
        .usage, "this is the device itself",
        hint:
          "run \(command: "sync", "revoke") on another one, or \(command: "sync", "leave") here")
    }
    guard session.devices[replica] != nil else { throw UserError(.notFound, "no such device") }
    guard session.epochs?.revoked[replica] == nil else {
      throw UserError(.nothing, "\(session.deviceName(replica)) was revoked already")
    }
    let start = ChainHash.start(vault: session.vault, replica: replica)
    let known = try storage { try store.read { try $0.progress() } }[replica]
    // After a repair it is not known what they add up to, and they count all the same.
    return Revocation(
      replica: replica, last: known?.sequence ?? 0,
      chain: known.flatMap { ChainHash(bytes: $0.chain) } ?? start)
  }

  /// Begins an epoch whose key nobody gets who was revoked, with it or before.
  private func beginEpoch(
    _ session: inout SyncSession, revoking revoked: [Revocation],
    passphrase: (words: String, cost: PassphraseCost)?
  ) async throws(UserError) {
    guard let epochs = session.epochs, let last = epochs.records.last else { return }
    let gone = Set(epochs.revoked.keys).union(revoked.map(\.replica))
    let (device, keys, replica) = (session.secrets.device, session.keys, session.replica)
    var remaining = session.devices.filter { !gone.contains($0.key) }.mapValues(\.publicKeys)
    remaining[replica] = device.publicKeys
    let devices = remaining
    let (record, _) = try Self.sealing {
      try EpochRecord.issue(
        keys: keys, after: last, issuer: replica, device: device, devices: devices,
        revoked: revoked, passphrase: passphrase)
    }
    try await session.put([TransportObject(record.object, record.bytes)])
    session.listing[record.object] = record.bytes.count
    try await readMembers(&session)
  }

  /// Takes the key from devices that others revoked beside the line that all follow now: they know that
  /// line's key still.
  func settleRevocations(_ session: inout SyncSession, _ report: inout SyncReport)
    async throws(UserError)
  {
    guard let epochs = session.epochs, !epochs.unsettled.isEmpty else { return }
    let names = epochs.unsettled.map { session.deviceName($0.replica) }
    try await beginEpoch(&session, revoking: epochs.unsettled, passphrase: nil)
    report.notices.append(
      "devices were revoked at the same time on several devices: the key was changed again, without "
        + names.joined(separator: ", "))
  }

  /// Remembers whether a passphrase opens the vault.
  ///
  /// - Returns: that, where it was not so before.
  func notePassphrase(_ session: SyncSession) throws(UserError) -> VaultPassphrase? {
    guard let epochs = session.epochs, let last = epochs.records.last else { return nil }
    let new: VaultPassphrase =
      last.hasPassphrase ? .set : epochs.hasLostPassphrase ? .lost : .unset
    return try storage {
      guard try store.read({ try $0.syncState("passphrase") }) != Array(new.rawValue.utf8) else {
        return nil
      }
      try store.writeCache {
        try $0.setSyncState("passphrase", Array(new.rawValue.utf8))
      }
      return new
    }
  }
}
