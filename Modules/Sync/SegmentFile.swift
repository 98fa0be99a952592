package import Model

/// What one replica says, in one run of its operations.
package struct SegmentContent: Hashable, Sendable {
  /// Of one replica, in their order and without gaps.
  package var operations: [Operation]
  /// Texts that highlights were made in: they let others find the words again when their copy of the
  /// document differs, and let the words be written as positions.
  package var texts: [CarriedText]

  /// Makes a content of its parts.
  package init(operations: [Operation], texts: [CarriedText] = []) {
    (self.operations, self.texts) = (operations, texts)
  }
}

/// A document's rendered text as it was when highlights were made in it.
package struct CarriedText: Hashable, Sendable {
  /// Whose text.
  package var document: Document.ID
  /// Its hash, as selectors name it.
  package var digest: ContentDigest
  /// The version of the rules that rendered it.
  package var renderVersion: Int
  /// At most `Wire.textLimit` bytes of UTF-8.
  package var text: String

  /// Makes a text of its parts.
  package init(document: Document.ID, digest: ContentDigest, renderVersion: Int, text: String) {
    (self.document, self.digest) = (document, digest)
    (self.renderVersion, self.text) = (renderVersion, text)
  }

  func checkLimits() throws(SegmentProblem) {
    let size = text.utf8.count
    guard size <= Wire.textLimit else { throw .tooLarge(size: size, limit: Wire.textLimit) }
    guard (1...Wire.sequenceLimit).contains(document.dot.sequence),
      (0...Wire.renderVersionLimit).contains(renderVersion)
    else { throw .badContent("a text is of no document") }
  }
}

/// What a segment says of itself before anything is decrypted; nothing of it is trusted yet.
package struct SegmentHeader: Hashable, Sendable {
  /// The vault.
  package var vault: VaultID
  /// Whose operations.
  package var replica: ReplicaID
  /// Their sequence numbers.
  package var sequences: ClosedRange<Int64>
  /// Whose key it is sealed with.
  package var epoch: Int
  /// The oldest version of the format that can make sense of it.
  package var minReader: Int

  /// How many operations.
  package var count: Int { sequences.count }
}

/// A segment that was decrypted and is authentic.
package struct OpenedSegment: Hashable, Sendable {
  /// What it says of itself.
  package var header: SegmentHeader
  /// What the operations before it add up to.
  package var before: ChainHash
  /// What the operations up to its last add up to.
  package var after: ChainHash
  /// What it says.
  package var content: SegmentContent
}

/// An object that was made and is not stored yet.
package struct SealedObject: Hashable, Sendable {
  /// Where it belongs.
  package var object: ObjectName
  /// What it is.
  package var bytes: [UInt8]
}

/// A run of one replica's operations as it is stored and sent: written once, never changed.
///
/// What others than members of the vault see of it: the vault, the replica, the sequence numbers, the
/// epoch, when it appeared, and its size rounded up to 256 bytes, 1, 4, 16, 64 KiB or whole 4 KiB.
package enum SegmentFile {
  /// Seals operations.
  ///
  /// - Parameter chain: what the operations before them add up to.
  /// - Throws: `SegmentProblem` for what cannot be sent: operations that are no run, are out of the
  ///   format's limits, or take more than a segment may; `split` cuts them so that they fit.
  package static func seal(
    _ content: SegmentContent, vault: VaultID, after chain: ChainHash, keys: VaultKeys,
    device: DeviceKeys
  ) throws(SegmentProblem) -> (object: ObjectName, bytes: [UInt8], chain: ChainHash) {
    guard let first = content.operations.first?.dot, let last = content.operations.last?.dot else {
      throw .badContent("there are no operations")
    }
    guard keys.vault == vault else { throw .otherVault(keys.vault) }
    try checkRun(content.operations, from: first)
    try Part.checkLimits(content.operations, texts: content.texts)
    let key = try keys.root(keys.current).key(for: .segment)
    let header = SignedFile.Header(
      kind: .segment, vault: vault, replica: first.replica, epoch: keys.current,
      first: first.sequence, last: last.sequence)
    let end = chain.adding(content.operations)
    let part = PartEncoder.encode(content.operations, texts: content.texts, isRun: true)
    let body = SealedStream.seal(
      [chain.bytes + end.bytes + part], header: header.bytes, key: key)
    let bytes = SignedFile.seal(header, body: body, device: device)
    guard bytes.count <= Wire.fileLimit else {
      throw .tooLarge(size: bytes.count, limit: Wire.fileLimit)
    }
    let name = SyncFileName(.segment(first.sequence...last.sequence), of: bytes)
    return (ObjectName(vault: vault, replica: first.replica, name), bytes, end)
  }

  private static func checkRun(_ operations: [Operation], from first: Dot) throws(SegmentProblem) {
    for (offset, operation) in operations.enumerated() {
      guard operation.dot.replica == first.replica,
        operation.dot.sequence - Int64(offset) == first.sequence
      else { throw .badContent("operation \(operation.dot) does not follow the one before it") }
    }
  }

  /// What a segment says of itself: nothing is trusted yet.
  package static func header(of bytes: [UInt8], named name: ObjectName) throws(SegmentProblem)
    -> SegmentHeader
  { try header(of: SignedFile(bytes, named: name)) }

  private static func header(of file: SignedFile) throws(SegmentProblem) -> SegmentHeader {
    let header = file.header
    guard header.kind == .segment else { throw .notOurs }
    return SegmentHeader(
      vault: header.vault, replica: header.replica, sequences: header.first...header.last,
      epoch: header.epoch, minReader: header.minReader)
  }

  /// Decrypts and reads a segment: all of it, or nothing.
  ///
  /// - Parameter signer: the keys of the replica that the name says.
  /// - Complexity: O(size); nothing is unpacked before it is known to be authentic.
  package static func open(
    _ bytes: [UInt8], named name: ObjectName, keys: VaultKeys, signer: DevicePublicKeys
  ) throws(SegmentProblem) -> OpenedSegment {
    let file = try SignedFile(bytes, named: name)
    let header = try header(of: file)
    guard header.vault == keys.vault else { throw .otherVault(header.vault) }
    try file.verify(signer)
    let chapters = try keys.opening(header.epoch, for: .segment) { key throws(SegmentProblem) in
      try SealedStream.open(file.body, header: file.header.bytes, key: key)
    }
    guard chapters.count == 1 else { throw .badContent("it has \(chapters.count) chapters") }
    let plain = try chapters[0].unpacked()
    guard plain.count >= 64, let before = ChainHash(bytes: Array(plain[..<32])),
      let after = ChainHash(bytes: Array(plain[32..<64]))
    else { throw .badContent("it is cut short") }
    let part = try PartDecoder.decode(plain, from: 64)
    guard part.isRun, part.operations.count == header.sequences.count,
      part.operations.first?.dot
        == Dot(replica: header.replica, sequence: header.sequences.lowerBound)
    else { throw .badContent("its operations differ from its header") }
    guard before.adding(part.operations) == after else {
      throw .badContent("its operations do not add up to what it says")
    }
    return OpenedSegment(
      header: header, before: before, after: after,
      content: SegmentContent(operations: part.operations, texts: part.texts))
  }
}

/// The limits of what is sealed in one piece.
enum Part {
  /// Refuses what no reader would take.
  static func checkLimits(_ operations: [Operation], texts: [CarriedText]) throws(SegmentProblem) {
    guard operations.count <= Wire.operationCountLimit else {
      throw .badContent("there are \(operations.count) operations")
    }
    var size = 0
    for text in texts {
      try text.checkLimits()
      size += text.text.utf8.count
    }
    for operation in operations {
      try operation.checkLimits()
      size += operation.canonicalSize
    }
    guard size <= Wire.plainLimit else { throw .tooLarge(size: size, limit: Wire.plainLimit) }
  }
}
