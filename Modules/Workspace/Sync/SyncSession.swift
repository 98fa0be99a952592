import FoundationEssentials
import Model
import Storage
import Sync
import SystemSupport

/// What one sync knows of its vault: what is there, the keys and the devices.
struct SyncSession {
  var connection: any TransportConnection
  var place: SyncPlace
  var vault: VaultID
  var replica: ReplicaID
  var secrets: SyncSecrets
  var keys: VaultKeys
  /// The objects of this vault.
  var listing: [ObjectName: Int] = [:]
  /// The epochs, once their records are read.
  var chain: EpochChain?
  /// The devices by replica.
  var devices: [ReplicaID: DeviceRecord] = [:]

  /// The names of a replica's objects, with what they are.
  func objects(of replica: ReplicaID) -> [(name: ObjectName, file: SyncFileName)] {
    listing.keys.compactMap { name in
      name.replica == replica ? name.syncFile.map { (name, $0) } : nil
    }
  }

  /// The segments of a replica in the order of what they hold; of those that begin together the longest
  /// first.
  func segments(of replica: ReplicaID) -> [(name: ObjectName, range: ClosedRange<Int64>)] {
    var found: [(name: ObjectName, range: ClosedRange<Int64>)] = []
    for object in objects(of: replica) {
      if case .segment(let range) = object.file.kind { found.append((object.name, range)) }
    }
    return found.sorted {
      ($0.range.lowerBound, $1.range.upperBound) < ($1.range.lowerBound, $0.range.upperBound)
    }
  }

  /// The snapshots that a replica has put.
  func snapshots(of replica: ReplicaID) -> [ObjectName] {
    objects(of: replica).compactMap { object in
      if case .snapshot = object.file.kind { object.name } else { nil }
    }
  }

  /// Every replica that has put something.
  var replicas: Set<ReplicaID> { Set(listing.keys.map(\.replica)) }

  /// What a device is called in messages.
  func deviceName(_ replica: ReplicaID) -> String {
    devices[replica]?.name ?? "device \(replica.description.prefix(8))"
  }

  /// What became of reading an object.
  enum Reading {
    case content([UInt8])
    /// It is not there, or not yet.
    case absent
    /// It is there, and cannot be read; why. Others can.
    case unreadable(String)
  }

  /// Reads an object.
  func read(_ name: ObjectName, limit: Int = Wire.fileLimit) async throws(UserError) -> Reading {
    do {
      return try await connection.get(name, limit: limit).map { .content($0) } ?? .absent
    } catch {
      switch error.kind {
      case .tooLarge, .refused: return .unreadable(error.description)
      default: throw UserError(error)
      }
    }
  }

  /// The content of an object; nil when it is not there, or cannot be read.
  func get(_ name: ObjectName, limit: Int = Wire.fileLimit) async throws(UserError) -> [UInt8]? {
    if case .content(let bytes) = try await read(name, limit: limit) { bytes } else { nil }
  }

  /// Puts objects.
  func put(_ objects: [TransportObject]) async throws(UserError) {
    do throws(TransportError) { try await connection.put(objects) } catch { throw UserError(error) }
  }
}

extension Library {
  /// Connects and reads what is there.
  func openSession(_ place: SyncPlace) async throws(UserError) -> SyncSession {
    let secrets = try requireSecrets()
    guard let vault = VaultID(place.vault) else {
      throw UserError(.damaged, "the name of the vault cannot be read")
    }
    let connection = try await connect(place)
    var session = SyncSession(
      connection: connection, place: place, vault: vault, replica: try ownReplica(),
      secrets: secrets, keys: secrets.vault ?? VaultKeys(vault: vault))
    do throws(UserError) { try await list(&session) } catch {
      await connection.close()
      throw error
    }
    return session
  }

  /// Ends a connection after what is done with it, also where that fails.
  func closing<T>(
    _ connection: any TransportConnection, _ body: () async throws(UserError) -> T
  ) async throws(UserError) -> T {
    let result: Result<T, UserError>
    do throws(UserError) { result = .success(try await body()) } catch { result = .failure(error) }
    await connection.close()
    return try result.get()
  }

  /// Reads the names of all objects of the vault.
  private func list(_ session: inout SyncSession) async throws(UserError) {
    let found: TransportListing
    do { found = try await session.connection.list(since: nil) } catch { throw UserError(error) }
    let vault = session.vault
    for entry in found.entries where entry.name.vault == vault {
      session.listing[entry.name] = entry.size
    }
    guard session.listing.isEmpty else { return }
    let others = Set(found.entries.map(\.name.vault)).count
    let before = try storage { try store.read { try $0.syncStates(withPrefix: "own/").count } }
    guard before > 0 || others > 0 else { return }
    throw UserError(
      .conflict,
      others > 0
        ? "\(session.place.address) holds another library's vault, and not this one's"
        : "\(session.place.address) no longer holds this library: it was emptied or replaced",
      hint: """
        nothing was changed here; if the target is the right one, run \
        \(command: "sync", "now", "--upload") on each device to send everything again
        """)
  }

  // MARK: - Keys and devices

  /// Reads the records of epochs and devices, and takes the keys of new epochs.
  func readMembers(_ session: inout SyncSession) async throws(UserError) {
    let stored = try storage { try store.read { try $0.syncStates(withPrefix: "record/") } }
    var epochs: [EpochRecord] = []
    var records: [(ObjectName, [UInt8])] = []
    var new: [String: [UInt8]] = [:]
    let names = Set(session.listing.keys).union(stored.keys.compactMap(ObjectName.init))
    for name in names.sorted() {
      guard let file = name.syncFile, name.vault == session.vault else { continue }
      let isEpoch = if case .epoch = file.kind { true } else { false }
      guard isEpoch || file.kind == .device else { continue }
      let bytes: [UInt8]
      if let known = stored[name.description] {
        bytes = known
      } else if let found = try await session.get(name, limit: 4 << 20) {
        (bytes, new[name.description]) = (found, found)
      } else {
        continue
      }
      if isEpoch {
        // One that cannot be read has not arrived, or was never one.
        do throws(SegmentProblem) { epochs.append(try EpochRecord(bytes, named: name)) } catch {
          new[name.description] = nil
        }
      } else {
        records.append((name, bytes))
      }
    }
    let known = session.keys
    takeKeys(of: epochs, &session)
    // The records of devices are sealed with the keys of their time.
    for record in epochs.sorted(by: { $0.epoch > $1.epoch })
    where record.vault == session.vault && session.keys.epochs.contains(record.epoch) {
      try? record.addPrevious(to: &session.keys)
    }
    for (name, bytes) in records {
      do throws(SegmentProblem) {
        let (record, _) = try DeviceRecord.open(bytes, named: name, keys: session.keys)
        // The first record of a replica counts: keys do not change.
        if let other = session.devices[record.replica],
          (other.created, other.name) <= (record.created, record.name)
        {
          continue
        }
        session.devices[record.replica] = record
      } catch { new[name.description] = nil }
    }
    try follow(epochs, before: known, &session)
    if session.chain?.revoked[session.replica] != nil || isLeftOut(epochs, session) {
      throw UserError(
        .conflict, "this device was revoked: nothing is sent or received",
        hint:
          "to join as a new device, run \(command: "sync", "leave") and \(command: "sync", "join")")
    }
    if session.keys != session.secrets.vault {
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

  /// Follows the epochs to the last one whose key is known. One that nobody could begin who is a member
  /// changes nothing.
  private func follow(
    _ epochs: [EpochRecord], before known: VaultKeys, _ session: inout SyncSession
  ) throws(UserError) {
    let publicKeys = session.devices.mapValues(\.publicKeys)
    var problem: SegmentProblem?
    for keys in [session.keys, known] where problem == nil || keys != session.keys {
      do throws(SegmentProblem) {
        let chain = try EpochChain(following: epochs, keys: keys, devices: publicKeys)
        (session.chain, session.keys) = (chain, chain.keys)
        return
      } catch { problem = problem ?? error }
    }
    throw UserError(
      .conflict, "the keys of the vault cannot be verified: \(problem?.description ?? "none")",
      hint: "some may not have arrived yet: try again later")
  }

  /// Whether a member began an epoch after the last one that this device knows, and not for this device.
  private func isLeftOut(_ epochs: [EpochRecord], _ session: SyncSession) -> Bool {
    guard let last = session.chain?.records.last else { return false }
    return epochs.contains { record in
      record.vault == session.vault && record.epoch == last.epoch + 1
        && record.previous == last.hash && !record.devices.contains(session.replica)
        && session.devices[record.issuer]?.publicKeys == record.issuerKeys
    }
  }

  /// Takes the keys of epochs that began since.
  private func takeKeys(of epochs: [EpochRecord], _ session: inout SyncSession) {
    let newer = epochs.filter { $0.epoch > session.keys.current && $0.vault == session.vault }
    for epoch in Set(newer.map(\.epoch)).sorted() {
      let candidates = newer.filter { $0.epoch == epoch }
      let opened = candidates.compactMap { record -> (EpochRecord, VaultKeys)? in
        guard session.devices.isEmpty || session.devices[record.issuer] != nil || epoch == 1 else {
          return nil
        }
        return record.keys(for: session.replica, device: session.secrets.device).map {
          (record, $0)
        }
      }
      guard !opened.isEmpty else { break }
      let lists = opened.map { (record: $0.0, revoked: (try? $0.0.revocations($0.1)) ?? []) }
      guard let chosen = EpochChain.preferred(lists),
        let keys = opened.first(where: { $0.0.hash == chosen.hash })?.1
      else { break }
      session.keys.add(keys)
    }
  }
}
