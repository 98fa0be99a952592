import Model

extension SegmentFile {
  /// How many texts of one document a merged segment keeps: the newest.
  package static let keptTextCount = 3
  /// The most bytes that one segment takes of a long run, alone and not packed.
  private static let splitSize = 8 << 20

  /// Makes one segment of several of a replica that follow one another; only the replica itself may.
  /// Its operations are all theirs, and its chain begins and ends where theirs do; of the texts, only
  /// the newest of each document are kept.
  ///
  /// - Throws: `SegmentProblem.notContiguous` for others, and what `seal` throws.
  package static func merge(_ parts: [OpenedSegment], keys: VaultKeys, device: DeviceKeys)
    throws(SegmentProblem) -> (object: ObjectName, bytes: [UInt8], chain: ChainHash)
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

  /// The last texts of each document, each once, in their order.
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

  /// Cuts a run of operations so that each piece can be sealed. A text goes where it is needed first.
  ///
  /// - Throws: `SegmentProblem` when an operation or a text is too large to be sent at all.
  package static func split(_ content: SegmentContent) throws(SegmentProblem) -> [SegmentContent] {
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
    // What no selector names still goes along, with the last operations that leave room for it.
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
