package import Model

/// What a replica's library contains when it knows some operations, as checksums: two replicas that know
/// the same operations and have different checksums have diverged, and the checksums say in which records.
///
/// It is sealed like a device record. Others see the replica, the epoch, and the size rounded up.
package struct StateRecord: Hashable, Sendable {
  /// The last operation that is known of each replica.
  package var vector: [ReplicaID: Int64]
  /// The checksums of groups of records. Their count is a power of two.
  package var sums: [UInt64]

  /// The most checksums.
  package static let sumLimit = 8192
  /// The most replicas.
  package static let replicaLimit = 4096
  /// The most bytes of a sealed record.
  package static let fileLimit = 256 << 10

  /// Makes a record of its parts.
  package init(vector: [ReplicaID: Int64], sums: [UInt64]) {
    (self.vector, self.sums) = (vector, sums)
  }

  /// The checksums in as many groups as another record has, where that has fewer: each group is divided
  /// among two when the count doubles.
  package func sums(count: Int) -> [UInt64] {
    guard count > 0, count < sums.count else { return sums }
    var folded = Array(repeating: UInt64(0), count: count)
    for (index, sum) in sums.enumerated() { folded[index % count] ^= sum }
    return folded
  }

  /// Seals the record.
  ///
  /// - Throws: `SegmentError` for more replicas or checksums than a reader accepts.
  package func sealed(replica: ReplicaID, keys: VaultKeys, device: DeviceKeys)
    throws(SegmentError) -> SealedObject
  {
    let content = try plain()
    let header = SignedFile.Header(
      kind: .state, vault: keys.vault, replica: replica, epoch: keys.current)
    let key = try keys.root(keys.current).key(for: .state)
    let body = SealedStream.seal([content], header: header.bytes, key: key)
    let bytes = SignedFile.seal(header, body: body, device: device)
    let object = ObjectName(vault: keys.vault, replica: replica, SyncFileName(.state, of: bytes))
    return SealedObject(object: object, bytes: bytes)
  }

  /// Decrypts a record.
  ///
  /// - Parameter signer: the keys of the replica that the name says.
  package static func open(
    _ bytes: [UInt8], named name: ObjectName, keys: VaultKeys, signer: DevicePublicKeys
  ) throws(SegmentError) -> StateRecord {
    let file = try SignedFile(bytes, named: name, limit: fileLimit)
    guard file.header.kind == .state else { throw .notOurs }
    guard file.header.vault == keys.vault else { throw .otherVault(file.header.vault) }
    try file.verify(signer)
    let chapters = try keys.opening(file.header.epoch, for: .state) {
      key throws(SegmentError) in
      try SealedStream.open(file.body, header: file.header.bytes, key: key)
    }
    guard chapters.count == 1 else { throw .badContent("it has \(chapters.count) chapters") }
    return try StateRecord(plain: try chapters[0].unpacked())
  }

  // MARK: - Content

  func plain() throws(SegmentError) -> [UInt8] {
    guard (1...Self.sumLimit).contains(sums.count), sums.count & (sums.count - 1) == 0,
      vector.count <= Self.replicaLimit,
      vector.values.allSatisfy({ (1...Wire.sequenceLimit).contains($0) })
    else { throw .badContent("the state of the library is not valid") }
    var writer = ByteWriter()
    writer.count(vector.count)
    for (replica, last) in vector.sorted(by: { $0.key < $1.key }) {
      writer.fixed(replica.rawValue)
      writer.count(Int(last))
    }
    writer.byte(UInt8(sums.count.trailingZeroBitCount))
    for sum in sums { writer.fixed(sum) }
    return writer.bytes
  }

  init(plain bytes: [UInt8]) throws(SegmentError) {
    var reader = ByteReader(bytes)
    vector = [:]
    var before: ReplicaID?
    let count = try reader.count(
      upTo: min(Self.replicaLimit, reader.left / 9), "the count of replicas")
    for _ in 0..<count {
      let replica = ReplicaID(rawValue: try reader.fixed())
      let last = try reader.count(upTo: Int(Wire.sequenceLimit), "a sequence number")
      guard before.map({ $0 < replica }) ?? true, last > 0 else {
        throw .badContent("its vector is not in order")
      }
      vector[replica] = Int64(last)
      before = replica
    }
    let bits = try reader.byte()
    guard bits <= Self.sumLimit.trailingZeroBitCount, reader.left == 8 << Int(bits) else {
      throw .badContent("its checksums are cut short")
    }
    sums = []
    for _ in 0..<1 << Int(bits) { sums.append(try reader.fixed()) }
    try reader.finish()
  }
}
