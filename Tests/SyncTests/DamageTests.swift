import Model
import TestSupport
import Testing

@testable import Sync

/// Tests that damaged objects are rejected.
@Suite struct DamageTests {
  /// An object of one kind, with a function that reads it and returns its content as text.
  private struct Sample {
    var kind: String
    var object: ObjectName
    var bytes: [UInt8]
    var read: ([UInt8], ObjectName) throws -> String
  }

  private let vault: SampleVault
  init() throws { vault = try SampleVault() }

  private func samples() throws -> [Sample] {
    let vault = vault
    var drawn = RandomOperations(seed: 11)
    let content = drawn.run(8)
    let segment = try vault.seal(content)
    let snapshot = try drawn.snapshot(8, keys: vault.keys, device: vault.device).sealed
    let device = try deviceRecord().sealed(keys: vault.keys, device: vault.device)
    let new = DeviceKeys.random()
    let newReplica = ReplicaID(rawValue: 99)
    let request = JoinRequest(
      device: DeviceRecord(
        replica: newReplica, name: "new", publicKeys: new.publicKeys, created: 5))
    let asked = try request.sealed(
      vault: SampleVault.id, to: vault.device.publicKeys, device: new)
    let grant = try JoinGrant.seal(
      vault.keys, to: request, approver: SampleVault.replicas[0], device: vault.device)
    return [
      Sample(kind: "segment", object: segment.object, bytes: segment.bytes) {
        "\(try vault.open($0, named: $1).content.exactly)"
      },
      Sample(kind: "snapshot", object: snapshot.object, bytes: snapshot.bytes) {
        let read = try SnapshotFile.open(
          $0, named: $1, keys: vault.keys, signer: vault.device.publicKeys)
        let operations = try (0..<read.partCount).flatMap { try read.part($0).operations }
        return "\(read.vector.sorted { $0.key < $1.key }) \(operations.map(\.exactly))"
      },
      Sample(kind: "device", object: device.object, bytes: device.bytes) {
        "\(try DeviceRecord.open($0, named: $1, keys: vault.keys))"
      },
      Sample(kind: "epoch", object: vault.recordObject.object, bytes: vault.recordObject.bytes) {
        "\(try EpochRecord($0, named: $1).hash)"
      },
      Sample(kind: "request", object: asked.object, bytes: asked.bytes) {
        "\(try JoinRequest($0, named: $1, member: vault.device))"
      },
      Sample(kind: "grant", object: grant.object, bytes: grant.bytes) {
        "\(try JoinGrant($0, named: $1, replica: newReplica, device: new, approver: vault.device.publicKeys).keys.stored)"
      },
    ]
  }

  private func deviceRecord() -> DeviceRecord {
    DeviceRecord(
      replica: SampleVault.replicas[0], name: "Büro", publicKeys: vault.device.publicKeys,
      created: 1_790_000_000_000)
  }

  /// Returns the name that an object with these bytes would have.
  private func renamed(_ object: ObjectName, _ bytes: [UInt8]) throws -> ObjectName {
    let kind = try #require(object.syncFile).kind
    return try #require(
      ObjectName(
        vault: object.vault, replica: object.replica,
        file: SyncFileName(kind, of: bytes).description))
  }

  @Test func `an object of each kind can be read`() throws {
    for sample in try samples() {
      let read = try sample.read(sample.bytes, sample.object)
      #expect(try !read.isEmpty && sample.read(sample.bytes, sample.object) == read)
    }
  }

  @Test func `an object with an altered byte is rejected, even if its name matches`() throws {
    for sample in try samples() {
      for index in sample.bytes.indices {
        var damaged = sample.bytes
        damaged[index] ^= [1, 0x80, 0xFF, 0x10][index % 4]
        for name in [sample.object, try renamed(sample.object, damaged)] {
          #expect(throws: SegmentError.self, "\(sample.kind), byte \(index)") {
            try sample.read(damaged, name)
          }
        }
      }
    }
  }

  @Test func `a truncated or extended object is rejected, even if its name matches`() throws {
    for sample in try samples() {
      for count in 0..<sample.bytes.count {
        let damaged = Array(sample.bytes[..<count])
        for name in [sample.object, try renamed(sample.object, damaged)] {
          #expect(throws: SegmentError.self, "\(sample.kind), \(count) bytes") {
            try sample.read(damaged, name)
          }
        }
      }
      for more in [sample.bytes + [0], sample.bytes + sample.bytes] {
        #expect(throws: SegmentError.self) {
          try sample.read(more, renamed(sample.object, more))
        }
      }
    }
  }

  /// A member alters sealed content and signs it again, so only the encryption can detect it.
  @Test func `content that was altered and signed again is rejected`() throws {
    for sample in try samples() where ["segment", "snapshot", "device"].contains(sample.kind) {
      for index in SignedFile.Header.size..<sample.bytes.count - SignedFile.trailerSize {
        var damaged = Array(sample.bytes.dropLast(SignedFile.trailerSize))
        damaged[index] ^= 4
        let bytes = SignedFile.signed(damaged, device: vault.device)
        #expect(throws: SegmentError.badSeal, "\(sample.kind), byte \(index)") {
          try sample.read(bytes, renamed(sample.object, bytes))
        }
      }
    }
  }

  @Test func `a file with moved, missing or foreign blocks is rejected`() throws {
    var drawn = RandomOperations(seed: 12)
    func long(_ seed: UInt64) throws -> (object: ObjectName, bytes: [UInt8]) {
      drawn.random = SeededGenerator(seed: seed)
      var content = drawn.run(3)
      for index in content.operations.indices {
        // Random letters cannot be compressed, so there are several blocks.
        content.operations[index].value = .text(
          String(
            (0..<120_000).map { _ in
              "abcdefghijklmnopqrstuvwxyz0123456789".randomElement(using: &drawn.random)!
            }))
      }
      let sealed = try vault.seal(content)
      return (sealed.object, sealed.bytes)
    }
    let (first, second) = (try long(1), try long(2))
    let start = SignedFile.Header.size + 24
    let size = (64 << 10) + 17
    let body = Array(first.bytes[start..<first.bytes.count - SignedFile.trailerSize])
    let other = Array(second.bytes[start..<second.bytes.count - SignedFile.trailerSize])
    let blocks = stride(from: 0, to: body.count, by: size).map {
      Array(body[$0..<min(body.count, $0 + size)])
    }
    try #require(blocks.count > 3)
    let head = Array(first.bytes[..<start])
    func check(_ blocks: [[UInt8]], _ comment: Comment) throws {
      let bytes = SignedFile.signed(head + blocks.joined(), device: vault.device)
      #expect(throws: SegmentError.badSeal, comment) {
        try vault.open(bytes, named: renamed(first.object, bytes))
      }
    }
    try check([blocks[1], blocks[0]] + blocks[2...], "swapped")
    try check(Array(blocks.dropLast()), "without the last")
    try check(Array(blocks.dropFirst()), "without the first")
    try check([blocks[0]] + blocks[2...], "without one")
    try check(blocks + [blocks[1]], "one twice")
    try check([Array(other[..<size])] + blocks[1...], "spliced")
    // With the original blocks, it is accepted.
    let bytes = SignedFile.signed(head + blocks.joined(), device: vault.device)
    #expect(throws: Never.self) { try vault.open(bytes, named: renamed(first.object, bytes)) }
  }

  // MARK: - Names, vaults and signers

  @Test func `an object with the name or signature of another device is rejected`() throws {
    var drawn = RandomOperations(seed: 13)
    let sealed = try vault.seal(drawn.run(3))
    let file = try #require(sealed.object.syncFile)
    let (one, two) = (SampleVault.replicas[0], SampleVault.replicas[1])
    func name(_ vault: VaultID = SampleVault.id, _ replica: ReplicaID = one, file: String)
      throws -> ObjectName
    { try #require(ObjectName(vault: vault, replica: replica, file: file)) }
    let other = try #require(VaultID("ff0102030405060708090a0b0c0d0e0f"))
    let vault = vault
    func problem(_ body: () throws(SegmentError) -> OpenedSegment) -> SegmentError? {
      do throws(SegmentError) { _ = try body() } catch { return error }
      return nil
    }
    let theirs = try name(SampleVault.id, two, file: file.description)
    guard
      case .nameMismatch = problem({ () throws(SegmentError) in
        try vault.open(sealed.bytes, named: theirs, by: two)
      })
    else { throw SegmentError.notOurs }
    let moved = try name(file: "4-6.\(file.hash).seg")
    guard
      case .nameMismatch = problem({ () throws(SegmentError) in
        try vault.open(sealed.bytes, named: moved)
      })
    else { throw SegmentError.notOurs }
    let elsewhere = try name(other, one, file: file.description)
    #expect(
      problem { () throws(SegmentError) in try vault.open(sealed.bytes, named: elsewhere) }
        == .otherVault(SampleVault.id))
    let otherHash = try name(file: "1-3.0000000000000000.seg")
    #expect(
      problem { () throws(SegmentError) in try vault.open(sealed.bytes, named: otherHash) }
        == .damaged)
    for kind in ["3.\(file.hash).snap", "device.\(file.hash)", "epoch-1.\(file.hash)", "x"] {
      let wrong = try name(file: kind)
      #expect(
        problem { () throws(SegmentError) in try vault.open(sealed.bytes, named: wrong) }
          == .notOurs)
    }
    // The second device signs a segment of the first.
    let forged = try SegmentFile.seal(
      drawn.run(3), vault: SampleVault.id, after: .start(vault: SampleVault.id, replica: one),
      keys: vault.keys, device: try #require(vault.devices[two]))
    #expect(
      problem { () throws(SegmentError) in
        try vault.open(forged.bytes, named: forged.object, by: one)
      } == .badSignature)
  }

  @Test func `without the vault's key nothing can be read`() throws {
    var drawn = RandomOperations(seed: 14)
    let sealed = try vault.seal(drawn.run(3))
    let signer = vault.device.publicKeys
    #expect(throws: SegmentError.unknownEpoch(1)) {
      try SegmentFile.open(
        sealed.bytes, named: sealed.object, keys: VaultKeys(vault: SampleVault.id), signer: signer)
    }
    #expect(throws: SegmentError.badSeal) {
      try SegmentFile.open(
        sealed.bytes, named: sealed.object, keys: try SampleVault().keys, signer: signer)
    }
    #expect(throws: SegmentError.otherVault(SampleVault.id)) {
      try SegmentFile.open(
        sealed.bytes, named: sealed.object, keys: VaultKeys(vault: .random()), signer: signer)
    }
  }

  @Test func `a newer format is reported with its version`() throws {
    var drawn = RandomOperations(seed: 15)
    let sealed = try vault.seal(drawn.run(3))
    var newer = Array(sealed.bytes.dropLast(SignedFile.trailerSize))
    (newer[5], newer[6]) = (3, 2)
    let bytes = SignedFile.signed(newer, device: vault.device)
    #expect(throws: SegmentError.newerReader(2)) {
      try vault.open(bytes, named: renamed(sealed.object, bytes))
    }
  }

  @Test func `random bytes are rejected`() throws {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let samples = try samples()
    for round in 0..<6000 {
      let sample = samples[round % samples.count]
      // Half of the random objects begin like a valid object.
      let start = round % 2 == 0 ? 0 : Int.random(in: 0...sample.bytes.count, using: &random)
      let rest = (0..<Int.random(in: 0...400, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      let bytes = Array(sample.bytes[..<start]) + rest
      guard bytes != sample.bytes else { continue }
      #expect(throws: SegmentError.self) {
        try sample.read(bytes, renamed(sample.object, bytes))
      }
    }
  }
}
