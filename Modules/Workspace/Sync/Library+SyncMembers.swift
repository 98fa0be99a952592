import FoundationEssentials
import Glibc
import Model
import Storage
package import Sync
package import SystemSupport

/// What a new place is to be.
package struct SyncOffer: Sendable {
  /// The id of the transport.
  package var transport: String
  /// The address, by the transport's rules.
  package var address: String
  /// What this machine is called on the others.
  package var device: String

  /// Makes an offer of its parts.
  package init(transport: String, address: String, device: String) {
    (self.transport, self.address, self.device) = (transport, address, device)
  }
}

extension Library {
  /// Begins to sync the library: makes a vault at a place that holds none.
  ///
  /// - Throws: `conflict` when the library is synced already, or there is a vault.
  package func beginSync(
    _ offer: SyncOffer, passphrase: String, cost: PassphraseCost = .usual,
    _ allowance: SyncOptions = SyncOptions()
  ) async throws(UserError) -> SyncReport {
    let lock = try await lockSync()
    defer { lock.unlock() }
    try await requireUnsynced(offer)
    let connection = try await connect(offer.transport, offer.address)
    try await closing(connection) { () async throws(UserError) in
      let vaults = try await vaults(connection)
      if let (vault, secrets) = try await unfinishedVault(vaults, passphrase, connection) {
        try setSyncPlace(place(offer, vault))
        try secrets.write(try ownReplica(), at: location)
        return
      }
      guard vaults.isEmpty else {
        throw UserError(
          .conflict, "\(offer.address) is in use for syncing already",
          hint: "\(command: "sync", "join", .word(offer.transport), "ADDRESS") joins it")
      }
      let replica = try ownReplica()
      let device = DeviceKeys.random()
      let vault = VaultID.random()
      let (record, keys) = try Self.sealing {
        try EpochRecord.issue(
          keys: VaultKeys(vault: vault), after: nil, issuer: replica, device: device,
          devices: [replica: device.publicKeys], passphrase: (passphrase, cost))
      }
      // The keys are safe before anything is sealed with them.
      try SyncSecrets(device: device, vault: keys).write(replica, at: location)
      do throws(TransportError) {
        try await connection.put([TransportObject(record.object, record.bytes)])
      } catch { throw UserError(error) }
      let others = try await self.vaults(connection).filter { $0.key != vault }
      if others.contains(where: { Self.isInUse($0.value) || $0.key < vault }) {
        do throws(TransportError) { try await connection.delete([record.object]) } catch {
          throw UserError(error)
        }
        try SyncSecrets.remove(replica, at: location)
        throw Self.alsoBegun(offer)
      }
      try setSyncPlace(place(offer, vault))
    }
    let report = try await firstSync(offer, allowance, lock)
    try await yieldToOther(offer)
    return report
  }

  /// The sync that follows a setup. Where it fails, the setup stays: an error must not say that
  /// nothing was done, since the same command is refused then.
  private func firstSync(
    _ offer: SyncOffer, _ allowance: SyncOptions, _ lock: FileLock
  ) async throws(UserError) -> SyncReport {
    do throws(UserError) { return try await sync(allowance, lock) } catch {
      throw UserError(
        .unconfirmed, "\(offer.address) is set up, but the first sync failed: \(error.message)",
        hint: "\(command: "sync") goes on with it")
    }
  }

  /// Looks once more for a vault that another device began at the same time, now that this one is in
  /// use: of two that went on because each looked before the other was there, one gives way.
  private func yieldToOther(_ offer: SyncOffer) async throws(UserError) {
    let (place, replica) = (try requireSyncPlace(), try ownReplica())
    // That it cannot be looked at now takes nothing back of what was done.
    guard let vault = VaultID(place.vault), let connection = try? await connect(place) else {
      return
    }
    try await closing(connection) { () async throws(UserError) in
      guard let found = try? await vaults(connection), let own = found[vault],
        found.contains(where: { Self.isInUse($0.value) && $0.key < vault }),
        own.allSatisfy({ $0.replica == replica })
      else { return }
      do throws(TransportError) { try await connection.delete(own) } catch {
        throw UserError(error)
      }
      // Nobody has read anything of it, so that all of it can be sent again under the same name.
      try storage { try store.write { try $0.forgetSync() } }
      try SyncSecrets.remove(replica, at: location)
      throw Self.alsoBegun(offer)
    }
  }

  /// Whether a vault holds more than the record with which it is begun: its device will not give way
  /// any more to one that comes later.
  private static func isInUse(_ names: [ObjectName]) -> Bool {
    names.contains { $0.syncFile?.kind != .epoch(1) && $0.syncFile != nil }
  }

  private static func alsoBegun(_ offer: SyncOffer) -> UserError {
    UserError(
      .conflict, "another device has just set up \(offer.address)",
      hint: """
        nothing is lost here; \(command: "sync", "join", .word(offer.transport), .word(offer.address)) \
        joins it
        """)
  }

  /// Joins the vault at a place by its passphrase.
  package func joinSync(
    _ offer: SyncOffer, passphrase: String, _ allowance: SyncOptions = SyncOptions()
  ) async throws(UserError) -> SyncReport {
    let lock = try await lockSync()
    defer { lock.unlock() }
    let replica = try await prepareJoining(offer)
    let connection = try await connect(offer.transport, offer.address)
    try await closing(connection) { () async throws(UserError) in
      let (vault, records) = try await epochs(connection, at: offer)
      guard Self.ends(records).contains(where: \.hasPassphrase) else {
        throw UserError(
          .conflict, "the vault cannot be joined with a passphrase",
          hint:
            "\(command: "sync", "join", "--pair", .word(offer.transport), "ADDRESS") asks a device")
      }
      let keys = try Self.keys(records, passphrase: passphrase)
      let secrets = SyncSecrets(device: .random(), vault: keys)
      var session = SyncSession(
        connection: connection, place: place(offer, vault), vault: vault, replica: replica,
        secrets: secrets, keys: keys)
      try await list(&session)
      _ = try await followMembers(&session)
      try secrets.write(replica, at: location)
      try setSyncPlace(place(offer, vault))
    }
    return try await firstSync(offer, allowance, lock)
  }

  /// Ends syncing on this machine. The library stays as it is, and so does what is at the place.
  ///
  /// - Parameter time: how long it is waited for a sync that is running.
  /// - Returns: how many operations were not sent.
  /// - Throws: `syncIsRunning`: what it is sending would be said again under another name.
  @discardableResult
  package func leaveSync(within time: Duration = syncPatience) async throws(UserError) -> Int64 {
    _ = try requireSyncPlace()
    let lock = try await lockSync(within: time)
    defer { lock.unlock() }
    let unsent = try syncStatus().unsent
    let replica = try ownReplica()
    try renewIdentity()
    try SyncSecrets.remove(replica, at: location)
    return unsent
  }

  /// Goes on as a device that nobody knows: under the old name nothing more may be done, which others
  /// would take for a second history.
  private func renewIdentity() throws(UserError) {
    let replica = try ownReplica()
    try storage {
      try store.write { transaction in
        try transaction.renewIdentity(as: .random(), after: transaction.progress()[replica])
        try transaction.forgetSync()
      }
    }
  }

  // MARK: - Parts of it

  func place(_ offer: SyncOffer, _ vault: VaultID) -> SyncPlace {
    SyncPlace(
      transport: offer.transport, address: offer.address, vault: vault.description,
      device: offer.device, since: now().milliseconds, asked: nil)
  }

  private func requireUnsynced(_ offer: SyncOffer) async throws(UserError) {
    try requireOutside(offer)
    guard let place = try syncPlace() else { return }
    throw UserError(
      .conflict, "this library is synced with \(place.address) already",
      hint: "\(command: "sync", "leave") ends that first")
  }

  /// Refuses a folder within the library's own: what others put there would be in backups of it, and in
  /// the way of what Diple keeps there.
  private func requireOutside(_ offer: SyncOffer) throws(UserError) {
    guard offer.transport == "folder" else { return }
    let folder = String(offer.address.prefix { $0 != "?" })
    let (inner, outer) = (FileSystem.resolved(folder) ?? folder, location.folder)
    guard "\(inner)/".hasPrefix("\(FileSystem.resolved(outer) ?? outer)/") else { return }
    throw UserError(
      .usage, "\(folder) lies within the library itself",
      hint: "choose a folder that Syncthing, a cloud drive or a network carries")
  }

  /// Sees to it that this copy can join: one that was copied with its name from another machine gets a
  /// name of its own.
  func prepareJoining(_ offer: SyncOffer) async throws(UserError) -> ReplicaID {
    try requireOutside(offer)
    if try syncPlace() != nil {
      guard try SyncSecrets.read(try ownReplica(), at: location) == nil else {
        try await requireUnsynced(offer)
        return try ownReplica()
      }
      try renewIdentity()
    }
    return try ownReplica()
  }

  /// The vault that this copy of the library began to make at a place, and could not finish: nobody else
  /// is in it, and the keys are here.
  private func unfinishedVault(
    _ vaults: [VaultID: [ObjectName]], _ passphrase: String, _ connection: any TransportConnection
  ) async throws(UserError) -> (VaultID, SyncSecrets)? {
    guard vaults.count == 1, let (vault, names) = vaults.first, names.count == 1,
      case .epoch(1)? = names[0].syncFile?.kind, names[0].replica == (try ownReplica()),
      let secrets = try SyncSecrets.read(try ownReplica(), at: location), secrets.vault != nil,
      let bytes = try? await connection.get(names[0], limit: 4 << 20),
      let record = try? EpochRecord(bytes, named: names[0]),
      record.issuerKeys == secrets.device.publicKeys,
      (try? record.keys(passphrase: passphrase)) == secrets.vault
    else { return nil }
    return (vault, secrets)
  }

  private func vaults(_ connection: any TransportConnection) async throws(UserError) -> [VaultID:
    [ObjectName]]
  {
    do {
      let listing = try await connection.list(since: nil)
      return Dictionary(grouping: listing.entries.map(\.name), by: \.vault)
    } catch { throw UserError(error) }
  }

  static func noVault(_ offer: SyncOffer) -> UserError {
    UserError(
      .notFound, "nothing is synced with \(offer.address) yet",
      hint: """
        \(command: "sync", "init", .word(offer.transport), "ADDRESS") sets it up; what another device \
        sent may not have arrived yet
        """)
  }

  /// The one vault at a place, with its epochs.
  func epochs(_ connection: any TransportConnection, at offer: SyncOffer)
    async throws(UserError) -> (VaultID, [EpochRecord])
  {
    let vaults = try await vaults(connection)
    guard vaults.count <= 1 else {
      throw UserError(
        .ambiguous, "\(offer.address) holds \(vaults.count.counted("vault"))",
        hint: "use a separate target for each library")
    }
    guard let (vault, names) = vaults.first else { throw Self.noVault(offer) }
    var records: [EpochRecord] = []
    for name in names.sorted() {
      guard case .epoch? = name.syncFile?.kind else { continue }
      let bytes: [UInt8]?
      do throws(TransportError) { bytes = try await connection.get(name, limit: 4 << 20) } catch {
        throw UserError(error)
      }
      if let bytes, let record = try? EpochRecord(bytes, named: name) { records.append(record) }
    }
    guard !records.isEmpty else { throw Self.noVault(offer) }
    return (vault, records)
  }

  /// The records that none follows, the last epoch's first; there are several where devices revoked
  /// others at the same time, or where somebody who has an older key added some.
  static func ends(_ records: [EpochRecord]) -> [EpochRecord] {
    let followed = Set(records.map(\.previous))
    return records.filter { !followed.contains($0.hash) }.sorted {
      $0.epoch != $1.epoch ? $0.epoch > $1.epoch : $0.hash.lexicographicallyPrecedes($1.hash)
    }
  }

  /// The keys that a passphrase opens in one of the last records. Each try is meant to be slow, so that
  /// of more than people can have made only the first are tried; anybody can add some that follow them.
  private static func keys(_ records: [EpochRecord], passphrase: String) throws(UserError)
    -> VaultKeys
  {
    let ends = ends(records)
    let others = records.filter { !ends.contains($0) }.sorted { $0.epoch > $1.epoch }
    var problem = PassphraseError.wrongPassphrase
    for record in (ends + others).filter(\.hasPassphrase).prefix(4) {
      do throws(PassphraseError) { return try record.keys(passphrase: passphrase) } catch {
        if error != .wrongPassphrase { problem = error }
      }
    }
    throw UserError(
      problem == .wrongPassphrase ? .usage : .conflict,
      problem == .wrongPassphrase ? "wrong passphrase" : problem.description)
  }

  static func sealing<T>(_ body: () throws -> T) throws(UserError) -> T {
    do { return try body() } catch { throw UserError(.conflict, "\(error)") }
  }
}
