package import Model

/// Reads and writes snapshots: the state of a vault as a replica knows it. A new replica reads it
/// instead of all segments. The parts of a snapshot are compressed, written and read one at a time.
///
/// Outsiders can see what they can see of a segment, except for its sequence numbers: they see only
/// the last sequence number of the replica that wrote the snapshot.
package enum SnapshotFile {
  /// The last operation of a replica that a snapshot includes.
  package struct Reach: Hashable, Sendable {
    /// The sequence number of the last included operation.
    package var sequence: Int64
    /// The hash of the operations up to it.
    package var chain: ChainHash

    package init(sequence: Int64, chain: ChainHash) {
      (self.sequence, self.chain) = (sequence, chain)
    }
  }

  /// Collects the operations of a snapshot. Only compressed parts stay in memory.
  ///
  /// ```swift
  /// var writer = try SnapshotFile.Writer(vector: vector)
  /// for operation in operations { try writer.add(operation) }
  /// let sealed = try writer.sealed(replica: replica, keys: keys, device: device)
  /// ```
  package struct Writer {
    private let vector: [ReplicaID: Reach]
    private var documents = Parts()
    private var highlights = Parts()

    /// Begins a snapshot.
    ///
    /// - Parameter vector: The last included operation of each replica.
    package init(vector: [ReplicaID: Reach]) { self.vector = vector }

    /// Adds an operation that determines the current state, by any replica. Operations can be added
    /// in any order, but they take fewer bytes if those on the same record follow one another.
    ///
    /// - Throws: `SegmentError.operationTooLarge` or `.quoteTooLong` if the operation exceeds a
    ///   limit, `.badContent` if a field is invalid.
    package mutating func add(_ operation: Operation) throws(SegmentError) {
      try operation.checkLimits()
      // A reader needs a document before its highlights.
      if case .highlight = operation.record {
        highlights.add(operation)
      } else {
        documents.add(operation)
      }
    }

    /// Encrypts and signs the snapshot.
    ///
    /// - Parameter replica: The replica that makes the snapshot. Its own entry in the vector
    ///   becomes part of the snapshot's name.
    /// - Throws: `SegmentError.tooLarge` if the snapshot exceeds `Wire.snapshotLimit`,
    ///   `.badContent` if a sequence number in the vector is out of range, `.unknownEpoch` if
    ///   `keys` have no epoch yet.
    package consuming func sealed(replica: ReplicaID, keys: VaultKeys, device: DeviceKeys)
      throws(SegmentError) -> SealedObject
    {
      var writer = ByteWriter()
      writer.count(vector.count)
      for (replica, reach) in vector.sorted(by: { $0.key < $1.key }) {
        guard (0...Wire.sequenceLimit).contains(reach.sequence) else {
          throw .badContent("\(reach.sequence) is not a sequence number")
        }
        writer.fixed(replica.rawValue)
        writer.count(Int(reach.sequence))
        writer.raw(reach.chain.bytes)
      }
      return try seal(
        [SealedStream.Chapter(writer.bytes)] + documents.finished() + highlights.finished(),
        replica: replica, last: vector[replica]?.sequence ?? 0, keys: keys, device: device)
    }
  }

  /// The parts with some of a snapshot's operations.
  private struct Parts {
    private var compressed: [SealedStream.Chapter] = []
    private var part = PartEncoder(texts: [], isRun: false)
    private var size = 0

    /// The approximate size of a part in bytes, before it is encoded.
    private static let partSize = 1 << 20

    mutating func add(_ operation: Operation) {
      size += operation.canonicalSize
      if part.count > 0, size > Self.partSize { flush(with: operation.canonicalSize) }
      part.add(operation)
    }

    private mutating func flush(with size: Int) {
      compressed.append(SealedStream.Chapter(part.encoded()))
      part = PartEncoder(texts: [], isRun: false)
      self.size = size
    }

    consuming func finished() -> [SealedStream.Chapter] {
      if part.count > 0 { flush(with: 0) }
      return compressed
    }
  }

  private static func seal(
    _ chapters: [SealedStream.Chapter], replica: ReplicaID, last: Int64, keys: VaultKeys,
    device: DeviceKeys
  ) throws(SegmentError) -> SealedObject {
    let key = try keys.root(keys.current).key(for: .snapshot)
    let header = SignedFile.Header(
      kind: .snapshot, vault: keys.vault, replica: replica, epoch: keys.current, last: last)
    let bytes = SignedFile.signed(
      SealedStream.seal(chapters, after: header.bytes, key: key), device: device)
    guard bytes.count <= Wire.snapshotLimit else {
      throw .tooLarge(size: bytes.count, limit: Wire.snapshotLimit)
    }
    let name = SyncFileName(.snapshot(last), of: bytes)
    return SealedObject(
      object: ObjectName(vault: keys.vault, replica: replica, name), bytes: bytes)
  }

  /// A snapshot that was authenticated. Its parts are decompressed on demand.
  package struct Opened: Sendable {
    /// The replica that made it.
    package let replica: ReplicaID
    /// The epoch whose key encrypts it.
    package let epoch: Int
    /// The last included operation of each replica.
    package let vector: [ReplicaID: Reach]
    /// The vector and the parts.
    private let chapters: [SealedStream.Chapter]

    fileprivate init(_ file: SignedFile, chapters: [SealedStream.Chapter]) throws(SegmentError) {
      guard let first = chapters.first else { throw .badContent("it is empty") }
      (replica, epoch) = (file.header.replica, file.header.epoch)
      vector = try Self.vector(try first.unpacked())
      self.chapters = chapters
      guard vector[replica]?.sequence ?? 0 == file.header.last else {
        throw .badContent("its vector differs from its header")
      }
    }

    private static func vector(_ bytes: [UInt8]) throws(SegmentError)
      -> [ReplicaID: Reach]
    {
      var reader = ByteReader(bytes)
      var vector: [ReplicaID: Reach] = [:]
      var last: ReplicaID?
      for _ in 0..<(try reader.count(upTo: reader.left / 41, "the count of replicas")) {
        let replica = ReplicaID(rawValue: try reader.fixed())
        let sequence = try reader.count(upTo: Int(Wire.sequenceLimit), "a sequence number")
        guard last.map({ $0 < replica }) ?? true,
          let chain = ChainHash(bytes: Array(try reader.raw(32)))
        else { throw .badContent("its vector is not in order") }
        vector[replica] = Reach(sequence: Int64(sequence), chain: chain)
        last = replica
      }
      try reader.finish()
      return vector
    }

    /// The number of parts.
    package var partCount: Int { chapters.count - 1 }

    /// Reads the part at `index`: texts and operations that the vector covers.
    ///
    /// - Throws: `SegmentError.badContent` or `.tooLarge` if the part is invalid or has an
    ///   operation that the vector doesn't cover. Then the other parts must be discarded as well.
    package func part(_ index: Int) throws(SegmentError) -> SegmentContent {
      let part = try PartDecoder.decode(try chapters[index + 1].unpacked())
      guard !part.isRun else { throw .badContent("a part of it is a segment") }
      for operation in part.operations {
        guard operation.dot.sequence <= vector[operation.dot.replica]?.sequence ?? 0 else {
          throw .badContent("operation \(operation.dot) is not in its vector")
        }
      }
      return SegmentContent(operations: part.operations, texts: part.texts)
    }

    /// Encrypts the same snapshot with the key of the current epoch, and signs it.
    ///
    /// - Throws: `SegmentError.unknownEpoch` if `keys` have no epoch yet, `.tooLarge` if the
    ///   snapshot exceeds `Wire.snapshotLimit`.
    package func sealed(keys: VaultKeys, device: DeviceKeys) throws(SegmentError) -> SealedObject {
      try SnapshotFile.seal(
        chapters, replica: replica, last: vector[replica]?.sequence ?? 0, keys: keys,
        device: device)
    }
  }

  /// Verifies and decrypts a snapshot. All of it is authenticated before any part is decompressed.
  ///
  /// - Parameter signer: The public keys of the replica in `name`.
  /// - Throws: ``SegmentError``:
  ///   - `notOurs`, `nameMismatch` or `otherVault` if the file isn't the snapshot that `name` and
  ///     `keys` require
  ///   - `newerReader` if the snapshot requires a newer version
  ///   - `tooShort`, `tooLarge` or `damaged` if the snapshot is incomplete or changed
  ///   - `badSignature` if `signer` didn't sign it
  ///   - `unknownEpoch` or `badSeal` if `keys` don't open the snapshot
  ///   - `badContent` if its vector is invalid.
  package static func open(
    _ bytes: [UInt8], named name: ObjectName, keys: VaultKeys, signer: DevicePublicKeys
  ) throws(SegmentError) -> Opened {
    let file = try SignedFile(bytes, named: name, limit: Wire.snapshotLimit)
    guard file.header.kind == .snapshot else { throw .notOurs }
    guard file.header.vault == keys.vault else { throw .otherVault(file.header.vault) }
    try file.verify(signer)
    let chapters = try keys.opening(file.header.epoch, for: .snapshot) {
      key throws(SegmentError) in
      try SealedStream.open(file.body, header: file.header.bytes, key: key)
    }
    return try Opened(file, chapters: chapters)
  }
}
