import CSodium
package import Model

/// A new device asks a member to be let in. It is sealed to that member and signed by the new device.
package struct JoinRequest: Hashable, Sendable {
  /// The new device.
  package var device: DeviceRecord

  /// Makes a request of the new device's record, whose keys must be made for it: that they are new is
  /// what keeps others from choosing theirs so that the code is the same.
  package init(device: DeviceRecord) { self.device = device }

  /// Seals the request.
  ///
  /// - Parameter issuer: the public keys of the member, as the invitation says.
  package func sealed(vault: VaultID, to issuer: DevicePublicKeys, device keys: DeviceKeys)
    throws(SegmentProblem) -> SealedObject
  {
    guard keys.publicKeys == device.publicKeys else { throw .badSignature }
    let header = SignedFile.Header(kind: .request, vault: vault, replica: device.replica, epoch: 0)
    guard let body = issuer.sealBox(header.bytes + (try device.plain())) else {
      throw .badContent("the keys of the member are not valid")
    }
    let bytes = SignedFile.seal(header, body: body, device: keys)
    let name = ObjectName(
      vault: vault, replica: device.replica, SyncFileName(.request, of: bytes))
    return SealedObject(object: name, bytes: bytes)
  }

  /// Opens a request that was sealed to a member. It says who asks; that it is true is what the
  /// pairing code shows.
  package init(_ bytes: [UInt8], named name: ObjectName, member: DeviceKeys)
    throws(SegmentProblem)
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

/// A member's answer to a request: the roots of all epochs, sealed to the new device.
package struct JoinGrant: Hashable, Sendable {
  /// Who lets the new device in.
  package var approver: ReplicaID
  /// The approver's public keys.
  package var approverKeys: DevicePublicKeys
  /// The vault's keys.
  package var keys: VaultKeys

  /// Answers a request, after the pairing codes were compared.
  package static func seal(
    _ keys: VaultKeys, to request: JoinRequest, approver: ReplicaID, device: DeviceKeys
  ) throws(SegmentProblem) -> SealedObject {
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
    let bytes = SignedFile.seal(
      header, body: device.publicKeys.bytes + box, device: device)
    let kind = SyncFileName.Kind.grant(request.device.replica)
    let name = ObjectName(vault: keys.vault, replica: approver, SyncFileName(kind, of: bytes))
    return SealedObject(object: name, bytes: bytes)
  }

  /// Opens the answer to a request of this device.
  ///
  /// - Parameter approver: the keys of the member that was asked; another's answer is refused.
  package init(
    _ bytes: [UInt8], named name: ObjectName, replica: ReplicaID, device: DeviceKeys,
    approver: DevicePublicKeys
  ) throws(SegmentProblem) {
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

/// What two people compare when a device is let in: fifteen digits that both machines make of the
/// public keys of both.
///
/// Somebody in between must make keys of which the same digits come, for keys of the new device that
/// were not there before: about 2⁴⁹ tries, each of which takes Argon2id over 64 MiB.
package struct PairingCode: Hashable, Sendable, CustomStringConvertible {
  /// Three groups of five digits: `12345 67890 12345`.
  package let description: String

  /// The code of a member and a new device; both name both in this order.
  ///
  /// - Complexity: a tenth of a second, and 64 MiB.
  /// - Throws: `PassphraseProblem.outOfMemory`.
  package init(
    vault: VaultID, member: DevicePublicKeys, device: DevicePublicKeys
  ) throws(PassphraseProblem) {
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
    // Of 64 bits, all digits are equally likely but for 2⁻¹⁴.
    let number = hash.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 1_000_000_000_000_000
    let digits = String(number)
    let padded = Array(String(repeating: "0", count: 15 - digits.count) + digits)
    description = stride(from: 0, to: 15, by: 5).map { String(padded[$0..<$0 + 5]) }
      .joined(separator: " ")
  }
}
