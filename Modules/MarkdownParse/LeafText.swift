import Model

/// The text of one leaf block: its lines joined by line feeds, with the position of each byte in
/// the source. It is only valid during the call of `LeafLines.withText` that created it.
struct LeafText {
  /// The joined lines.
  let bytes: Bytes
  /// The lines of the leaf.
  private let slices: UnsafeBufferPointer<LineSlice>
  /// The offset of each line in the joined lines; empty if `bytes` is a part of the source.
  private let starts: UnsafeBufferPointer<Int32>
  /// The offset in the source of the text's first byte.
  private let start: Int

  /// Creates a leaf without text.
  init() {
    bytes = Bytes(start: nil, count: 0)
    slices = UnsafeBufferPointer(start: nil, count: 0)
    starts = UnsafeBufferPointer(start: nil, count: 0)
    start = 0
  }

  /// Creates the text of lines that are separated only by line feeds in the source. Nil for other
  /// lines, which must be copied.
  @inline(__always)
  init?(contiguous slices: UnsafeBufferPointer<LineSlice>, of source: Bytes) {
    for index in 1..<max(1, slices.count) {
      let before = slices[index - 1]
      guard before.next == slices[index].start, before.next == before.end + 1,
        source[before.end] == Byte.lineFeed
      else { return nil }
    }
    start = slices.first?.start ?? 0
    bytes = Bytes(rebasing: source[start..<(slices.last?.end ?? start)])
    self.slices = slices
    starts = UnsafeBufferPointer(start: nil, count: 0)
  }

  fileprivate init(
    _ slices: UnsafeBufferPointer<LineSlice>, joined: Bytes, starts: UnsafeBufferPointer<Int32>
  ) {
    (bytes, self.slices, self.starts, start) = (joined, slices, starts, slices[0].start)
  }

  /// Returns the index of the line that contains an offset. At the end of the text, returns the
  /// number of lines. O(log lines).
  func lineIndex(_ offset: Int) -> Int {
    if offset >= bytes.count { return slices.count }
    var low = 0
    var high = slices.count
    while low < high {
      let middle = (low + high) / 2
      if offsetOfLine(middle) <= offset { low = middle + 1 } else { high = middle }
    }
    return low - 1
  }

  private func offsetOfLine(_ line: Int) -> Int {
    starts.isEmpty ? slices[line].start - start : Int(starts[line])
  }

  /// Returns the offset in the source for an offset in the joined text. A line feed corresponds to
  /// the start of its line ending, and the end of the text to the end of the last line.
  @inline(__always)
  func sourceOffset(_ offset: Int) -> Int {
    starts.isEmpty ? start + offset : copiedOffset(offset)
  }

  private func copiedOffset(_ offset: Int) -> Int {
    let line = min(lineIndex(offset), slices.count - 1)
    return slices[line].start + offset - Int(starts[line])
  }

  /// Returns the source range from the first to the last byte of a range of the joined text.
  @inline(__always)
  func source(_ range: Range<Int>) -> SourceRange {
    starts.isEmpty
      ? SourceRange(bytes: start + range.lowerBound..<start + range.upperBound)
      : copiedSource(range)
  }

  private func copiedSource(_ range: Range<Int>) -> SourceRange {
    let start = copiedOffset(range.lowerBound)
    guard !range.isEmpty else { return SourceRange(bytes: start..<start) }
    let last = range.upperBound - 1
    guard bytes[last] == Byte.lineFeed else {
      return SourceRange(bytes: start..<copiedOffset(last) + 1)
    }
    return SourceRange(bytes: start..<slices[lineIndex(last)].next)
  }
}

/// Buffers for leaves whose lines must be joined. They are reused for each leaf.
struct LeafLines {
  private var joined: [UInt8] = []
  private var starts: [Int32] = []

  /// Calls `body` with the text of some lines. O(bytes) if the lines must be joined, otherwise
  /// O(lines).
  mutating func withText<T>(
    _ slices: UnsafeBufferPointer<LineSlice>, of source: Bytes, _ body: (LeafText) -> T
  ) -> T {
    if let leaf = LeafText(contiguous: slices, of: source) { return body(leaf) }
    joined.removeAll(keepingCapacity: true)
    starts.removeAll(keepingCapacity: true)
    for slice in slices {
      if !starts.isEmpty { joined.append(Byte.lineFeed) }
      starts.append(Int32(joined.count))
      joined.append(contentsOf: Bytes(rebasing: source[slice.start..<slice.end]))
    }
    return joined.withUnsafeBufferPointer { joined in
      starts.withUnsafeBufferPointer { body(LeafText(slices, joined: joined, starts: $0)) }
    }
  }
}
