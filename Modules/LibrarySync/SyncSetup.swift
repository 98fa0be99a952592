import FoundationEssentials
import Glibc
import Model
import Storage
package import Sync
package import SystemSupport
package import Workspace

/// The secret keys of one copy of a library. They are stored in a file of the user outside of the
/// library, so a copy of the library does not contain them.
struct SyncSecrets: Sendable {
  var device: DeviceKeys
  var vault: VaultKeys?

  private struct Stored: Codable {
    var version: Int
    var device: Data
    var vault: Data?
  }

  /// Returns the path of the key file for a replica.
  ///
  /// - Throws: `usage` if HOME is not set.
  static func path(of replica: ReplicaID, at location: LibraryLocation) throws(UserError) -> String
  {
    guard let state = location.state else {
      throw UserError(
        .usage, "no folder for the keys: HOME is not set",
        hint: "set HOME or XDG_STATE_HOME")
    }
    return "\(state)/sync/\(replica).key"
  }

  /// Reads the keys; nil if the file does not exist.
  ///
  /// - Throws: `conflict` if the file cannot be read or other users can access it; `damaged` if its
  ///   content is invalid.
  static func read(_ replica: ReplicaID, at location: LibraryLocation) throws(UserError)
    -> SyncSecrets?
  {
    let path = try path(of: replica, at: location)
    let content: [UInt8]?
    do { content = try PrivateFile.content(of: path) } catch {
      throw UserError(.conflict, "cannot read the keys in \(path): \(error)")
    }
    guard let content else { return nil }
    var status = stat()
    guard lstat(path, &status) != 0 || status.st_mode & 0o077 == 0 else {
      throw UserError(
        .conflict, "others can read or change the keys in \(path)",
        hint:
          "chmod 600 \(path.shellQuoted); if another user may have read them, revoke this device")
    }
    guard let stored = try? JSONDecoder().decode(Stored.self, from: Data(content)),
      stored.version == 1, let device = DeviceKeys(stored: Array(stored.device))
    else { throw UserError(.damaged, "the keys in \(path) cannot be read") }
    let vault = stored.vault.flatMap { VaultKeys(stored: Array($0)) }
    if stored.vault != nil, vault == nil {
      throw UserError(.damaged, "the keys in \(path) cannot be read")
    }
    return SyncSecrets(device: device, vault: vault)
  }

  /// Writes the keys. They are durable when this returns.
  ///
  /// - Throws: `conflict` if the file cannot be written.
  func write(_ replica: ReplicaID, at location: LibraryLocation) throws(UserError) {
    let path = try Self.path(of: replica, at: location)
    let stored = Stored(
      version: 1, device: Data(device.stored), vault: vault.map { Data($0.stored) })
    do {
      try PrivateFile.makeFolder(path.parentFolder)
      let bytes = Array(try JSONEncoder.ordered().encode(stored))
      let replacement = try AtomicReplacement(of: path, with: bytes, mode: 0o600)
      try replacement.commit()
      AtomicReplacement.makeDurable([path])
    } catch { throw UserError(.conflict, "cannot write the keys to \(path): \(error)") }
  }

  /// Deletes the key file. A missing file is not an error.
  ///
  /// - Throws: `usage` if HOME is not set.
  static func remove(_ replica: ReplicaID, at location: LibraryLocation) throws(UserError) {
    unlink(try path(of: replica, at: location))
  }
}

/// The target to set up or join, as the user entered it.
package struct SyncOffer: Sendable {
  /// The identifier of the transport.
  package var transport: String
  /// The address in the transport's notation.
  package var address: String
  /// The name of this device, which the other devices display.
  package var device: String

  package init(transport: String, address: String, device: String) {
    (self.transport, self.address, self.device) = (transport, address, device)
  }

  /// The members of a request for the transport. The user has to supply the address, which may
  /// contain a password.
  fileprivate var withoutAddress: [String: Remedy.Member] {
    ["transport": .text(transport), "address": .asked("address")]
  }
}

extension Library {
  /// Sets up syncing: creates a vault at a target that contains none, and syncs.
  ///
  /// If an earlier attempt was interrupted, its vault is used.
  ///
  /// - Returns: the report of the first sync.
  /// - Throws: `conflict` if the library is synced already, the target contains a vault, or another
  ///   device sets up the target at the same time; `usage` if the target is a folder in the
  ///   library; `unconfirmed` if the setup succeeded but the first sync failed; the error of the
  ///   transport.
  package func beginSync(
    _ offer: SyncOffer, passphrase: String, cost: PassphraseCost = .usual,
    _ options: SyncOptions = SyncOptions()
  ) async throws(UserError) -> SyncReport {
    let lock = try await lockSync()
    defer { lock.unlock() }
    try await requireUnsynced(offer)
    try renewIdentityOfCopy()
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
          hint: """
            \(action: "sync.join", offer.withoutAddress) joins it and merges the libraries
            """)
      }
      let replica = try ownReplica()
      let device = DeviceKeys.random()
      let vault = VaultID.random()
      let (record, keys) = try Self.sealing {
        try EpochRecord.issue(
          keys: VaultKeys(vault: vault), after: nil, issuer: replica, device: device,
          devices: [replica: device.publicKeys], passphrase: (passphrase, cost))
      }
      // The keys must be durable before anything is sealed with them.
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
    var report = try await firstSync(offer, options, lock)
    try await abandonForOther(offer)
    if offer.transport == "postgres" {
      report.notices.append(Self.grantNotice(offer, try requireSyncPlace().vault))
    }
    return report
  }

  /// Syncs after a setup. If the sync fails, the setup remains. The error reports this, because the
  /// setup cannot be repeated.
  ///
  /// - Throws: `unconfirmed` if the sync fails.
  private func firstSync(
    _ offer: SyncOffer, _ options: SyncOptions, _ lock: FileLock
  ) async throws(UserError) -> SyncReport {
    do throws(UserError) { return try await sync(options, lock) } catch {
      throw UserError(
        .unconfirmed, "\(offer.address) is set up, but the first sync failed: \(error.message)",
        hint: "\(action: "sync.now") tries again")
    }
  }

  /// Checks again whether another device set up the target at the same time, now that this vault is
  /// in use. If both devices checked before the other one uploaded anything, only the vault with
  /// the lower number remains.
  ///
  /// - Throws: `conflict` if this vault was abandoned.
  private func abandonForOther(_ offer: SyncOffer) async throws(UserError) {
    let (place, replica) = (try requireSyncPlace(), try ownReplica())
    // A failure of this check must not make the successful setup fail.
    guard let vault = VaultID(place.vault), let connection = try? await connect(place) else {
      return
    }
    try await closing(connection) { () async throws(UserError) in
      guard let found = try? await vaults(connection), let objects = found[vault],
        found.contains(where: { Self.isInUse($0.value) && $0.key < vault }),
        objects.allSatisfy({ $0.replica == replica })
      else { return }
      do throws(TransportError) { try await connection.delete(objects) } catch {
        throw UserError(error)
      }
      // No other device has read the vault, so all operations can be sent again under the same
      // name.
      try storage { try store.write { try $0.forgetSync() } }
      try SyncSecrets.remove(replica, at: location)
      throw Self.alsoBegun(offer)
    }
  }

  /// Returns whether a vault contains more than its first record, so that its device has begun to
  /// sync with it.
  private static func isInUse(_ names: [ObjectName]) -> Bool {
    names.contains { $0.syncFile?.kind != .epoch(1) && $0.syncFile != nil }
  }

  /// Returns a notice with the SQL command that admits another role to a vault in a database.
  private static func grantNotice(_ offer: SyncOffer, _ vault: String) -> String {
    """
    only your role can use it; to admit another: psql \(offer.address.shellQuoted) -c \
    "SELECT diple.grant_vault('\\x\(vault)', 'ROLE')"
    """
  }

  private static func alsoBegun(_ offer: SyncOffer) -> UserError {
    UserError(
      .conflict, "another device has just set up \(offer.address)",
      hint: """
        nothing is lost here; \(action: "sync.join", [
          "transport": .text(offer.transport), "address": .text(offer.address),
        ]) joins it
        """)
  }

  /// Joins the vault at a target with its passphrase, and syncs.
  ///
  /// - Returns: the report of the first sync.
  /// - Throws: `usage` for a wrong passphrase or a folder in the library; `notFound` if the target
  ///   contains no vault; `conflict` if the library is synced already or the vault has no
  ///   passphrase; `unconfirmed` if joining succeeded but the first sync failed; the error of the
  ///   transport.
  package func joinSync(
    _ offer: SyncOffer, passphrase: String, _ options: SyncOptions = SyncOptions()
  ) async throws(UserError) -> SyncReport {
    let lock = try await lockSync()
    defer { lock.unlock() }
    let replica = try await prepareJoining(offer)
    let connection = try await connect(offer.transport, offer.address)
    try await closing(connection) { () async throws(UserError) in
      let (vault, records) = try await epochs(connection, at: offer)
      guard Self.ends(records).contains(where: \.hasPassphrase) else {
        throw UserError(
          .conflict, "no passphrase is set, so this target cannot be joined with one",
          hint:
            "\(action: "sync.ask", offer.withoutAddress) asks a device to let you in"
        )
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
    return try await firstSync(offer, options, lock)
  }

  /// Ends syncing on this device. All records stay, but earlier changes can no longer be undone. If
  /// the target can be reached, the record of this device there states that it has left; the other
  /// objects at the target are not changed.
  ///
  /// - Parameter time: the maximum time to wait for a running sync.
  /// - Returns: the number of operations that were not sent, and whether the other devices will
  ///   list this one as left.
  /// - Throws: `nothing` if the library is not synced; ``UserError/syncIsRunning``, because the
  ///   operations that a running sync is sending would be sent again under another name.
  @discardableResult
  package func leaveSync(within time: Duration = syncLockTimeout) async throws(UserError)
    -> (unsent: Int64, isStated: Bool)
  {
    let place = try requireSyncPlace()
    let lock = try await lockSync(within: time)
    defer { lock.unlock() }
    let unsent = try syncStatus().unsent
    let replica = try ownReplica()
    // The original of a copy may be on this machine. It uses the same keys and the same record at
    // the target, so a copy leaves both unchanged.
    let isCopy = try noticeCopy()
    // The target may be unreachable, which must not prevent leaving.
    let isStated = isCopy ? false : (try? await stateLeaving(place)) ?? false
    try renewIdentity()
    if !isCopy { try SyncSecrets.remove(replica, at: location) }
    return (unsent, isStated)
  }

  /// Publishes that this device leaves the vault.
  ///
  /// - Returns: false if this device never published a record. The other devices do not list it
  ///   then.
  /// - Throws: the errors of `sync`.
  private func stateLeaving(_ place: SyncPlace) async throws(UserError) -> Bool {
    guard place.asked == nil else { return false }
    var session = try await openSession(place)
    return try await closing(session.connection) { () async throws(UserError) in
      _ = try await followMembers(&session)
      guard var record = session.devices[session.replica] else { return false }
      record.left = max(0, min(now().milliseconds, 1 << 47 - 1))
      let (keys, device) = (session.keys, session.secrets.device)
      let sealed = try Self.sealing { try record.sealed(keys: keys, device: device) }
      try await put([TransportObject(sealed.object, sealed.bytes)], &session)
      return true
    }
  }

  /// Assigns a new identity to this copy. Other devices would treat further operations under the
  /// old one as a second history.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be written.
  private func renewIdentity() throws(UserError) {
    try storage {
      try store.write { transaction in
        try transaction.renewIdentity(as: .random(), after: transaction.namedProgress())
        try transaction.forgetSync()
      }
    }
  }

  // MARK: - Helpers

  func place(_ offer: SyncOffer, _ vault: VaultID) -> SyncPlace {
    SyncPlace(
      transport: offer.transport, address: offer.address, vault: vault.description,
      device: offer.device, since: now().milliseconds, asked: nil)
  }

  /// Checks that the library is not synced yet.
  ///
  /// - Throws: `conflict` if it is; `usage` if the target is a folder in the library.
  package func requireUnsynced(_ offer: SyncOffer) async throws(UserError) {
    try requireOutside(offer)
    guard let place = try syncPlace() else { return }
    throw UserError(
      .conflict, "this library is synced with \(place.address) already",
      hint: "\(action: "sync.leave") ends that first")
  }

  /// Checks that a folder is not in the library's own folder. Objects there would be included in
  /// backups of the library, and could conflict with Diple's own files.
  ///
  /// - Throws: `usage` if it is.
  private func requireOutside(_ offer: SyncOffer) throws(UserError) {
    guard offer.transport == "folder" else { return }
    let folder = String(offer.address.prefix { $0 != "?" })
    let (inner, outer) = (FileSystem.resolved(folder) ?? folder, location.folder)
    guard "\(inner)/".hasPrefix("\(FileSystem.resolved(outer) ?? outer)/") else { return }
    throw UserError(
      .usage, "\(folder) is inside the library's own folder",
      hint: "choose a folder that Syncthing, a cloud drive or a network disk shares")
  }

  /// Prepares this library for joining. If it was copied together with its identity, it gets a new
  /// identity.
  ///
  /// - Returns: the identifier of this copy.
  /// - Throws: `conflict` if the library is synced already; `usage` if the target is a folder in
  ///   the library.
  func prepareJoining(_ offer: SyncOffer) async throws(UserError) -> ReplicaID {
    try requireOutside(offer)
    if try syncPlace() != nil {
      guard try SyncSecrets.read(try ownReplica(), at: location) == nil else {
        try await requireUnsynced(offer)
        return try ownReplica()
      }
      try renewIdentity()
    } else {
      try renewIdentityOfCopy()
    }
    return try ownReplica()
  }

  /// Assigns a new identity to this library if it is a copy, because its original continues under
  /// the old one.
  private func renewIdentityOfCopy() throws(UserError) {
    if try noticeCopy() { try renewIdentity() }
  }

  /// Returns the vault that this copy began to create at a target, if it was interrupted; nil
  /// otherwise. Such a vault contains only its first record, the keys are stored on this device,
  /// and the passphrase opens it.
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
    let reason: Hint =
      if offer.transport == "postgres" {
        "a vault of another role is visible once its owner has run diple.grant_vault for your role"
      } else {
        "what another device sent may not have arrived yet"
      }
    return UserError(
      .notFound, "nothing is synced with \(offer.address) yet",
      hint: """
        \(action: "sync.begin", offer.withoutAddress) sets it up; \(reason)
        """)
  }

  /// Returns the vault at a target and the records of its epochs.
  ///
  /// - Throws: `ambiguous` if the target contains several vaults, `notFound` if it contains none;
  ///   the error of the transport.
  func epochs(_ connection: any TransportConnection, at offer: SyncOffer)
    async throws(UserError) -> (VaultID, [EpochRecord])
  {
    let vaults = try await vaults(connection)
    guard vaults.count <= 1 else {
      throw UserError(
        .ambiguous, "\(offer.address) contains \(vaults.count.counted("vault"))",
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

  /// Returns the records without a successor, the highest epoch first. There are several if devices
  /// revoked others at the same time, or if a holder of an older key added records.
  static func ends(_ records: [EpochRecord]) -> [EpochRecord] {
    let followed = Set(records.map(\.previous))
    return records.filter { !followed.contains($0.hash) }.sorted {
      $0.epoch != $1.epoch ? $0.epoch > $1.epoch : $0.hash.lexicographicallyPrecedes($1.hash)
    }
  }

  /// Returns the keys that a passphrase opens in one of the last records.
  ///
  /// Deriving a key is slow by design, and anyone can add records. Therefore only four records with
  /// a passphrase are tried: those without a successor first, then those of the highest epochs.
  ///
  /// - Throws: `usage` for a wrong passphrase, `conflict` if a record is damaged or its cost is too
  ///   high.
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

extension PluginSet {
  /// Prepares a target so that devices can be synced with it.
  ///
  /// - Parameter members: the accounts that get access.
  /// - Throws: `usage` if the transport is unknown or needs no preparation; the error of the
  ///   transport.
  package func prepareTarget(_ transport: String, _ address: String, for members: [String])
    async throws(UserError)
  {
    let strategy: any SyncTransport
    do { strategy = try transports.strategy(transport) } catch {
      throw UserError(.usage, error.description)
    }
    do {
      try await strategy.prepare(TransportPlace(address: address, cache: ""), for: members)
    } catch { throw UserError(error) }
  }
}
