import Model

/// The lines of one leaf block as one run of bytes, joined by line feeds, with the exact place of
/// each byte in the source. Valid only during the call of `LeafLines.withText` that made it.
struct LeafText {
  /// The joined lines.
  let bytes: Bytes
  /// The leaf's lines.
  private let slices: UnsafeBufferPointer<LineSlice>
  /// The offset of each line in the joined lines; empty if they are a part of the source.
  private let starts: UnsafeBufferPointer<Int32>
  /// The place in the source of the first byte.
  private let start: Int

  /// A leaf without text.
  init() {
    bytes = Bytes(start: nil, count: 0)
    slices = UnsafeBufferPointer(start: nil, count: 0)
    starts = UnsafeBufferPointer(start: nil, count: 0)
    start = 0
  }

  /// Makes the text of lines that are separated by nothing but line feeds in the source; nil for
  /// other lines.
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

  /// The number of the line that holds an offset of the joined text; an offset after the last line
  /// feed, at the text's end, is after the last line. O(log lines).
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

  /// The place in the source of an offset of the joined text. A joining line feed stands for the
  /// line ending; the text's end for the end of its last line.
  @inline(__always)
  func sourceOffset(_ offset: Int) -> Int {
    starts.isEmpty ? start + offset : copiedOffset(offset)
  }

  private func copiedOffset(_ offset: Int) -> Int {
    let line = min(lineIndex(offset), slices.count - 1)
    return slices[line].start + offset - Int(starts[line])
  }

  /// The source range from the first to the last byte of a range of the joined text.
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

/// Buffers for leaves whose lines have to be joined, reused from leaf to leaf.
struct LeafLines {
  private var joined: [UInt8] = []
  private var starts: [Int32] = []

  /// Calls `body` with the text of some lines. O(their bytes) where they have to be joined.
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
