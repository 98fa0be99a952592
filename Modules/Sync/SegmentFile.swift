package import Model

/// The content of a segment or of a part of a snapshot.
package struct SegmentContent: Hashable, Sendable {
  /// The operations. Those of a segment are consecutive operations of a single replica.
  package var operations: [Operation]
  /// Texts in which highlights were made. Other devices use them to find the passages again if
  /// their copy of the document differs, and selectors are stored as positions in them.
  package var texts: [CarriedText]

  package init(operations: [Operation], texts: [CarriedText] = []) {
    (self.operations, self.texts) = (operations, texts)
  }
}

/// The rendered text of a document at the time highlights were made in it.
package struct CarriedText: Hashable, Sendable {
  /// The document to which the text belongs.
  package var document: Document.ID
  /// The hash of the text, which selectors refer to.
  package var digest: ContentDigest
  /// The version of the rules that rendered the text.
  package var renderVersion: Int
  /// The text, at most `Wire.textLimit` bytes of UTF-8.
  package var text: String

  package init(document: Document.ID, digest: ContentDigest, renderVersion: Int, text: String) {
    (self.document, self.digest) = (document, digest)
    (self.renderVersion, self.text) = (renderVersion, text)
  }

  func checkLimits() throws(SegmentError) {
    let size = text.utf8.count
    guard size <= Wire.textLimit else { throw .tooLarge(size: size, limit: Wire.textLimit) }
    guard (1...Wire.sequenceLimit).contains(document.dot.sequence),
      (0...Wire.renderVersionLimit).contains(renderVersion)
    else { throw .badContent("the document or the version of a text is invalid") }
  }
}

/// The unencrypted header of a segment. Its values aren't verified.
package struct SegmentHeader: Hashable, Sendable {
  /// The vault that the segment belongs to.
  package var vault: VaultID
  /// The replica that made the operations.
  package var replica: ReplicaID
  /// The sequence numbers of the operations.
  package var sequences: ClosedRange<Int64>
  /// The epoch whose key encrypts the segment.
  package var epoch: Int
  /// The oldest version of the format that can read the segment.
  package var minReader: Int

  /// The number of operations.
  package var count: Int { sequences.count }
}

/// A decrypted segment whose signature was verified.
package struct OpenedSegment: Hashable, Sendable {
  /// The header of the file, which is not encrypted.
  package var header: SegmentHeader
  /// The hash of the replica's operations before this segment.
  package var before: ChainHash
  /// The hash of the replica's operations up to the segment's last.
  package var after: ChainHash
  /// Its operations and texts.
  package var content: SegmentContent
}

/// An object that isn't stored yet.
package struct SealedObject: Hashable, Sendable {
  /// The name under which to store it.
  package var object: ObjectName
  /// Its content.
  package var bytes: [UInt8]
}

/// Reads and writes segments: runs of one replica's operations, which are written once and never
/// changed.
///
/// ```swift
/// let sealed = try SegmentFile.seal(
///   SegmentContent(operations: operations), vault: vault,
///   after: .start(vault: vault, replica: replica), keys: keys, device: device)
/// let segment = try SegmentFile.open(
///   sealed.bytes, named: sealed.object, keys: keys, signer: device.publicKeys)
/// ```
///
/// Outsiders can see the vault, the replica, the sequence numbers, the epoch and the time at which
/// the segment appeared. They also see its size, which is rounded up to 256 bytes, 1, 4, 16 or 64
/// KiB, or a multiple of 4 KiB.
package enum SegmentFile {
  /// Encrypts and signs a run of operations.
  ///
  /// - Parameter chain: The hash of the replica's operations before these.
  /// - Returns: The name and the bytes of the segment, and the hash of the operations up to its
  ///   last.
  /// - Throws: `SegmentError.badContent` if there are no operations, they aren't consecutive, there
  ///   are more than `Wire.operationCountLimit` or a field is invalid; `.tooLarge`,
  ///   `.operationTooLarge` or `.quoteTooLong` if a size exceeds its limit (`split` divides a run
  ///   that is too large); `.otherVault` if `keys` belong to another vault; `.unknownEpoch` if
  ///   `keys` have no epoch yet.
  package static func seal(
    _ content: SegmentContent, vault: VaultID, after chain: ChainHash, keys: VaultKeys,
    device: DeviceKeys
  ) throws(SegmentError) -> (object: ObjectName, bytes: [UInt8], chain: ChainHash) {
    guard let first = content.operations.first?.dot, let last = content.operations.last?.dot else {
      throw .badContent("there are no operations")
    }
    guard keys.vault == vault else { throw .otherVault(keys.vault) }
    try checkRun(content.operations, from: first)
    try PartLimits.check(content.operations, texts: content.texts)
    let key = try keys.root(keys.current).key(for: .segment)
    let header = SignedFile.Header(
      kind: .segment, vault: vault, replica: first.replica, epoch: keys.current,
      first: first.sequence, last: last.sequence)
    let end = chain.adding(content.operations)
    let part = PartEncoder.encode(content.operations, texts: content.texts, isRun: true)
    let bytes = SignedFile.signed(
      SealedStream.seal([chain.bytes + end.bytes + part], after: header.bytes, key: key),
      device: device)
    guard bytes.count <= Wire.fileLimit else {
      throw .tooLarge(size: bytes.count, limit: Wire.fileLimit)
    }
    let name = SyncFileName(.segment(first.sequence...last.sequence), of: bytes)
    return (ObjectName(vault: vault, replica: first.replica, name), bytes, end)
  }

  private static func checkRun(_ operations: [Operation], from first: Dot) throws(SegmentError) {
    for (offset, operation) in operations.enumerated() {
      guard operation.dot.replica == first.replica,
        operation.dot.sequence - Int64(offset) == first.sequence
      else { throw .badContent("operation \(operation.dot) does not follow the one before it") }
    }
  }

  /// Returns the header of a segment. Its values aren't verified.
  ///
  /// - Throws: `notOurs` if the file isn't a segment.
  private static func header(of file: SignedFile) throws(SegmentError) -> SegmentHeader {
    let header = file.header
    guard header.kind == .segment else { throw .notOurs }
    return SegmentHeader(
      vault: header.vault, replica: header.replica, sequences: header.first...header.last,
      epoch: header.epoch, minReader: header.minReader)
  }

  /// Verifies, decrypts and decodes a whole segment.
  ///
  /// - Parameter signer: The public keys of the replica in `name`.
  /// - Throws: ``SegmentError``:
  ///   - `notOurs`, `nameMismatch` or `otherVault` if the file isn't the segment that `name` and
  ///     `keys` require
  ///   - `newerReader` if the segment requires a newer version
  ///   - `tooShort`, `tooLarge` or `damaged` if the segment is incomplete or changed
  ///   - `badSignature` if `signer` didn't sign it
  ///   - `unknownEpoch` or `badSeal` if `keys` don't open the segment
  ///   - `badContent` if its content is invalid.
  /// - Complexity: O(size). Nothing is decompressed before it is authenticated.
  package static func open(
    _ bytes: [UInt8], named name: ObjectName, keys: VaultKeys, signer: DevicePublicKeys
  ) throws(SegmentError) -> OpenedSegment {
    let file = try SignedFile(bytes, named: name)
    let header = try header(of: file)
    guard header.vault == keys.vault else { throw .otherVault(header.vault) }
    try file.verify(signer)
    let chapters = try keys.opening(header.epoch, for: .segment) { key throws(SegmentError) in
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
      throw .badContent("its operations do not match its chain hash")
    }
    return OpenedSegment(
      header: header, before: before, after: after,
      content: SegmentContent(operations: part.operations, texts: part.texts))
  }

  // MARK: - Merging and splitting

  /// The number of texts that a merged segment keeps for each document: the newest ones.
  package static let keptTextCount = 3
  /// The maximum uncompressed size in bytes of a piece that `split` creates.
  private static let splitSize = 8 << 20

  /// Merges consecutive segments of a replica into one. Only that replica may do so.
  ///
  /// The merged segment has all operations of its parts, and its chain begins and ends where theirs
  /// do. Only the newest texts of each document are kept.
  ///
  /// - Throws: `SegmentError.notContiguous` if the segments aren't consecutive, and the errors of
  ///   ``seal(_:vault:after:keys:device:)``.
  package static func merge(_ parts: [OpenedSegment], keys: VaultKeys, device: DeviceKeys)
    throws(SegmentError) -> (object: ObjectName, bytes: [UInt8], chain: ChainHash)
  {
    guard let first = parts.first else { throw .notContiguous }
    var content = SegmentContent(operations: [])
    var end = first.before
    var next = first.header.sequences.lowerBound
    for part in parts {
      let header = part.header
      guard header.replica == first.header.replica, header.vault == first.header.vault,
        header.sequences.lowerBound == next, part.before == end
      else { throw .notContiguous }
      content.operations += part.content.operations
      content.texts += part.content.texts
      (end, next) = (part.after, header.sequences.upperBound + 1)
    }
    content.texts = newest(content.texts)
    return try seal(
      content, vault: first.header.vault, after: first.before, keys: keys, device: device)
  }

  /// Returns the last `keptTextCount` texts of each document in their order, without duplicates.
  private static func newest(_ texts: [CarriedText]) -> [CarriedText] {
    var counts: [Document.ID: Int] = [:]
    var known: Set<ContentDigest> = []
    var kept: [CarriedText] = []
    for text in texts.reversed() where known.insert(text.digest).inserted {
      guard counts[text.document, default: 0] < keptTextCount else { continue }
      counts[text.document, default: 0] += 1
      kept.append(text)
    }
    return kept.reversed()
  }

  /// Splits a run of operations into pieces small enough for `seal`. A text is put into the piece
  /// with the first selector that refers to it.
  ///
  /// - Throws: `SegmentError.operationTooLarge`, `.quoteTooLong` or `.tooLarge` if a single
  ///   operation or text exceeds its limit, `.badContent` if it has an invalid field.
  package static func split(_ content: SegmentContent) throws(SegmentError) -> [SegmentContent] {
    let texts = Dictionary(
      content.texts.map { ($0.digest, $0) }, uniquingKeysWith: { _, last in last })
    for text in content.texts { try text.checkLimits() }
    var left = texts
    var pieces: [SegmentContent] = []
    var piece = SegmentContent(operations: [])
    var size = 0
    for operation in content.operations {
      try operation.checkLimits()
      var added = operation.canonicalSize
      var text: CarriedText?
      if case .selector(let selector) = operation.value, let digest = selector.textDigest {
        text = left.removeValue(forKey: digest)
        added += text?.text.utf8.count ?? 0
      }
      if !piece.operations.isEmpty,
        size + added > splitSize || piece.operations.count == Wire.operationCountLimit
      {
        pieces.append(piece)
        (piece, size) = (SegmentContent(operations: []), 0)
      }
      piece.operations.append(operation)
      if let text { piece.texts.append(text) }
      size += added
    }
    // Texts that no selector refers to are sent with the last operations that leave space for them.
    for text in content.texts where left[text.digest] == text {
      left[text.digest] = nil
      let added = text.text.utf8.count
      if size + added <= splitSize || piece.operations.count < 2 {
        piece.texts.append(text)
        size += added
      } else {
        let last = piece.operations.removeLast()
        pieces.append(piece)
        piece = SegmentContent(operations: [last], texts: [text])
        size = last.canonicalSize + added
      }
    }
    if !piece.operations.isEmpty { pieces.append(piece) }
    return pieces
  }
}

/// The limits of a part, which is encoded and compressed as one.
enum PartLimits {
  /// Checks operations and texts against the limits that every reader enforces.
  ///
  /// - Throws: `SegmentError.badContent` if there are too many operations or a field is invalid,
  ///   `.tooLarge`, `.operationTooLarge` or `.quoteTooLong` if a size exceeds its limit.
  static func check(_ operations: [Operation], texts: [CarriedText]) throws(SegmentError) {
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
