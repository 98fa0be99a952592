package import Model

/// The name and the public keys of a replica, as it publishes them to the other replicas of the
/// vault.
///
/// The record is sealed with the key of an epoch, so that only members can create one, and signed
/// with the keys that it contains. Outsiders can see the replica, the epoch and the padded size.
package struct DeviceRecord: Hashable, Sendable {
  /// The replica that the record describes.
  package var replica: ReplicaID
  /// The name that the user chose: 1 to 200 bytes of UTF-8 without control characters.
  package var name: String
  /// The public keys of the replica.
  package var publicKeys: DevicePublicKeys
  /// The time of its creation in milliseconds since 1970.
  package var created: Int64
  /// The time at which the device left the vault, in milliseconds since 1970; nil if it has not
  /// left. A device that leaves publishes a second record with this time.
  package var left: Int64?

  /// The maximum length of a name in bytes of UTF-8.
  package static let nameLimit = 200

  package init(
    replica: ReplicaID, name: String, publicKeys: DevicePublicKeys, created: Int64,
    left: Int64? = nil
  ) {
    (self.replica, self.name) = (replica, name)
    (self.publicKeys, self.created, self.left) = (publicKeys, created, left)
  }

  /// Seals the record with the current epoch's key and signs it with the keys of `device`.
  ///
  /// - Throws: `SegmentError.badContent` if the name or the time is invalid, `.badSignature` if
  ///   `device` doesn't have the record's keys, or `.unknownEpoch` if `keys` has no epoch yet.
  package func sealed(keys: VaultKeys, device: DeviceKeys) throws(SegmentError) -> SealedObject {
    guard device.publicKeys == publicKeys else { throw .badSignature }
    let content = try plain()
    let header = SignedFile.Header(
      kind: .device, vault: keys.vault, replica: replica, epoch: keys.current)
    let key = try keys.root(keys.current).key(for: .device)
    let bytes = SignedFile.signed(
      SealedStream.seal([content], after: header.bytes, key: key), device: device)
    let object = ObjectName(vault: keys.vault, replica: replica, SyncFileName(.device, of: bytes))
    return SealedObject(object: object, bytes: bytes)
  }

  /// Decrypts a record and verifies its signature.
  ///
  /// Its writer had the secret keys that match the record and the root of the epoch. Whether the
  /// writer is therefore a member is decided by `EpochTree`.
  ///
  /// - Throws: ``SegmentError``:
  ///   - `notOurs`, `nameMismatch` or `otherVault` if the file isn't the record that `name` and
  ///     `keys` require
  ///   - `newerReader` if the record requires a newer version
  ///   - `tooShort`, `tooLarge` or `damaged` if the record is incomplete or changed
  ///   - `badSignature` if the keys in the record didn't sign it
  ///   - `unknownEpoch` or `badSeal` if `keys` don't open the record
  ///   - `badContent` if its content is invalid.
  package static func open(_ bytes: [UInt8], named name: ObjectName, keys: VaultKeys)
    throws(SegmentError) -> (record: DeviceRecord, epoch: Int, claim: EpochTree.Claim)
  {
    let file = try SignedFile(bytes, named: name)
    let header = file.header
    guard header.kind == .device else { throw .notOurs }
    guard header.vault == keys.vault else { throw .otherVault(header.vault) }
    try file.verifyHash()
    let (chapters, root) = try keys.openingWithRoot(header.epoch) { root throws(SegmentError) in
      try SealedStream.open(file.body, header: header.bytes, key: root.key(for: .device))
    }
    guard chapters.count == 1 else { throw .badContent("it has \(chapters.count) chapters") }
    let record = try DeviceRecord(plain: try chapters[0].unpacked(), replica: header.replica)
    try file.verify(record.publicKeys)
    let claim = EpochTree.Claim(
      replica: record.replica, publicKeys: record.publicKeys, root: root)
    return (record, header.epoch, claim)
  }

  // MARK: - Content

  func plain() throws(SegmentError) -> [UInt8] {
    guard Self.isName(name), (0..<1 << 47).contains(created), (0..<1 << 47).contains(left ?? 0)
    else {
      throw .badContent("the name or the time of the device is not valid")
    }
    var writer = ByteWriter()
    writer.raw(publicKeys.bytes)
    writer.count(Int(created))
    writer.text(name)
    if let left { writer.count(Int(left)) }
    return writer.bytes
  }

  init(plain bytes: [UInt8], replica: ReplicaID) throws(SegmentError) {
    var reader = ByteReader(bytes)
    self.replica = replica
    publicKeys = try reader.publicKeys()
    created = Int64(try reader.count(upTo: (1 << 47) - 1, "a time"))
    name = try reader.text(upTo: Self.nameLimit, "the name of a device")
    if reader.left > 0 { left = Int64(try reader.count(upTo: (1 << 47) - 1, "a time")) }
    try reader.finish()
    guard Self.isName(name) else { throw .badContent("the name of a device is not valid") }
  }

  private static func isName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= nameLimit
      && name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
  }
}

extension ByteReader {
  mutating func publicKeys() throws(SegmentError) -> DevicePublicKeys {
    guard let keys = DevicePublicKeys(bytes: Array(try raw(64))) else {
      throw .badContent("the keys of a device are not valid")
    }
    return keys
  }
}
