import Model

/// The lines of one leaf block as one run of bytes, joined by line feeds, with the exact place of
/// each byte in the source. A leaf of one line is not copied.
struct LeafText {
  private let bytes: Bytes
  private let slices: ArraySlice<LineSlice>
  /// The joined lines; empty for a single one.
  private var joined: [UInt8] = []
  /// Where each line begins in the joined text.
  private var starts: [Int] = []

  init(_ slices: ArraySlice<LineSlice>, of bytes: Bytes) {
    self.bytes = bytes
    self.slices = slices
    guard slices.count > 1 else { return }
    starts.reserveCapacity(slices.count)
    joined.reserveCapacity(slices.last!.end - slices.first!.start + 1)
    for slice in slices {
      if !starts.isEmpty { joined.append(Byte.lineFeed) }
      starts.append(joined.count)
      joined.append(contentsOf: bytes[slice.start..<slice.end])
    }
  }

  /// Hands the joined lines to a closure.
  func withBytes<T>(_ body: (Bytes) -> T) -> T {
    if starts.isEmpty {
      guard let only = slices.first else { return body(Bytes(start: nil, count: 0)) }
      return body(Bytes(rebasing: bytes[only.start..<only.end]))
    }
    return joined.withUnsafeBufferPointer(body)
  }

  /// The number of the line that holds an offset of the joined text; an offset after the last line
  /// feed, at the text's end, is after the last line. O(log lines).
  func lineIndex(_ offset: Int) -> Int {
    if starts.isEmpty { return offset >= (slices.first.map { $0.end - $0.start } ?? 0) ? 1 : 0 }
    if offset >= joined.count { return starts.count }
    var low = 0
    var high = starts.count
    while low < high {
      let middle = (low + high) / 2
      if starts[middle] <= offset { low = middle + 1 } else { high = middle }
    }
    return low - 1
  }

  /// The place in the source of an offset of the joined text. A joining line feed stands for the
  /// line ending; the text's end for the end of its last line.
  func sourceOffset(_ offset: Int) -> Int {
    guard !starts.isEmpty else { return (slices.first?.start ?? 0) + offset }
    let line = min(lineIndex(offset), starts.count - 1)
    return slices[slices.startIndex + line].start + offset - starts[line]
  }

  /// The source range from the first to the last byte of a range of the joined text.
  func source(_ range: Range<Int>) -> SourceRange {
    let start = sourceOffset(range.lowerBound)
    guard !range.isEmpty else { return SourceRange(bytes: start..<start) }
    let last = range.upperBound - 1
    guard !starts.isEmpty, joined[last] == Byte.lineFeed else {
      return SourceRange(bytes: start..<sourceOffset(last) + 1)
    }
    return SourceRange(bytes: start..<slices[slices.startIndex + lineIndex(last)].next)
  }
}
