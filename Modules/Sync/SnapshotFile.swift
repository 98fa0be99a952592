package import Model

/// The state of a vault as a replica knows it. A new replica reads it instead of all segments.
package struct SnapshotContent: Hashable, Sendable {
  /// The last operation of a replica that a snapshot includes, with the hash of the operations up
  /// to it.
  package struct Reach: Hashable, Sendable {
    /// The sequence number of the last included operation.
    package var sequence: Int64
    /// The hash of the operations up to it.
    package var chain: ChainHash

    package init(sequence: Int64, chain: ChainHash) {
      (self.sequence, self.chain) = (sequence, chain)
    }
  }

  /// The last included operation of each replica.
  package var vector: [ReplicaID: Reach]
  /// The effective operations on the existing records, by any replica, in no particular order.
  package var operations: [Operation]
  /// Texts in which highlights were made.
  package var texts: [CarriedText]

  package init(
    vector: [ReplicaID: Reach], operations: [Operation], texts: [CarriedText] = []
  ) {
    (self.vector, self.operations, self.texts) = (vector, operations, texts)
  }
}

/// Reads and writes snapshots. The parts of a snapshot are compressed and read one at a time.
///
/// Outsiders can see what they can see of a segment, except that the only sequence number is the
/// last of the snapshot's writer.
package enum SnapshotFile {
  /// The approximate size of a part in bytes, before compression.
  private static let partSize = 4 << 20

  /// Encrypts and signs a snapshot.
  ///
  /// - Parameter replica: The replica that makes the snapshot. Its own entry in the vector becomes
  ///   part of the snapshot's name.
  /// - Throws: `SegmentError` if the content exceeds the limits of the format.
  package static func seal(
    _ content: SnapshotContent, replica: ReplicaID, keys: VaultKeys, device: DeviceKeys
  ) throws(SegmentError) -> SealedObject {
    let key = try keys.root(keys.current).key(for: .snapshot)
    let last = content.vector[replica]?.sequence ?? 0
    let header = SignedFile.Header(
      kind: .snapshot, vault: keys.vault, replica: replica, epoch: keys.current, last: last)
    var writer = ByteWriter()
    writer.count(content.vector.count)
    for (replica, reach) in content.vector.sorted(by: { $0.key < $1.key }) {
      guard (0...Wire.sequenceLimit).contains(reach.sequence) else {
        throw .badContent("\(reach.sequence) is not a sequence number")
      }
      writer.fixed(replica.rawValue)
      writer.count(Int(reach.sequence))
      writer.raw(reach.chain.bytes)
    }
    var chapters = [writer.bytes]
    try forEachPart(of: content) { part throws(SegmentError) in
      try Part.checkLimits(part.operations, texts: part.texts)
      chapters.append(PartEncoder.encode(part.operations, texts: part.texts, isRun: false))
    }
    let body = SealedStream.seal(chapters, header: header.bytes, key: key)
    let bytes = SignedFile.seal(header, body: body, device: device)
    guard bytes.count <= Wire.snapshotLimit else {
      throw .tooLarge(size: bytes.count, limit: Wire.snapshotLimit)
    }
    let name = SyncFileName(.snapshot(last), of: bytes)
    return SealedObject(
      object: ObjectName(vault: keys.vault, replica: replica, name), bytes: bytes)
  }

  /// Divides the content into parts, and calls `body` with each: first each text with the selectors
  /// that refer to it, then all other operations.
  private static func forEachPart(
    of content: SnapshotContent, _ body: (SegmentContent) throws(SegmentError) -> Void
  ) throws(SegmentError) {
    let digests = Set(content.texts.map(\.digest))
    var inTexts: [ContentDigest: [Operation]] = [:]
    var others: [Operation] = content.texts.isEmpty ? content.operations : []
    for operation in content.operations where !content.texts.isEmpty {
      if case .selector(let selector) = operation.value, let digest = selector.textDigest,
        digests.contains(digest)
      {
        inTexts[digest, default: []].append(operation)
      } else {
        others.append(operation)
      }
    }
    var part = SegmentContent(operations: [])
    var size = 0
    func add(_ operations: [Operation], _ text: CarriedText?) throws(SegmentError) {
      let textSize = text?.text.utf8.count ?? 0
      if size > 0, size + textSize > partSize { try flush() }
      if let text { part.texts.append(text) }
      size += textSize
      for operation in operations {
        let added = operation.canonicalSize
        if size > 0,
          size + added > 2 * partSize
            || text == nil && size + added > partSize
            || part.operations.count == Wire.operationCountLimit
        {
          try flush()
        }
        part.operations.append(operation)
        size += added
      }
    }
    func flush() throws(SegmentError) {
      try body(part)
      (part, size) = (SegmentContent(operations: []), 0)
    }
    for text in content.texts { try add(inTexts.removeValue(forKey: text.digest) ?? [], text) }
    try add(others, nil)
    if size > 0 { try flush() }
  }

  /// A snapshot that was authenticated. Its parts are decompressed on demand.
  package struct Opened: Sendable {
    /// The replica that made it.
    package let replica: ReplicaID
    /// The epoch whose key encrypts it.
    package let epoch: Int
    /// The last included operation of each replica.
    package let vector: [ReplicaID: SnapshotContent.Reach]
    private let chapters: [SealedStream.Chapter]

    fileprivate init(_ file: SignedFile, chapters: [SealedStream.Chapter]) throws(SegmentError) {
      guard let first = chapters.first else { throw .badContent("it is empty") }
      (replica, epoch) = (file.header.replica, file.header.epoch)
      vector = try Self.vector(try first.unpacked())
      self.chapters = Array(chapters.dropFirst())
      guard vector[replica]?.sequence ?? 0 == file.header.last else {
        throw .badContent("its vector differs from its header")
      }
    }

    private static func vector(_ bytes: [UInt8]) throws(SegmentError)
      -> [ReplicaID: SnapshotContent.Reach]
    {
      var reader = ByteReader(bytes)
      var vector: [ReplicaID: SnapshotContent.Reach] = [:]
      var last: ReplicaID?
      for _ in 0..<(try reader.count(upTo: reader.left / 41, "the count of replicas")) {
        let replica = ReplicaID(rawValue: try reader.fixed())
        let sequence = try reader.count(upTo: Int(Wire.sequenceLimit), "a sequence number")
        guard last.map({ $0 < replica }) ?? true,
          let chain = ChainHash(bytes: Array(try reader.raw(32)))
        else { throw .badContent("its vector is not in order") }
        vector[replica] = SnapshotContent.Reach(sequence: Int64(sequence), chain: chain)
        last = replica
      }
      try reader.finish()
      return vector
    }

    /// The number of parts.
    package var partCount: Int { chapters.count }

    /// Reads the part at `index`: texts and operations that the vector covers.
    ///
    /// - Throws: `SegmentError` if the part is invalid. Then the other parts must be discarded as
    ///   well.
    package func part(_ index: Int) throws(SegmentError) -> SegmentContent {
      let part = try PartDecoder.decode(try chapters[index].unpacked())
      guard !part.isRun else { throw .badContent("a part of it is a segment") }
      for operation in part.operations {
        guard operation.dot.sequence <= vector[operation.dot.replica]?.sequence ?? 0 else {
          throw .badContent("operation \(operation.dot) is not in its vector")
        }
      }
      return SegmentContent(operations: part.operations, texts: part.texts)
    }

    /// Reads all parts.
    ///
    /// - Throws: `SegmentError` if a part is invalid.
    package func content() throws(SegmentError) -> SnapshotContent {
      var content = SnapshotContent(vector: vector, operations: [])
      for index in chapters.indices {
        let part = try part(index)
        content.operations += part.operations
        content.texts += part.texts
      }
      return content
    }
  }

  /// Verifies and decrypts a snapshot. All of it is authenticated before any part is decompressed.
  ///
  /// - Parameter signer: The public keys of the replica in `name`.
  /// - Throws: `SegmentError`.
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
