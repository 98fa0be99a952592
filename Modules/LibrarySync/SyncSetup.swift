import Files
import FoundationEssentials
import Glibc
import Model
import Storage
package import Sync
import Synchronization
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

  /// The error for a library that is not synced.
  static let notSynced = UserError(
    .nothing, "this library is not synced",
    hint:
      "\(command: "sync", "init", "folder", "PATH") sets it up, \(command: "sync", "join", "folder", "PATH") joins another device"
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
      // A folder can have another path on this machine.
      let place = try syncPlace().flatMap { $0.transport == "folder" ? nil : $0 }
      let join: Hint =
        if let place {
          "\(command: "sync", "join", .word(place.transport), .word(place.address))"
        } else {
          "\(command: "sync", "join", "folder", "PATH")"
        }
      throw UserError(
        .conflict,
        "the keys of this library are not on this machine: the library was copied from another one",
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
}
