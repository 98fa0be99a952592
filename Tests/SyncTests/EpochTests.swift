import Model
import TestSupport
import Testing

@testable import Sync

@Suite struct EpochTests {
  let vault: SampleVault
  init() throws { vault = try SampleVault() }

  private let one = SampleVault.replicas[0]
  private let two = SampleVault.replicas[1]
  private let three = SampleVault.replicas[2]

  private var publicKeys: [ReplicaID: DevicePublicKeys] { vault.devices.mapValues(\.publicKeys) }

  /// Returns claims of devices whose records are sealed in the first epoch.
  private func claims(_ devices: [ReplicaID: DevicePublicKeys]) throws -> [EpochTree.Claim] {
    let root = try vault.keys.root(1)
    return devices.map { EpochTree.Claim(replica: $0, publicKeys: $1, root: root) }
  }

  /// Returns the next epoch, issued by one of the devices.
  private func next(
    _ keys: VaultKeys, after record: EpochRecord, by issuer: ReplicaID, without gone: [ReplicaID],
    passphrase: String? = nil
  ) throws -> (record: EpochRecord, keys: VaultKeys) {
    let revoked = gone.map {
      Revocation(replica: $0, last: 7, chain: .start(vault: SampleVault.id, replica: $0))
    }
    let (object, keys) = try EpochRecord.issue(
      keys: keys, after: record, issuer: issuer, device: try #require(vault.devices[issuer]),
      devices: publicKeys.filter { !gone.contains($0.key) }, revoked: revoked,
      passphrase: passphrase.map { ($0, .least) })
    return (try EpochRecord(object.bytes, named: object.object), keys)
  }

  @Test func `each device and the passphrase open the same key`() throws {
    for (replica, device) in vault.devices {
      #expect(vault.record.keys(for: replica, device: device) == vault.keys)
    }
    #expect(try vault.record.keys(passphrase: "correct horse") == vault.keys)
    #expect(vault.record.devices == Set(SampleVault.replicas) && vault.record.epoch == 1)
    // Neither another device's keys nor those of an unknown device open the record.
    #expect(vault.record.keys(for: one, device: try #require(vault.devices[two])) == nil)
    #expect(vault.record.keys(for: ReplicaID(rawValue: 1), device: .random()) == nil)
    #expect(VaultKeys(stored: vault.keys.stored) == vault.keys)
    #expect(VaultKeys(stored: Array(vault.keys.stored.dropLast())) == nil)
    let device = vault.device
    #expect(DeviceKeys(stored: device.stored)?.publicKeys == device.publicKeys)
    #expect(DevicePublicKeys(device.publicKeys.description) == device.publicKeys)
  }

  @Test func `a wrong and a missing passphrase have different errors`() throws {
    for wrong in ["", "correct hors", "correct horse "] {
      #expect(throws: PassphraseError.wrongPassphrase) {
        try vault.record.keys(passphrase: wrong)
      }
    }
    let (record, _) = try next(vault.keys, after: vault.record, by: one, without: [])
    #expect(throws: PassphraseError.noPassphrase) { try record.keys(passphrase: "x") }
  }

  @Test func `a record with an excessive passphrase cost is rejected before hashing`() throws {
    // The header is followed by the previous record (32 bytes), keys (64), the root (32), the byte
    // 1, and the cost.
    let place = SignedFile.Header.size + 129
    for cost: [UInt8] in [
      [0, 0, 0, 0x20, 0], [9, 0, 0, 0x20, 0], [255, 0, 0, 0x20, 0], [1, 0, 0, 0x1F, 0xFF],
      [1, 0, 8, 0, 1], [1, 0xFF, 0xFF, 0xFF, 0xFF],
    ] {
      var bytes = Array(vault.recordObject.bytes.dropLast(SignedFile.trailerSize))
      bytes.replaceSubrange(place..<place + 5, with: cost)
      bytes = SignedFile.signed(bytes, device: vault.device)
      let name = ObjectName(
        vault: SampleVault.id, replica: one, SyncFileName(.epoch(1), of: bytes))
      let record = try EpochRecord(bytes, named: name)
      do throws(PassphraseError) {
        _ = try record.keys(passphrase: "correct horse")
        Issue.record("it was opened")
      } catch {
        guard case .limitsExceeded = error else {
          Issue.record("\(error)")
          continue
        }
      }
    }
    #expect(PassphraseCost(operations: 9, memory: 8192) == nil)
    #expect(PassphraseCost(operations: 1, memory: 8191) == nil)
  }

  @Test func `a revoked device gets no later key, and the others keep the earlier ones`() throws {
    let second = try next(
      vault.keys, after: vault.record, by: two, without: [three], passphrase: "new words")
    let third = try next(second.keys, after: second.record, by: one, without: [three])
    #expect(third.record.keys(for: three, device: try #require(vault.devices[three])) == nil)
    // The last key is sufficient to find all earlier ones.
    let device = try #require(vault.devices[two])
    let last = try #require(third.record.keys(for: two, device: device))
    #expect(last.epochs == [3])
    let tree = try EpochTree(
      of: [third.record, vault.record, second.record], keys: last, claims: try claims(publicKeys),
      reader: nil)
    #expect(tree.keys == third.keys && tree.keys.epochs == [1, 2, 3])
    #expect(tree.records.map(\.epoch) == [1, 2, 3])
    #expect(Set(tree.revoked.keys) == [three] && tree.revoked[three]?.last == 7)
    // Earlier data stays readable, and new data is not readable for the revoked device.
    var drawn = RandomOperations(seed: 1)
    let old = try vault.seal(drawn.run(2))
    #expect(throws: Never.self) {
      try SegmentFile.open(
        old.bytes, named: old.object, keys: tree.keys, signer: vault.device.publicKeys)
    }
    let new = try SegmentFile.seal(
      drawn.run(2), vault: SampleVault.id, after: .start(vault: SampleVault.id, replica: one),
      keys: tree.keys, device: vault.device)
    #expect(throws: SegmentError.unknownEpoch(3)) {
      try vault.open(new.bytes, named: new.object)
    }
  }

  @Test func `an epoch of an unauthorized issuer is rejected`() throws {
    let second = try next(vault.keys, after: vault.record, by: two, without: [three])
    // The issuer was revoked in the previous epoch, so it has only the older key, unless another
    // device disclosed the newer one.
    let byRevoked = try next(second.keys, after: second.record, by: three, without: [])
    let found = [vault.record, second.record, byRevoked.record]
    #expect(throws: SegmentError.self) {
      try EpochTree(of: found, keys: byRevoked.keys, claims: try claims(publicKeys), reader: nil)
    }
    // The issuer is not in the first epoch. Its epoch is rejected without a claim of the issuer,
    // and with a claim that has other keys. It is accepted with a claim that has the issuer's keys.
    let new = ReplicaID(rawValue: 42)
    let device = DeviceKeys.random()
    let object = try EpochRecord.issue(
      keys: vault.keys, after: vault.record, issuer: new, device: device, devices: publicKeys,
      passphrase: nil)
    let byNew = try EpochRecord(object.object.bytes, named: object.object.object)
    for devices in [[:], [new: DeviceKeys.random().publicKeys]] {
      #expect(throws: SegmentError.self) {
        try EpochTree(
          of: [vault.record, byNew], keys: object.keys, claims: try claims(devices), reader: nil)
      }
    }
    #expect(throws: Never.self) {
      try EpochTree(
        of: [vault.record, byNew], keys: object.keys, claims: try claims([new: device.publicKeys]),
        reader: nil)
    }
    // Epochs are rejected if one is missing between them, or if they are of another vault.
    let third = try next(second.keys, after: second.record, by: one, without: [])
    #expect(throws: SegmentError.self) {
      try EpochTree(
        of: [vault.record, third.record], keys: third.keys, claims: try claims(publicKeys),
        reader: nil)
    }
    #expect(throws: SegmentError.self) {
      try EpochTree(
        of: [try SampleVault().record], keys: vault.keys, claims: try claims(publicKeys),
        reader: nil)
    }
  }

  // MARK: - Joining

  @Test func `a new device is admitted after its code was compared`() throws {
    let new = DeviceKeys.random()
    let replica = ReplicaID(rawValue: 42)
    let request = JoinRequest(
      device: DeviceRecord(
        replica: replica, name: "laptop", publicKeys: new.publicKeys, created: 1))
    let asked = try request.sealed(
      vault: SampleVault.id, to: vault.device.publicKeys, device: new)
    let read = try JoinRequest(asked.bytes, named: asked.object, member: vault.device)
    #expect(read == request)
    #expect(throws: SegmentError.badSeal) {
      try JoinRequest(asked.bytes, named: asked.object, member: .random())
    }
    let code = try ComparisonCode(
      vault: SampleVault.id, member: vault.device.publicKeys, device: read.device.publicKeys)
    #expect(
      try code
        == ComparisonCode(
          vault: SampleVault.id, member: vault.device.publicKeys, device: new.publicKeys))
    #expect(code.description.wholeMatch(of: /\d{5} \d{5} \d{5}/) != nil)
    #expect(
      try code
        != ComparisonCode(
          vault: SampleVault.id, member: vault.device.publicKeys,
          device: DeviceKeys.random().publicKeys))
    let second = try next(vault.keys, after: vault.record, by: one, without: [three])
    let sealed = try JoinGrant.seal(second.keys, to: read, approver: one, device: vault.device)
    let grant = try JoinGrant(
      sealed.bytes, named: sealed.object, replica: replica, device: new,
      approver: vault.device.publicKeys)
    #expect(grant.keys == second.keys && grant.approver == one)
    // The grant is only for this device, and only from this member.
    #expect(throws: SegmentError.self) {
      try JoinGrant(
        sealed.bytes, named: sealed.object, replica: replica, device: .random(),
        approver: vault.device.publicKeys)
    }
    #expect(throws: SegmentError.badSignature) {
      try JoinGrant(
        sealed.bytes, named: sealed.object, replica: replica, device: new,
        approver: try #require(vault.devices[two]).publicKeys)
    }
  }

  @Test func `only the device itself can sign its record`() throws {
    let record = DeviceRecord(
      replica: one, name: "desk", publicKeys: vault.device.publicKeys, created: 3)
    let sealed = try record.sealed(keys: vault.keys, device: vault.device)
    #expect(
      try DeviceRecord.open(sealed.bytes, named: sealed.object, keys: vault.keys).record == record)
    #expect(throws: SegmentError.badSignature) {
      try record.sealed(keys: vault.keys, device: .random())
    }
    for name in ["", "a\nb", "\u{1B}[2J", String(repeating: "x", count: 201)] {
      var other = record
      other.name = name
      #expect(throws: SegmentError.self) {
        try other.sealed(keys: vault.keys, device: vault.device)
      }
    }
  }
}
