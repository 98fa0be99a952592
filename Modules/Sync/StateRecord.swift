package import Model

/// A summary of a replica's library: the operations that the replica knows, and checksums of its
/// records.
///
/// Two replicas that know the same operations must have the same checksums. Otherwise their
/// libraries have diverged, and the differing checksums narrow down the records concerned.
///
/// The record is sealed like a device record. Outsiders can see the replica, the epoch and the
/// padded size.
package struct StateRecord: Hashable, Sendable {
  /// The sequence number of the last known operation of each replica.
  package var vector: [ReplicaID: Int64]
  /// The checksums of groups of records, at most `sumLimit`. Their number is a power of two.
  package var sums: [UInt64]

  /// The maximum number of checksums.
  package static let sumLimit = 8192
  /// The maximum number of replicas in the vector.
  package static let replicaLimit = 4096
  /// The maximum size of a sealed record in bytes.
  package static let fileLimit = 256 << 10

  /// Creates a record. `sealed` checks its limits.
  package init(vector: [ReplicaID: Int64], sums: [UInt64]) {
    (self.vector, self.sums) = (vector, sums)
  }

  /// Combines the checksums into those of `count` larger groups, for comparison with a record that
  /// has fewer groups.
  ///
  /// - Parameter count: A power of two. If it is 0 or not smaller than the number of checksums, all
  ///   checksums are returned.
  package func sums(count: Int) -> [UInt64] {
    guard count > 0, count < sums.count else { return sums }
    var folded = Array(repeating: UInt64(0), count: count)
    for (index, sum) in sums.enumerated() { folded[index % count] ^= sum }
    return folded
  }

  /// Seals the record with the current epoch's key and signs it.
  ///
  /// - Throws: `SegmentError.badContent` if it exceeds a limit, the number of checksums isn't a
  ///   power of two or a sequence number is out of range; `.unknownEpoch` if `keys` has no epoch
  ///   yet.
  package func sealed(replica: ReplicaID, keys: VaultKeys, device: DeviceKeys)
    throws(SegmentError) -> SealedObject
  {
    let content = try plain()
    let header = SignedFile.Header(
      kind: .state, vault: keys.vault, replica: replica, epoch: keys.current)
    let key = try keys.root(keys.current).key(for: .state)
    let bytes = SignedFile.signed(
      SealedStream.seal([content], after: header.bytes, key: key), device: device)
    let object = ObjectName(vault: keys.vault, replica: replica, SyncFileName(.state, of: bytes))
    return SealedObject(object: object, bytes: bytes)
  }

  /// Decrypts a record and verifies its signature.
  ///
  /// - Parameter signer: The public keys of the replica in the name.
  /// - Throws: ``SegmentError``:
  ///   - `notOurs`, `nameMismatch` or `otherVault` if the file isn't the record that `name` and
  ///     `keys` require
  ///   - `newerReader` if the record requires a newer version
  ///   - `tooShort`, `tooLarge` or `damaged` if the record is incomplete or changed
  ///   - `badSignature` if `signer` didn't sign it
  ///   - `unknownEpoch` or `badSeal` if `keys` don't open the record
  ///   - `badContent` if its content is invalid.
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
