package import Model

/// All that a replica knew at a moment: for a replica that begins, instead of everybody's segments.
package struct SnapshotContent: Hashable, Sendable {
  /// How far the operations of a replica are in it, and what they add up to.
  package struct Reach: Hashable, Sendable {
    /// The last sequence number.
    package var sequence: Int64
    /// What the operations up to it add up to.
    package var chain: ChainHash

    /// Makes a reach of its parts.
    package init(sequence: Int64, chain: ChainHash) {
      (self.sequence, self.chain) = (sequence, chain)
    }
  }

  /// How far each replica is known.
  package var vector: [ReplicaID: Reach]
  /// What holds of the live records, of any replicas; their order says nothing.
  package var operations: [Operation]
  /// Texts that highlights were made in.
  package var texts: [CarriedText]

  /// Makes a content of its parts.
  package init(
    vector: [ReplicaID: Reach], operations: [Operation], texts: [CarriedText] = []
  ) {
    (self.vector, self.operations, self.texts) = (vector, operations, texts)
  }
}

/// A snapshot as it is stored and sent, in parts that are packed and read one after the other.
///
/// Others see of it what they see of a segment, but no more sequence numbers than its writer's last.
package enum SnapshotFile {
  /// About how many bytes one part has before it is packed.
  private static let partSize = 4 << 20

  /// Seals a snapshot.
  ///
  /// - Parameter replica: who makes it; the vector says how far it is itself.
  /// - Throws: `SegmentProblem` when something in it is out of the limits of the format.
  package static func seal(
    _ content: SnapshotContent, replica: ReplicaID, keys: VaultKeys, device: DeviceKeys
  ) throws(SegmentProblem) -> SealedObject {
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
    for part in parts(of: content) {
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

  /// Texts with the passages that stand in them, then everything else.
  private static func parts(of content: SnapshotContent) -> [SegmentContent] {
    let digests = Set(content.texts.map(\.digest))
    var inTexts: [ContentDigest: [Operation]] = [:]
    var others: [Operation] = []
    for operation in content.operations {
      if case .selector(let selector) = operation.value, let digest = selector.textDigest,
        digests.contains(digest)
      {
        inTexts[digest, default: []].append(operation)
      } else {
        others.append(operation)
      }
    }
    var parts: [SegmentContent] = []
    var part = SegmentContent(operations: [])
    var size = 0
    func add(_ operations: [Operation], _ text: CarriedText?) {
      let textSize = text?.text.utf8.count ?? 0
      if size > 0, size + textSize > partSize { flush() }
      if let text { part.texts.append(text) }
      size += textSize
      for operation in operations {
        let added = operation.canonicalSize
        if size > 0,
          size + added > 2 * partSize
            || text == nil && size + added > partSize
            || part.operations.count == Wire.operationCountLimit
        {
          flush()
        }
        part.operations.append(operation)
        size += added
      }
    }
    func flush() {
      parts.append(part)
      (part, size) = (SegmentContent(operations: []), 0)
    }
    for text in content.texts { add(inTexts.removeValue(forKey: text.digest) ?? [], text) }
    add(others, nil)
    if size > 0 { flush() }
    return parts
  }

  /// A snapshot that is authentic, whose parts are read as they are asked for.
  package struct Opened: Sendable {
    /// Who made it.
    package let replica: ReplicaID
    /// Whose key it is sealed with.
    package let epoch: Int
    /// How far each replica is known.
    package let vector: [ReplicaID: SnapshotContent.Reach]
    private let chapters: [SealedStream.Chapter]

    fileprivate init(_ file: SignedFile, chapters: [SealedStream.Chapter]) throws(SegmentProblem) {
      guard let first = chapters.first else { throw .badContent("it is empty") }
      (replica, epoch) = (file.header.replica, file.header.epoch)
      vector = try Self.vector(try first.unpacked())
      self.chapters = Array(chapters.dropFirst())
      guard vector[replica]?.sequence ?? 0 == file.header.last else {
        throw .badContent("its vector differs from its header")
      }
    }

    private static func vector(_ bytes: [UInt8]) throws(SegmentProblem)
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

    /// How many parts it has.
    package var partCount: Int { chapters.count }

    /// Reads one part: operations that the vector covers, and texts.
    ///
    /// - Throws: `SegmentProblem` when it makes no sense; then nothing of the snapshot is to be kept.
    package func part(_ index: Int) throws(SegmentProblem) -> SegmentContent {
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
    package func content() throws(SegmentProblem) -> SnapshotContent {
      var content = SnapshotContent(vector: vector, operations: [])
      for index in chapters.indices {
        let part = try part(index)
        content.operations += part.operations
        content.texts += part.texts
      }
      return content
    }
  }

  /// Decrypts a snapshot: all of it is known to be authentic before any part is unpacked.
  ///
  /// - Parameter signer: the keys of the replica that the name says.
  package static func open(
    _ bytes: [UInt8], named name: ObjectName, keys: VaultKeys, signer: DevicePublicKeys
  ) throws(SegmentProblem) -> Opened {
    let file = try SignedFile(bytes, named: name, limit: Wire.snapshotLimit)
    guard file.header.kind == .snapshot else { throw .notOurs }
    guard file.header.vault == keys.vault else { throw .otherVault(file.header.vault) }
    try file.verify(signer)
    let chapters = try keys.opening(file.header.epoch, for: .snapshot) {
      key throws(SegmentProblem) in
      try SealedStream.open(file.body, header: file.header.bytes, key: key)
    }
    return try Opened(file, chapters: chapters)
  }
}
