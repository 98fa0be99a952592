import Model

extension SegmentFile {
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

  /// Splits a run of operations into pieces small enough for `seal`. A text is put into the first
  /// piece that has an operation on it.
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
