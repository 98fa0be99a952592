import CSodium
package import Model

/// A new device's request to join a vault, sealed to a member and signed by the new device.
package struct JoinRequest: Hashable, Sendable {
  /// The record of the new device.
  package var device: DeviceRecord

  /// Creates a request. The keys in `device` must have been generated for this request: otherwise
  /// an attacker would have time to search for keys with the same pairing code.
  package init(device: DeviceRecord) { self.device = device }

  /// Seals the request to a member and signs it with the new device's keys.
  ///
  /// - Parameter issuer: The public keys of the member that issued the vault's last epoch.
  /// - Throws: `SegmentError.badSignature` if `keys` aren't the keys in the record, `.badContent`
  ///   if the record or the member's keys are invalid.
  package func sealed(vault: VaultID, to issuer: DevicePublicKeys, device keys: DeviceKeys)
    throws(SegmentError) -> SealedObject
  {
    guard keys.publicKeys == device.publicKeys else { throw .badSignature }
    let header = SignedFile.Header(kind: .request, vault: vault, replica: device.replica, epoch: 0)
    guard let body = issuer.sealBox(header.bytes + (try device.plain())) else {
      throw .badContent("the keys of the member are not valid")
    }
    let bytes = SignedFile.signed(header.bytes + body, device: keys)
    let name = ObjectName(
      vault: vault, replica: device.replica, SyncFileName(.request, of: bytes))
    return SealedObject(object: name, bytes: bytes)
  }

  /// Opens a request that was sealed to `member`. The sender's identity isn't proved by the request
  /// but by comparing the pairing code.
  ///
  /// - Throws: ``SegmentError``:
  ///   - `badSeal` if the request was sealed to another device
  ///   - `badSignature` if the keys in the request didn't sign it
  ///   - `badContent` if the device's record is invalid
  ///   - the errors of ``EpochRecord/init(_:named:)`` for a damaged or mismatched file.
  package init(_ bytes: [UInt8], named name: ObjectName, member: DeviceKeys)
    throws(SegmentError)
  {
    let file = try SignedFile(bytes, named: name)
    let header = file.header.bytes
    guard file.header.kind == .request, file.header.epoch == 0 else { throw .notOurs }
    try file.verifyHash()
    guard let plain = member.openBox(Array(file.body)), plain.starts(with: header) else {
      throw .badSeal
    }
    device = try DeviceRecord(
      plain: Array(plain.dropFirst(header.count)), replica: file.header.replica)
    try file.verify(device.publicKeys)
  }
}

/// A member's response to a request: the roots of all epochs, sealed to the new device.
package struct JoinGrant: Hashable, Sendable {
  /// The member that admits the new device.
  package var approver: ReplicaID
  /// The member's public keys.
  package var approverKeys: DevicePublicKeys
  /// The vault's keys.
  package var keys: VaultKeys

  /// Seals the response to a request. Call it only after the user has compared the pairing codes.
  ///
  /// - Throws: `SegmentError.badContent` if the keys of the new device are invalid.
  package static func seal(
    _ keys: VaultKeys, to request: JoinRequest, approver: ReplicaID, device: DeviceKeys
  ) throws(SegmentError) -> SealedObject {
    let header = SignedFile.Header(
      kind: .grant, vault: keys.vault, replica: approver, epoch: keys.current)
    var writer = ByteWriter()
    writer.raw(header.bytes)
    writer.fixed(request.device.replica.rawValue)
    writer.raw(request.device.publicKeys.bytes)
    var stored = keys.stored
    defer { Sodium.wipe(&stored) }
    var plain = writer.bytes + stored
    defer { Sodium.wipe(&plain) }
    guard let box = request.device.publicKeys.sealBox(plain) else {
      throw .badContent("the keys of the device are not valid")
    }
    let bytes = SignedFile.signed(
      header.bytes + device.publicKeys.bytes + box, device: device)
    let kind = SyncFileName.Kind.grant(request.device.replica)
    let name = ObjectName(vault: keys.vault, replica: approver, SyncFileName(kind, of: bytes))
    return SealedObject(object: name, bytes: bytes)
  }

  /// Opens the response to a request of this device.
  ///
  /// - Parameter approver: The public keys of the member that was asked. Responses of other members
  ///   are refused.
  /// - Throws: ``SegmentError``:
  ///   - `notOurs` or `badSeal` if the response is for another device
  ///   - `badSignature` if another member signed it
  ///   - `badContent` if the keys are invalid
  ///   - the errors of ``EpochRecord/init(_:named:)`` for a damaged or mismatched file.
  package init(
    _ bytes: [UInt8], named name: ObjectName, replica: ReplicaID, device: DeviceKeys,
    approver: DevicePublicKeys
  ) throws(SegmentError) {
    let file = try SignedFile(bytes, named: name)
    guard file.header.kind == .grant, name.syncFile?.kind == .grant(replica) else {
      throw .notOurs
    }
    try file.verify(approver)
    var reader = ByteReader(Array(file.body))
    approverKeys = try reader.publicKeys()
    guard approverKeys == approver else { throw .badSignature }
    guard var plain = device.openBox(Array(try reader.raw(reader.left))) else { throw .badSeal }
    defer { Sodium.wipe(&plain) }
    var expected = ByteWriter()
    expected.raw(file.header.bytes)
    expected.fixed(replica.rawValue)
    expected.raw(device.publicKeys.bytes)
    guard plain.starts(with: expected.bytes) else { throw .badSeal }
    guard let keys = VaultKeys(stored: Array(plain.dropFirst(expected.bytes.count))),
      keys.vault == file.header.vault, keys.current == file.header.epoch
    else { throw .badContent("its keys are not valid") }
    self.keys = keys
    self.approver = file.header.replica
  }
}

/// The code that users compare when a device joins: fifteen digits that both devices compute from
/// the public keys of both.
///
/// An attacker in the middle would have to find keys that produce the same digits. That takes about
/// 2⁴⁹ attempts, each of which computes Argon2id over 64 MiB, and can't start before the new device
/// has generated its keys.
package struct ComparisonCode: Hashable, Sendable, CustomStringConvertible {
  /// The code as three groups of five digits: `12345 67890 12345`.
  package let description: String

  /// Computes the code of a member and a new device. Both devices must pass them in this order.
  ///
  /// - Complexity: About 0.1 s and 64 MiB of memory.
  /// - Throws: `PassphraseError.outOfMemory` if the 64 MiB can't be allocated.
  package init(
    vault: VaultID, member: DevicePublicKeys, device: DevicePublicKeys
  ) throws(PassphraseError) {
    precondition(Sodium.isReady)
    var hash = [UInt8](repeating: 0, count: 16)
    let password = member.bytes + device.bytes
    let status = password.withUnsafeBytes { password -> Int32 in
      guard let words = password.baseAddress?.assumingMemoryBound(to: CChar.self) else { return -1 }
      return crypto_pwhash(
        &hash, 16, words, UInt64(password.count), vault.bytes, 1, 64 << 20,
        crypto_pwhash_alg_argon2id13())
    }
    guard status == 0 else { throw .outOfMemory(kibibytes: 64 << 10) }
    // With 64 bits, the probabilities of the codes differ by at most about 1 in 2¹⁴.
    let number = hash.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 1_000_000_000_000_000
    let digits = String(number)
    let padded = Array(String(repeating: "0", count: 15 - digits.count) + digits)
    description = stride(from: 0, to: 15, by: 5).map { String(padded[$0..<$0 + 5]) }
      .joined(separator: " ")
  }
}
