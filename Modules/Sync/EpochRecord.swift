package import Model

/// The end of a device's membership. The device's operations after `last` don't count.
package struct Revocation: Hashable, Sendable {
  /// The revoked device.
  package var replica: ReplicaID
  /// The sequence number of its last operation that counts; 0 if none does.
  package var last: Int64
  /// The hash of its operations up to `last`.
  package var chain: ChainHash

  package init(replica: ReplicaID, last: Int64, chain: ChainHash) {
    (self.replica, self.last, self.chain) = (replica, last, chain)
  }
}

/// A member as an epoch's record lists it: the replica and the hash of its public keys, which never
/// change.
struct EpochMember: Hashable, Sendable {
  let replica: ReplicaID
  let keys: [UInt8]

  init(_ replica: ReplicaID, _ publicKeys: DevicePublicKeys) {
    (self.replica, keys) = (replica, Sodium.hash(publicKeys.bytes))
  }

  init(_ replica: ReplicaID, hash: [UInt8]) { (self.replica, keys) = (replica, hash) }
}

/// The record of an epoch. It distributes a new key of the vault to everyone entitled to it: to
/// users who know the passphrase and to each remaining device.
///
/// It also contains the root of the previous epoch, which keeps older segments readable, the
/// remaining members with the hashes of their keys, and the revoked devices. Outsiders can see the
/// number of the epoch, its issuer, the issuer's public keys and the recipients, but not the
/// revoked devices.
package struct EpochRecord: Hashable, Sendable {
  /// The largest number of an epoch.
  package static let limit = 100_000
  /// The maximum number of devices that a record is addressed to.
  package static let deviceLimit = 10_000

  /// The vault that the epoch belongs to.
  package let vault: VaultID
  /// The number of the epoch; the first is 1.
  package let epoch: Int
  /// The device that issued the record.
  package let issuer: ReplicaID
  /// The issuer's public keys, as stated in the record.
  package let issuerKeys: DevicePublicKeys
  /// The hash of the previous epoch's record; zeros in the first epoch.
  package let previous: [UInt8]
  /// The hash of this record's bytes, which the next record contains as `previous`.
  package let hash: [UInt8]
  /// The devices that the record is addressed to.
  package var devices: Set<ReplicaID> { Set(boxes.keys) }
  /// Whether the epoch can be opened with a passphrase.
  package var hasPassphrase: Bool { passphrase != nil }

  let commitment: [UInt8]
  let passphrase: PassphraseWrap?
  let boxes: [ReplicaID: [UInt8]]
  let sealedPrevious: [UInt8]?
  let sealedRevocations: [UInt8]

  static let boxSize = 32 + 16 + 4 + 48

  /// Returns the authenticated context of a sealed part, which binds it to its vault, epoch and
  /// position.
  static func context(vault: VaultID, epoch: Int, _ part: UInt8) -> [UInt8] {
    var writer = ByteWriter()
    writer.raw("diple epoch".utf8)
    writer.raw(vault.bytes)
    writer.fixed(UInt32(epoch))
    writer.byte(part)
    return writer.bytes
  }

  /// Returns a commitment to a root: it proves that a root belongs to the record without revealing
  /// it.
  static func commitment(_ root: Secret, vault: VaultID, epoch: Int) -> [UInt8] {
    var key = root.key(for: .commitment).copy()
    defer { Sodium.wipe(&key) }
    return Sodium.hash(context(vault: vault, epoch: epoch, 0) + key)
  }

  // MARK: - Issuing

  /// Issues the record of the vault's next epoch, or of its first.
  ///
  /// - Parameters:
  ///   - keys: The keys of all epochs so far; empty for the first epoch.
  ///   - previous: The record of the current epoch; nil for the first epoch.
  ///   - devices: The recipients with their public keys, including the issuer.
  ///   - revoked: The devices to revoke.
  ///   - passphrase: The passphrase that opens the epoch, with its cost; nil for none.
  /// - Returns: The record as an object, and `keys` extended by the new epoch.
  /// - Throws: `SegmentError.badContent` if the epoch doesn't follow `previous`, a limit is
  ///   exceeded or a device's keys are invalid; `PassphraseError` if the passphrase can't be
  ///   used.
  package static func issue(
    keys: VaultKeys, after previous: EpochRecord?, issuer: ReplicaID, device: DeviceKeys,
    devices: [ReplicaID: DevicePublicKeys], revoked: [Revocation] = [],
    passphrase: (words: String, cost: PassphraseCost)?
  ) throws -> (object: SealedObject, keys: VaultKeys) {
    let (vault, epoch) = (keys.vault, keys.current + 1)
    guard previous?.epoch ?? 0 == keys.current, previous?.vault ?? vault == vault,
      epoch <= limit, devices.count <= deviceLimit, revoked.count <= deviceLimit
    else { throw SegmentError.badContent("the epoch does not follow the one before it") }
    let root = Secret.random()
    var writer = ByteWriter()
    writer.raw(previous?.hash ?? [UInt8](repeating: 0, count: 32))
    writer.raw(device.publicKeys.bytes)
    writer.raw(commitment(root, vault: vault, epoch: epoch))
    writer.byte(passphrase == nil ? 0 : 1)
    if let passphrase {
      let wrap = try PassphraseWrap(
        root, passphrase: passphrase.words, cost: passphrase.cost,
        context: context(vault: vault, epoch: epoch, 1))
      wrap.write(to: &writer)
    }
    writer.count(devices.count)
    var plain = root.copy() + vault.bytes
    defer { Sodium.wipe(&plain) }
    withUnsafeBytes(of: UInt32(epoch).bigEndian) { plain += $0 }
    for (replica, keys) in devices.sorted(by: { $0.key < $1.key }) {
      guard let box = keys.sealBox(plain) else {
        throw SegmentError.badContent("the keys of device \(replica) are not valid")
      }
      writer.fixed(replica.rawValue)
      writer.raw(box)
    }
    if epoch > 1 {
      writer.raw(
        Wrapping.seal(
          try keys.root(epoch - 1), key: root.key(for: .previousRoot),
          context: context(vault: vault, epoch: epoch, 2)))
    }
    var list = ByteWriter()
    list.count(revoked.count)
    for revocation in revoked.sorted(by: { $0.replica < $1.replica }) {
      list.fixed(revocation.replica.rawValue)
      list.count(Int(max(0, revocation.last)))
      list.raw(revocation.chain.bytes)
    }
    list.count(devices.count)
    for (replica, keys) in devices.sorted(by: { $0.key < $1.key }) {
      list.fixed(replica.rawValue)
      list.raw(EpochMember(replica, keys).keys)
    }
    let sealed = Wrapping.seal(
      list.bytes, key: root.key(for: .revocations),
      context: context(vault: vault, epoch: epoch, 3))
    writer.count(sealed.count)
    writer.raw(sealed)
    let header = SignedFile.Header(kind: .epoch, vault: vault, replica: issuer, epoch: epoch)
    let bytes = SignedFile.signed(header.bytes + writer.bytes, device: device)
    let name = ObjectName(vault: vault, replica: issuer, SyncFileName(.epoch(epoch), of: bytes))
    var keys = keys
    keys.add(root, epoch: epoch)
    return (SealedObject(object: name, bytes: bytes), keys)
  }

  // MARK: - Reading

  /// Parses a record and verifies its signature with the keys that it contains. Whether they belong
  /// to a member is decided by `EpochTree`.
  ///
  /// - Throws: ``SegmentError``:
  ///   - `notOurs`, `nameMismatch` or `otherVault` if the file isn't the record that `name` names
  ///   - `tooShort`, `tooLarge` or `damaged` if the record is incomplete or changed
  ///   - `newerReader` if the record requires a newer version
  ///   - `badContent` if a field is invalid
  ///   - `badSignature` if the keys in the record didn't sign it.
  package init(_ bytes: [UInt8], named name: ObjectName) throws(SegmentError) {
    let file = try SignedFile(bytes, named: name)
    let header = file.header
    guard header.kind == .epoch else { throw .notOurs }
    try file.verifyHash()
    (vault, epoch, issuer) = (header.vault, header.epoch, header.replica)
    hash = Sodium.hash(bytes)
    var reader = ByteReader(bytes, in: file.body.startIndex..<file.body.endIndex)
    previous = Array(try reader.raw(32))
    issuerKeys = try reader.publicKeys()
    commitment = Array(try reader.raw(32))
    switch try reader.byte() {
    case 0: passphrase = nil
    case 1: passphrase = try PassphraseWrap(&reader)
    default: throw .badContent("a flag is not valid")
    }
    var boxes: [ReplicaID: [UInt8]] = [:]
    var last: ReplicaID?
    for _ in 0..<(try reader.count(upTo: Self.deviceLimit, "the count of devices")) {
      let replica = ReplicaID(rawValue: try reader.fixed())
      guard last.map({ $0 < replica }) ?? true else {
        throw .badContent("its devices are not in order")
      }
      boxes[replica] = Array(try reader.raw(Self.boxSize))
      last = replica
    }
    self.boxes = boxes
    sealedPrevious = epoch > 1 ? Array(try reader.raw(Wrapping.size)) : nil
    sealedRevocations = Array(
      try reader.raw(try reader.count(upTo: Wire.fileLimit, "the size of a list")))
    try reader.finish()
    guard epoch > 1 || previous.allSatisfy({ $0 == 0 }) else {
      throw .badContent("the first epoch follows another")
    }
    try file.verify(issuerKeys)
  }

  // MARK: - Opening

  /// Opens the record with a passphrase and returns the keys of this epoch.
  ///
  /// - Throws: ``PassphraseError``:
  ///   - `noPassphrase` if the record has no passphrase
  ///   - `wrongPassphrase` if `words` don't match
  ///   - `limitsExceeded` or `outOfMemory` if the computation is too expensive
  ///   - `damaged` if the decrypted secret isn't the root of this epoch.
  package func keys(passphrase words: String) throws(PassphraseError) -> VaultKeys {
    guard let passphrase else { throw .noPassphrase }
    let root = try passphrase.secret(
      passphrase: words, context: Self.context(vault: vault, epoch: epoch, 1))
    guard let keys = keys(root) else { throw .damaged }
    return keys
  }

  /// Opens the record with a device's keys and returns the keys of this epoch; nil if the record
  /// isn't addressed to that device.
  package func keys(for replica: ReplicaID, device: DeviceKeys) -> VaultKeys? {
    root(for: replica, device: device).flatMap(keys)
  }

  /// Returns the root that a device can open; nil if the record isn't addressed to that device.
  func root(for replica: ReplicaID, device: DeviceKeys) -> Secret? {
    guard let box = boxes[replica], var plain = device.openBox(box), plain.count == 52 else {
      return nil
    }
    defer { Sodium.wipe(&plain) }
    var place = ByteWriter()
    place.raw(vault.bytes)
    place.fixed(UInt32(epoch))
    guard plain[32...].elementsEqual(place.bytes) else { return nil }
    let root = Secret(plain[..<32])
    return hasRoot(root) ? root : nil
  }

  /// Returns whether `root` is the root of this epoch.
  func hasRoot(_ root: Secret) -> Bool {
    Sodium.areEqual(Self.commitment(root, vault: vault, epoch: epoch), commitment)
  }

  private func keys(_ root: Secret) -> VaultKeys? {
    guard hasRoot(root) else { return nil }
    var keys = VaultKeys(vault: vault)
    keys.add(root, epoch: epoch)
    return keys
  }

  /// Adds the previous epoch's root to keys that contain this epoch's root. Does nothing in the
  /// first epoch.
  ///
  /// - Throws: `SegmentError.unknownEpoch` if `keys` lacks this epoch's root, `.badSeal` if the
  ///   previous root can't be decrypted.
  package func addPrevious(to keys: inout VaultKeys) throws(SegmentError) {
    if let root = try previousRoot(try keys.root(epoch)) { keys.add(root, epoch: epoch - 1) }
  }

  /// Returns the root of the previous epoch; nil in the first epoch.
  ///
  /// - Throws: `SegmentError.badSeal` if it can't be decrypted.
  func previousRoot(_ root: Secret) throws(SegmentError) -> Secret? {
    guard let sealedPrevious else { return nil }
    guard
      let before: Secret = Wrapping.open(
        sealedPrevious, key: root.key(for: .previousRoot),
        context: Self.context(vault: vault, epoch: epoch, 2))
    else { throw .badSeal }
    return before
  }

  /// Decrypts the revoked devices and the remaining members with the root of this epoch.
  ///
  /// - Throws: `SegmentError.badSeal` if `root` is a different root, `.badContent` if the lists
  ///   are invalid.
  func membership(_ root: Secret) throws(SegmentError) -> (
    revocations: [Revocation], members: Set<EpochMember>
  ) {
    guard hasRoot(root),
      let plain: [UInt8] = Wrapping.open(
        sealedRevocations, key: root.key(for: .revocations),
        context: Self.context(vault: vault, epoch: epoch, 3))
    else { throw .badSeal }
    var reader = ByteReader(plain)
    var list: [Revocation] = []
    for _ in 0..<(try reader.count(upTo: Self.deviceLimit, "the count of devices")) {
      let replica = ReplicaID(rawValue: try reader.fixed())
      let last = try reader.count(upTo: Int(Wire.sequenceLimit), "a sequence number")
      guard let chain = ChainHash(bytes: Array(try reader.raw(32))),
        list.last.map({ $0.replica < replica }) ?? true
      else { throw .badContent("its devices are not in order") }
      list.append(Revocation(replica: replica, last: Int64(last), chain: chain))
    }
    var members: Set<EpochMember> = []
    for _ in 0..<(try reader.count(upTo: Self.deviceLimit, "the count of devices")) {
      let replica = ReplicaID(rawValue: try reader.fixed())
      members.insert(EpochMember(replica, hash: Array(try reader.raw(32))))
    }
    try reader.finish()
    return (list, members)
  }
}
