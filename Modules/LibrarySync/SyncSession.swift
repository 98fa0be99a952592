import Files
import FoundationEssentials
import Glibc
import Model
import Storage
package import Sync
import Synchronization
package import SystemSupport
package import Workspace

/// The state of one sync: the connection, the objects at the target, the keys and the devices.
///
/// ```swift
/// var session = try await openSession(try requireSyncPlace())
/// try await closing(session.connection) { () async throws(UserError) in
///   try await readMembers(&session)
///   for replica in session.replicas { print(session.deviceName(replica)) }
/// }
/// ```
struct SyncSession {
  var connection: any TransportConnection
  var place: SyncPlace
  var vault: VaultID
  var replica: ReplicaID
  var secrets: SyncSecrets
  var keys: VaultKeys
  /// The objects of this vault, with their sizes in bytes.
  var listing: [ObjectName: Int] = [:]
  /// Whether `listing` is complete. Otherwise, it can contain objects that were deleted.
  var isWhole = true
  /// The time of the last complete listing, in milliseconds since 1970.
  var listed: Int64 = 0
  /// The position at which the next listing can begin.
  var cursor: TransportCursor?
  /// The epochs; nil until their records are read.
  var epochs: EpochTree?
  /// The devices, by replica; empty until their records are read.
  var devices: [ReplicaID: DeviceRecord] = [:]

  /// The size in bytes above which the ends of an object are verified before the rest is read.
  private static let checkedSize = 64 << 10

  /// Returns the objects of a replica with their parsed names.
  func objects(of replica: ReplicaID) -> [(name: ObjectName, file: SyncFileName)] {
    listing.keys.compactMap { name in
      name.replica == replica ? name.syncFile.map { (name, $0) } : nil
    }
  }

  /// Returns the segments of a replica, sorted by their first operation. Of segments with the same
  /// first operation, the longest is first.
  func segments(of replica: ReplicaID) -> [(name: ObjectName, range: ClosedRange<Int64>)] {
    var found: [(name: ObjectName, range: ClosedRange<Int64>)] = []
    for object in objects(of: replica) {
      if case .segment(let range) = object.file.kind { found.append((object.name, range)) }
    }
    return found.sorted {
      ($0.range.lowerBound, $1.range.upperBound) < ($1.range.lowerBound, $0.range.upperBound)
    }
  }

  /// Returns the snapshots of a replica.
  func snapshots(of replica: ReplicaID) -> [ObjectName] {
    objects(of: replica).compactMap { object in
      if case .snapshot = object.file.kind { object.name } else { nil }
    }
  }

  /// All replicas with an object at the target.
  var replicas: Set<ReplicaID> { Set(listing.keys.map(\.replica)) }

  /// Returns the name of a device for messages: the name that it chose, or the first digits of its
  /// replica.
  func deviceName(_ replica: ReplicaID) -> String {
    devices[replica]?.name ?? "device \(replica.description.prefix(8))"
  }

  /// The result of reading an object.
  enum ReadResult {
    case content([UInt8])
    /// The object does not exist, or has not arrived yet.
    case absent
    /// The object exists and cannot be read, for the given reason. Other objects may be readable.
    case unreadable(String)
  }

  /// Reads an object of at most `limit` bytes.
  ///
  /// - Throws: `UserError` if the target cannot be used at all.
  func read(_ name: ObjectName, limit: Int = Wire.fileLimit) async throws(UserError) -> ReadResult {
    let limit = min(limit, name.syncFile?.sizeLimit ?? limit)
    let size = listing[name] ?? 0
    guard size <= limit else {
      return .unreadable("it is larger than the limit of \(limit) B")
    }
    do {
      // Verifying the ends first avoids reading large files that the device did not sign.
      if size > Self.checkedSize, let signer = devices[name.replica]?.publicKeys,
        let ends = try await connection.ends(of: name, count: ObjectCheck.endSize)
      {
        do throws(SegmentError) {
          try ObjectCheck.check(ends, of: name, signer: signer)
        } catch {
          // If a newer version wrote the object, the caller reports that when it opens it.
          if case .newerReader = error {} else { return .unreadable("\(error)") }
        }
      }
      return try await connection.get(name, limit: limit).map { .content($0) } ?? .absent
    } catch {
      switch error.kind {
      case .tooLarge, .refused: return .unreadable(error.description)
      default: throw UserError(error)
      }
    }
  }

  /// Returns the content of an object; nil if it does not exist or cannot be read.
  ///
  /// - Throws: `UserError` if the target cannot be used at all.
  func get(_ name: ObjectName, limit: Int = Wire.fileLimit) async throws(UserError) -> [UInt8]? {
    if case .content(let bytes) = try await read(name, limit: limit) { bytes } else { nil }
  }

  /// Uploads objects.
  ///
  /// - Throws: `UserError` if the transport fails.
  func put(_ objects: [TransportObject]) async throws(UserError) {
    do throws(TransportError) { try await connection.put(objects) } catch { throw UserError(error) }
  }
}

extension KnownListing {
  /// Creates the listing for the next sync; nil if the next sync must list all objects.
  init?(_ session: SyncSession) {
    guard let cursor = session.cursor else { return nil }
    self.init(
      place: session.place, objects: session.listing, cursor: cursor, listed: session.listed)
  }
}

extension ReplicaProgress {
  /// Returns the progress of a replica before its first operation is known or sent.
  static func start(of replica: ReplicaID, in vault: VaultID) -> ReplicaProgress {
    ReplicaProgress(sequence: 0, chain: ChainHash.start(vault: vault, replica: replica).bytes)
  }
}

extension Library {
  /// Connects to the target and lists its objects.
  ///
  /// - Parameter isRoutine: whether to list only the objects that changed since an earlier sync.
  /// - Throws: `conflict` if this copy has no keys, or the target contains another vault or was
  ///   emptied; `damaged` if the vault's name is invalid; or the error of the transport.
  func openSession(_ place: SyncPlace, isRoutine: Bool = false) async throws(UserError)
    -> SyncSession
  {
    let secrets = try requireSecrets()
    guard let vault = VaultID(place.vault) else {
      throw UserError(.damaged, "the name of the vault cannot be read")
    }
    let connection = try await connect(place)
    var session = SyncSession(
      connection: connection, place: place, vault: vault, replica: try ownReplica(),
      secrets: secrets, keys: secrets.vault ?? VaultKeys(vault: vault))
    let known = isRoutine ? knownListing : nil
    do throws(UserError) { try await list(&session, after: known) } catch {
      await connection.close()
      throw error
    }
    return session
  }

  /// Runs `body` and then closes the connection, even if `body` throws.
  func closing<T>(
    _ connection: any TransportConnection, _ body: () async throws(UserError) -> T
  ) async throws(UserError) -> T {
    let result: Result<T, UserError>
    do throws(UserError) { result = .success(try await body()) } catch { result = .failure(error) }
    await connection.close()
    return try result.get()
  }

  /// Lists the objects of the vault.
  ///
  /// - Parameter known: the objects that were listed before; nil to list all.
  /// - Throws: `conflict` if the vault is missing although it was synced before, or the target
  ///   contains another one; or the error of the transport.
  func list(_ session: inout SyncSession, after known: KnownListing? = nil)
    async throws(UserError)
  {
    let time = now().milliseconds
    let known = known.flatMap { $0.isUsable(for: session.place, at: time) ? $0 : nil }
    let found: TransportListing
    do { found = try await session.connection.list(since: known?.cursor) } catch {
      throw UserError(error)
    }
    let vault = session.vault
    (session.cursor, session.isWhole, session.listed) = (found.cursor, found.isWhole, time)
    if let known, !found.isWhole {
      (session.listing, session.listed) = (known.objects, known.listed)
    }
    for entry in found.entries where entry.name.vault == vault {
      session.listing[entry.name] = entry.size
    }
    guard session.listing.isEmpty else { return }
    let others = Set(found.entries.map(\.name.vault)).count
    let before = try storage { try store.read { try $0.syncStates(withPrefix: "own/").count } }
    guard before > 0 || others > 0 else { return }
    if others > 0 {
      throw UserError(
        .conflict,
        "\(session.place.address) contains the vault of another library, not of this one",
        hint: """
          nothing was changed here; put the right target back, or run \(action: "sync.leave") and \
          \(action: "sync.begin") with another one
          """)
    }
    throw UserError(
      .conflict,
      "\(session.place.address) no longer contains this library's vault: the target was emptied "
        + "or replaced",
      hint: """
        nothing was changed here; if the target is the right one, run \
        \(action: "sync.now", ["upload": .flag(true)]) on each device to send everything again
        """)
  }
}

extension UserError {
  /// Converts an error of a transport, with a hint if the user can remedy it.
  init(_ error: TransportError) {
    let message = error.description
    self =
      switch error.kind {
      case .usage: UserError(.usage, message)
      case .absent: UserError(.notFound, message)
      case .unavailable: UserError(.conflict, message, hint: "nothing is lost: try again later")
      case .refused: UserError(.conflict, message)
      case .full: UserError(.conflict, message, hint: "free space at the target, then sync again")
      case .tooLarge: UserError(.conflict, message)
      case .missingProgram: UserError(.notFound, message)
      }
  }

  private static let anyFolder: [String: Remedy.Member] = [
    "transport": .text("folder"), "address": .asked("path"),
  ]

  /// The error for a library that is not synced.
  static let notSynced = UserError(
    .nothing, "this library is not synced",
    hint: """
      \(action: "sync.begin", anyFolder) sets it up, \(action: "sync.join", anyFolder) joins \
      another device
      """
  )
}

/// Waits for changes at a sync target.
package protocol SyncWaiting: Sendable {
  /// Returns when the target may have changed, or after `time`.
  ///
  /// - Throws: `UserError` if the connection fails.
  func wait(upTo time: Duration) async throws(UserError)
  /// Closes the connection.
  func close() async
}

/// A connection that is used only for waiting.
private struct WaitingConnection: SyncWaiting {
  let connection: any TransportConnection

  func wait(upTo time: Duration) async throws(UserError) {
    do throws(TransportError) { _ = try await connection.waitForChange(upTo: time) } catch {
      throw UserError(error)
    }
  }

  func close() async { await connection.close() }
}

extension Library {
  /// Connects to a target in order to wait for changes there.
  ///
  /// - Throws: `usage` if the transport is unknown or HOME is not set; the error of the transport.
  package func waiting(at place: SyncPlace) async throws(UserError) -> any SyncWaiting {
    WaitingConnection(connection: try await connect(place))
  }

  /// Returns the sync configuration; nil if the library is not synced.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func syncPlace() throws(UserError) -> SyncPlace? {
    try storage {
      try store.read { transaction in
        try transaction.syncState("place").map {
          try JSONDecoder().decode(SyncPlace.self, from: Data($0))
        }
      }
    }
  }

  func requireSyncPlace() throws(UserError) -> SyncPlace {
    guard let place = try syncPlace() else { throw .notSynced }
    return place
  }

  /// Stores the sync configuration of this device.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be written.
  package func setSyncPlace(_ place: SyncPlace) throws(UserError) {
    try storage {
      let bytes = Array(try JSONEncoder.ordered().encode(place))
      try store.write { try $0.setSyncState("place", bytes) }
    }
  }

  /// Returns the identifier of this copy of the library.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  func ownReplica() throws(UserError) -> ReplicaID {
    try storage { try store.read { try $0.replica() } }
  }

  /// Returns the secret keys of this copy.
  ///
  /// - Throws: `conflict` if they are not on this device because the library was copied from
  ///   another one; the errors of `SyncSecrets.read`.
  func requireSecrets() throws(UserError) -> SyncSecrets {
    let replica = try ownReplica()
    guard let secrets = try SyncSecrets.read(replica, at: location) else {
      // The address of a folder is not suggested, because its path may differ on this machine.
      let place = try syncPlace().flatMap { $0.transport == "folder" ? nil : $0 }
      let join: Hint =
        if let place {
          "\(action: "sync.join", ["transport": .text(place.transport), "address": .text(place.address)])"
        } else {
          "\(action: "sync.join", ["transport": .text("folder"), "address": .asked("path")])"
        }
      throw UserError(
        .conflict,
        "the keys of this library are not on this device: the library was copied from another one",
        hint: "\(join) makes this copy a separate device")
    }
    return secrets
  }

  /// Connects to the target of the library.
  ///
  /// - Throws: `usage` if the transport is unknown or HOME is not set; the error of the transport.
  func connect(_ place: SyncPlace) async throws(UserError) -> any TransportConnection {
    try await connect(place.transport, place.address)
  }

  func connect(_ transport: String, _ address: String) async throws(UserError)
    -> any TransportConnection
  {
    let strategy: any SyncTransport
    do { strategy = try plugins.transports.strategy(transport) } catch {
      throw UserError(.usage, error.description)
    }
    guard let state = location.state else {
      throw UserError(.usage, "no folder for the state of syncing: HOME is not set")
    }
    let name = ContentDigest(sha256: Array("\(transport) \(address)".utf8)).description.prefix(16)
    let cache = "\(state)/sync/cache/\(try ownReplica())-\(name)"
    do {
      return try await strategy.connect(
        to: TransportPlace(
          address: address, cache: cache, certificates: certificates.withLock { $0 }))
    } catch { throw UserError(error) }
  }

  /// Uploads objects of this device after storing their names. Therefore, an object of this device
  /// whose name is not stored was uploaded by a copy of the device.
  ///
  /// - Throws: `changedDuringSync` if this copy has another identity; the error of the transport.
  func put(_ objects: [TransportObject], _ session: inout SyncSession)
    async throws(UserError)
  {
    let replica = session.replica
    try storage {
      try store.write { transaction in
        try transaction.require(replica)
        for object in objects { try transaction.setSyncState("own/\(object.name.file)", []) }
      }
    }
    try await session.put(objects)
    for object in objects { session.listing[object.name] = object.bytes.count }
  }
}
