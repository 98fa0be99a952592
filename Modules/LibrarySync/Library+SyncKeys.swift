package import Model
import Storage
package import Sync
package import SystemSupport
package import Workspace

/// Changes the key of the vault. This is done to revoke a device, which then cannot read later
/// data, or to change the passphrase.
extension Library {
  /// Revokes a device and syncs.
  ///
  /// The device's later operations are ignored, and later data is encrypted with a key that it does
  /// not receive. It keeps the data that it has.
  ///
  /// - Parameters:
  ///   - replica: the device to revoke.
  ///   - passphrase: the new passphrase of the vault; nil for none.
  ///   - cost: the cost of deriving a key from the passphrase.
  ///   - options: the options of the sync.
  /// - Returns: the report of the sync.
  /// - Throws: `usage` for this device itself or an unchanged passphrase, `notFound` for an unknown
  ///   device, `nothing` for a device that is already revoked, or the error of the sync.
  @discardableResult
  package func revoke(
    _ replica: ReplicaID, passphrase: String?, cost: PassphraseCost = .usual,
    _ options: SyncOptions = SyncOptions()
  ) async throws(UserError) -> SyncReport {
    try await changeKey(revoking: replica, passphrase: passphrase.map { ($0, cost) }, options)
  }

  /// Sets a new passphrase for the vault and syncs.
  ///
  /// The key changes, too: data at the target that the old passphrase can open remains there, but
  /// later data must not be readable with the old passphrase.
  ///
  /// - Returns: the report of the sync.
  /// - Throws: `usage` if the passphrase is unchanged, or the error of the sync.
  @discardableResult
  package func setPassphrase(
    _ passphrase: String, cost: PassphraseCost = .usual, _ options: SyncOptions = SyncOptions()
  ) async throws(UserError) -> SyncReport {
    try await changeKey(revoking: nil, passphrase: (passphrase, cost), options)
  }

  private func changeKey(
    revoking replica: ReplicaID?, passphrase: (words: String, cost: PassphraseCost)?,
    _ options: SyncOptions
  ) async throws(UserError) -> SyncReport {
    let lock = try await lockSync()
    defer { lock.unlock() }
    var session = try await openSession(try requireSyncPlace())
    try await closing(session.connection) { () async throws(UserError) in
      try await readMembers(&session)
      // Devices revoked on another branch still have this branch's key. Exclude them with the same
      // change.
      var revoked = session.epochs?.unsettled ?? []
      if let replica { revoked.append(try revocation(of: replica, session)) }
      if let passphrase, let last = session.epochs?.records.last, last.hasPassphrase,
        (try? last.keys(passphrase: passphrase.words)) != nil
      {
        throw UserError(
          .usage,
          "the vault has this passphrase already"
            + (replica == nil ? "" : ", and the revoked device may know it"),
          hint: "choose another passphrase")
      }
      try await beginEpoch(&session, revoking: revoked, passphrase: passphrase)
    }
    return try await sync(options, lock)
  }

  /// Creates the revocation of a device: its last operation that this library knows, and the chain
  /// hash up to this operation.
  ///
  /// - Throws: `usage` for this device itself, `notFound` for an unknown device, `nothing` for a
  ///   revoked one.
  private func revocation(of replica: ReplicaID, _ session: SyncSession) throws(UserError)
    -> Revocation
  {
    guard replica != session.replica else {
      throw UserError(
        .usage, "a device cannot revoke itself",
        hint:
          "run \(action: "sync.revoke") on another one, or \(action: "sync.leave") here")
    }
    guard session.devices[replica] != nil else { throw UserError(.notFound, "no such device") }
    guard session.epochs?.revoked[replica] == nil else {
      throw UserError(.nothing, "\(session.deviceName(replica)) was revoked already")
    }
    let start = ChainHash.start(vault: session.vault, replica: replica)
    let known = try storage { try store.read { try $0.progress() } }[replica]
    // After a repair, the chain hash may be unknown. The operations are still valid.
    return Revocation(
      replica: replica, last: known?.sequence ?? 0,
      chain: known.flatMap { ChainHash(bytes: $0.chain) } ?? start)
  }

  /// Begins an epoch with a new key. Neither the given revoked devices nor those of earlier epochs
  /// receive it.
  ///
  /// - Throws: `conflict` if the record cannot be sealed or this device is not a member any more;
  ///   the error of the transport.
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

  /// Changes the key if devices were revoked on another branch of epochs. These devices still know
  /// the key of the branch that all devices follow now.
  ///
  /// - Throws: the error of the transport if the new epoch cannot be uploaded; `conflict` if this
  ///   device is not a member any more.
  func settleRevocations(_ session: inout SyncSession, _ report: inout SyncReport)
    async throws(UserError)
  {
    guard let epochs = session.epochs, !epochs.unsettled.isEmpty else { return }
    let names = epochs.unsettled.map { session.deviceName($0.replica) }
    try await beginEpoch(&session, revoking: epochs.unsettled, passphrase: nil)
    report.notices.append(
      "several devices revoked others at the same time: the key was changed again, to exclude "
        + names.joined(separator: ", "))
  }

  /// Stores whether the vault has a passphrase, has none, or lost it in a change of keys.
  ///
  /// - Returns: the new state; nil if it is unchanged.
  /// - Throws: `damaged` or `conflict` if the library cannot be written.
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
