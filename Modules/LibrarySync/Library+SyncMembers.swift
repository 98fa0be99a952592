import FoundationEssentials
import Model
import Storage
import Sync
import SystemSupport
import Workspace

/// Reads who may write to the vault: the epochs and the devices.
extension Library {
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
        // An invalid epoch record is incomplete, or it is another file. It is not stored.
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
          join with the passphrase that was chosen last, or with \(action: "sync.ask")
          """)
    }
    if tree.revoked[session.replica] != nil || tree.isLeftOut {
      let isSure = tree.names(session.replica)
      throw UserError(
        .conflict,
        "this device was revoked\(isSure ? "" : ", or joined while another device was"): nothing "
          + "is sent or received",
        hint:
          "to join as a new device, run \(action: "sync.leave") and \(action: "sync.join")")
    }
    guard !tree.mutuallyRevoked.isEmpty else { return }
    let names = tree.mutuallyRevoked.map(session.deviceName).sorted().joined(separator: " and ")
    throw UserError(
      .conflict, "\(names) revoked each other: nothing is sent or received",
      hint: """
        run \(action: "sync.leave"), then \(action: "sync.join") with the passphrase that was \
        chosen on the device that stays
        """)
  }
}

/// Restores records of devices and keys that the target has lost. For this, every record that was
/// read is stored locally.
extension Library {
  /// Returns the stored records of all devices that are missing at the target, sorted by name.
  ///
  /// - Parameters:
  ///   - vault: the vault.
  ///   - there: the names of the objects at the target.
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  func lostRecords(_ vault: VaultID, _ there: some Sequence<ObjectName>) throws(UserError)
    -> [TransportObject]
  {
    let there = Set(there)
    // A device record that was encrypted again has a different name but the same content.
    let known = Set(there.filter { $0.syncFile?.kind == .device }.map(\.replica))
    let stored = try storage { try store.read { try $0.syncStates(withPrefix: "record/") } }
    return stored.compactMap { name, bytes -> TransportObject? in
      guard let name = ObjectName(name), name.vault == vault, !there.contains(name),
        name.syncFile?.kind != .device || !known.contains(name.replica)
      else { return nil }
      return TransportObject(name, bytes)
    }.sorted { $0.name < $1.name }
  }

  /// Uploads the key records that this device issued and the target has lost.
  ///
  /// - Throws: the error of the transport if the records cannot be uploaded.
  func restoreRecords(_ session: inout SyncSession, _ report: inout SyncReport)
    async throws(UserError)
  {
    let lost = try lostRecords(session.vault, session.listing.keys).filter {
      // `pushDeviceRecord` encrypts and uploads a lost device record.
      $0.name.replica == session.replica && $0.name.syncFile?.kind != .device
    }
    guard !lost.isEmpty else { return }
    try await put(lost, &session)
    report.notices.append(
      "keys of the vault were missing at the target: this device has sent them again")
  }
}
