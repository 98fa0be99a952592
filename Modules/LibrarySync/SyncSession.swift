import FoundationEssentials
import Model
import Storage
import Sync
import SystemSupport
import Workspace

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
          nothing was changed here; put the right target back, or run \(command: "sync", "leave") and \
          \(command: "sync", "init") with another one
          """)
    }
    throw UserError(
      .conflict,
      "\(session.place.address) no longer contains this library's vault: the target was emptied "
        + "or replaced",
      hint: """
        nothing was changed here; if the target is the right one, run \
        \(command: "sync", "now", "--upload") on each device to send everything again
        """)
  }

  // MARK: - Keys and devices

  /// Reads the records of epochs and devices, adopts the keys of new epochs, and stores both.
  ///
  /// - Throws: `conflict` if the keys cannot be verified or this device is not a member any more.
  func readMembers(_ session: inout SyncSession) async throws(UserError) {
    let new = try await followMembers(&session)
    if session.keys != session.secrets.vault {
      // Data that was encrypted with an abandoned key must be encrypted again. Store this before
      // the new key.
      if let old = session.secrets.vault, !session.keys.continues(old) {
        try storage { try store.writeCache { try $0.setSyncState("reseal", []) } }
      }
      session.secrets.vault = session.keys
      try session.secrets.write(session.replica, at: location)
    }
    if !new.isEmpty {
      try storage {
        try store.write { transaction in
          for (name, bytes) in new { try transaction.setSyncState("record/\(name)", bytes) }
        }
      }
    }
  }

  /// Reads the records of epochs and devices into the session. Nothing is stored.
  ///
  /// - Returns: the valid records that are not stored locally yet.
  /// - Throws: `conflict` if the keys cannot be verified or this device is not a member any more.
  func followMembers(_ session: inout SyncSession) async throws(UserError) -> [String: [UInt8]] {
    let stored = try storage { try store.read { try $0.syncStates(withPrefix: "record/") } }
    let refused = try refusedRecords(session)
    var epochs: [EpochRecord] = []
    var records: [(ObjectName, [UInt8])] = []
    var new: [String: [UInt8]] = [:]
    var counts: [ReplicaID: Int] = [:]
    var size = 0
    let names = Set(session.listing.keys).union(stored.keys.compactMap(ObjectName.init))
    for name in names.sorted() {
      guard let file = name.syncFile, name.vault == session.vault else { continue }
      let isEpoch = if case .epoch = file.kind { true } else { false }
      guard isEpoch || file.kind == .device else { continue }
      let bytes: [UInt8]
      if let known = stored[name.description] {
        bytes = known
      } else if refused.contains(name) {
        continue
      } else if counts[name.replica, default: 0] < Self.newRecordLimit, size < Self.newSizeLimit,
        let found = try await session.get(name, limit: file.sizeLimit)
      {
        counts[name.replica, default: 0] += 1
        size += found.count
        (bytes, new[name.description]) = (found, found)
      } else {
        continue
      }
      if isEpoch {
        // An invalid epoch record is incomplete, or it is another file.
        do throws(SegmentError) { epochs.append(try EpochRecord(bytes, named: name)) } catch {
          new[name.description] = nil
        }
      } else {
        records.append((name, bytes))
      }
    }
    // Device records are encrypted with the key of their epoch, so the earlier keys are needed.
    for record in epochs.sorted(by: { $0.epoch > $1.epoch })
    where record.vault == session.vault && session.keys.epochs.contains(record.epoch) {
      try? record.addPrevious(to: &session.keys)
    }
    let left = try follow(epochs, records, &session)
    for name in left { new[name.description] = nil }
    try refuse(left, session)
    return new
  }

  /// The maximum number of records of a replica that a sync reads for the first time.
  private static let newRecordLimit = 64
  /// The maximum total size in bytes of the records that a sync reads for the first time. The next
  /// sync reads further records.
  private static let newSizeLimit = 64 << 20
  /// The maximum number of stored names of records that cannot be opened.
  private static let refusedLimit = 10_000

  /// Returns the device records that the known keys could not open. They are skipped until a key is
  /// added, their size changes, or an hour has passed.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  private func refusedRecords(_ session: SyncSession) throws(UserError) -> Set<ObjectName> {
    guard let stored = try storage({ try store.read { try $0.syncState("refused") } }),
      let refused = try? JSONDecoder().decode(RefusedRecords.self, from: Data(stored)),
      refused.keys == session.keys.fingerprint, abs(now().milliseconds - refused.time) < 3_600_000
    else { return [] }
    return Set(
      refused.sizes.compactMap { file, size in
        ObjectName(file).flatMap { session.listing[$0] == size ? $0 : nil }
      })
  }

  private func refuse(_ names: [ObjectName], _ session: SyncSession) throws(UserError) {
    let known = try refusedRecords(session)
    let sizes = known.union(names).sorted().prefix(Self.refusedLimit).compactMap { name in
      session.listing[name].map { ("\(name)", $0) }
    }
    // If all records are stored already, keep the stored time, so that they are tried again after
    // an hour.
    if Set(names).isSubset(of: known) { return }
    let refused = RefusedRecords(
      keys: session.keys.fingerprint, time: now().milliseconds,
      sizes: Dictionary(uniqueKeysWithValues: sizes))
    try storage {
      let bytes = Array(try JSONEncoder.ordered().encode(refused))
      try store.writeCache { try $0.setSyncState("refused", bytes) }
    }
  }

  private struct RefusedRecords: Codable {
    /// The fingerprint of the known keys.
    var keys: String
    /// The time of the failure, in milliseconds since 1970.
    var time: Int64
    /// The sizes of the records in bytes, by name.
    var sizes: [String: Int]
  }

  /// Opens the device records and follows the epochs that these devices issued. New keys may open
  /// further records, so this repeats until no key is added.
  ///
  /// - Returns: the names of the device records that cannot be opened.
  /// - Throws: `conflict` if the keys cannot be verified or this device is not a member any more.
  private func follow(
    _ epochs: [EpochRecord], _ records: [(ObjectName, [UInt8])], _ session: inout SyncSession
  ) throws(UserError) -> [ObjectName] {
    var left = records
    var read: [(record: DeviceRecord, claim: EpochTree.Claim)] = []
    // Before its record is at the target, this device counts as joined with its current key.
    let first = session.keys.current
    var joined: Int?
    let remembered = try knownDevices()
    let met = remembered.compactMapValues { $0.isRevoked ? nil : DevicePublicKeys($0.keys) }
    while true {
      left = left.filter { name, bytes in
        guard
          let (record, epoch, claim) = try? DeviceRecord.open(
            bytes, named: name, keys: session.keys)
        else { return true }
        if record.replica == session.replica { joined = min(joined ?? epoch, epoch) }
        read.append((record, claim))
        return false
      }
      let tree: EpochTree
      do throws(SegmentError) {
        tree = try EpochTree(
          of: epochs, keys: session.keys, claims: read.map(\.claim),
          reader: EpochTree.Reader(
            replica: session.replica, device: session.secrets.device,
            joined: joined ?? first, known: met))
      } catch {
        throw UserError(
          .conflict, "the keys of the vault cannot be verified: \(error)",
          hint: "some keys may not have arrived yet: try again later")
      }
      let isDone = tree.keys == session.keys
      (session.epochs, session.keys) = (tree, tree.keys)
      guard isDone else { continue }
      for (record, claim) in read {
        // Unauthorised devices are included, so that messages can name them.
        guard tree.counts(claim) || tree.unauthorized.contains(record.replica) else { continue }
        // The keys and the name of a device never change: a record with the known ones takes
        // precedence, then the earliest record.
        let known = remembered[record.replica]
        var record = record
        if let other = session.devices[record.replica] {
          func rank(_ record: DeviceRecord) -> (Int, Int, Int64, String) {
            (
              record.publicKeys.description == known?.keys ? 0 : 1,
              record.name == known?.name ? 0 : 1, record.created, record.name
            )
          }
          let isOther = rank(other) <= rank(record)
          let left = other.publicKeys == record.publicKeys ? other.left ?? record.left : nil
          if isOther { record = other }
          record.left = record.left ?? left
        }
        session.devices[record.replica] = record
      }
      try requireMember(tree, session)
      return left.map(\.0)
    }
  }

  private func requireMember(_ tree: EpochTree, _ session: SyncSession) throws(UserError) {
    if tree.isLeftOut, session.devices[session.replica] == nil {
      throw UserError(
        .conflict, "the key of the vault was changed since, or at the same time on another device",
        hint: """
          join with the passphrase that was chosen last, or with \(command: "sync", "join", "--pair")
          """)
    }
    if tree.revoked[session.replica] != nil || tree.isLeftOut {
      let isSure = tree.names(session.replica)
      throw UserError(
        .conflict,
        "this device was revoked\(isSure ? "" : ", or joined while another device was"): nothing "
          + "is sent or received",
        hint:
          "to join as a new device, run \(command: "sync", "leave") and \(command: "sync", "join")")
    }
    guard !tree.mutuallyRevoked.isEmpty else { return }
    let names = tree.mutuallyRevoked.map(session.deviceName).sorted().joined(separator: " and ")
    throw UserError(
      .conflict, "\(names) revoked each other: nothing is sent or received",
      hint: """
        run \(command: "sync", "leave"), then \(command: "sync", "join") with the passphrase that was \
        chosen on the device that stays
        """)
  }
}
