package import Model

/// The two-way map between the rendered text and the source: a list of runs that cover the text
/// without gaps and stand in the order of the source.
package struct SourceMap: Sendable {
  /// A piece of the text with the bytes that render as it.
  package struct Run: Hashable, Sendable {
    /// How a piece of text came out of its bytes.
    package enum Kind: UInt8, Hashable, Sendable {
      /// The same bytes.
      case verbatim
      /// Other bytes, which cannot be divided: an entity, an escape, a line ending.
      case atomic
      /// No bytes: what separates blocks and cells.
      case synthetic
    }

    /// The piece of text.
    package var text: TextRange
    /// Its bytes.
    package var source: SourceRange
    /// How one came of the other.
    package var kind: Kind
  }

  /// Which way a place inside an undivided piece goes.
  package enum Bias: Hashable, Sendable {
    /// To the piece's start.
    case leading
    /// To the piece's end.
    case trailing
  }

  /// A run in twelve bytes; its text ends where the next one's begins.
  struct Stored: Hashable, Sendable {
    var text: Int32
    var source: Int32
    /// The length in bytes in the upper 30 bits, the kind in the lower two.
    var extent: UInt32

    init(text: Int, source: Int, length: Int, kind: Run.Kind) {
      self.text = Int32(text)
      self.source = Int32(source)
      extent = UInt32(length) << 2 | UInt32(kind.rawValue)
    }

    var kind: Run.Kind { Run.Kind(rawValue: UInt8(extent & 3))! }
    mutating func lengthen(by bytes: Int) { extent += UInt32(bytes) << 2 }
    var length: Int { Int(extent >> 2) }
  }

  let stored: [Stored]
  let count: Int
  let source: MarkdownSource

  /// The memory that the runs take, in bytes.
  package var storageSize: Int { stored.count * MemoryLayout<Stored>.stride }

  /// The runs in order.
  package var runs: some RandomAccessCollection<Run> { stored.indices.lazy.map { self.run($0) } }

  func run(_ index: Int) -> Run {
    let run = stored[index]
    let end = index + 1 < stored.count ? Int(stored[index + 1].text) : count
    return Run(
      text: TextRange(utf16: Int(run.text)..<end),
      source: SourceRange(bytes: Int(run.source)..<Int(run.source) + run.length), kind: run.kind)
  }

  /// The last run that begins at or before an offset; -1 for an empty text. O(log runs).
  private func index(containing offset: Int) -> Int {
    var low = 0
    var high = stored.count
    while low < high {
      let middle = (low + high) / 2
      if Int(stored[middle].text) <= offset { low = middle + 1 } else { high = middle }
    }
    return low - 1
  }

  /// The runs with bytes that begin in some bytes, in order. O(log runs + those there).
  func runs(startingIn bytes: Range<Int>) -> [Run] {
    var low = 0
    var high = stored.count
    while low < high {
      let middle = (low + high) / 2
      if Int(stored[middle].source) < bytes.lowerBound { low = middle + 1 } else { high = middle }
    }
    return stored[low...].indices.lazy.prefix { Int(stored[$0].source) < bytes.upperBound }
      .filter { stored[$0].length > 0 }.map(run)
  }

  // MARK: - From the text to the source

  /// The bytes that render as a range of the text: one range, or several where other bytes (a
  /// delimiter, a quote's marker) stand between. O(log runs + runs inside).
  public func source(of range: TextRange) -> [SourceRange] {
    var result: [SourceRange] = []
    guard !range.isEmpty else { return result }
    var index = max(0, index(containing: range.utf16.lowerBound))
    while index < stored.count {
      let run = run(index)
      guard run.text.utf16.lowerBound < range.utf16.upperBound else { break }
      index += 1
      let part = bytes(of: run, range.utf16.clamped(to: run.text.utf16))
      guard !part.isEmpty else { continue }
      if let last = result.last, last.bytes.upperBound == part.lowerBound {
        result[result.count - 1].bytes = last.bytes.lowerBound..<part.upperBound
      } else {
        result.append(SourceRange(bytes: part))
      }
    }
    return result
  }

  private func bytes(of run: Run, _ part: Range<Int>) -> Range<Int> {
    guard run.kind == .verbatim, part != run.text.utf16 else { return run.source.bytes }
    let start = byteOffset(in: run, units: part.lowerBound - run.text.utf16.lowerBound)
    let end = byteOffset(
      in: run, units: part.upperBound - run.text.utf16.lowerBound, isUpperBound: true)
    return start..<end
  }

  /// The byte at which a number of UTF-16 units of a verbatim run have gone by. Half a surrogate pair
  /// means all of its character: from its start, or up to its end for an upper bound. O(run).
  private func byteOffset(in run: Run, units: Int, isUpperBound: Bool = false) -> Int {
    if run.source.count == run.text.count { return run.source.bytes.lowerBound + units }
    var rest = units
    var index = run.source.bytes.lowerBound
    while rest > 0, index < run.source.bytes.upperBound {
      let byte = source.bytes[index]
      let length = byte < 0x80 ? 1 : byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2
      rest -= length == 4 ? 2 : 1
      if rest < 0, !isUpperBound { break }
      index += length
    }
    return index
  }

  /// The byte that renders at a place of the text. Where bytes that do not render stand between two
  /// pieces, `leading` gives the end of the piece before, `trailing` the start of the one after.
  package func sourceOffset(of offset: TextOffset, bias: Bias) -> Int {
    guard !stored.isEmpty else { return 0 }
    var index = max(0, index(containing: min(offset.utf16, count)))
    var run = run(index)
    if bias == .leading, offset.utf16 == run.text.utf16.lowerBound {
      // The piece before, but not what merely separates.
      while index > 0 {
        index -= 1
        run = self.run(index)
        if run.kind != .synthetic { return run.source.bytes.upperBound }
      }
      return run.source.bytes.lowerBound
    }
    if run.kind == .synthetic, bias == .trailing {
      while index + 1 < stored.count, run.kind == .synthetic {
        index += 1
        run = self.run(index)
      }
      return run.source.bytes.lowerBound
    }
    let units = offset.utf16 - run.text.utf16.lowerBound
    if units >= run.text.count { return run.source.bytes.upperBound }
    guard run.kind == .verbatim else {
      return units == 0 || bias == .leading
        ? run.source.bytes.lowerBound : run.source.bytes.upperBound
    }
    return byteOffset(in: run, units: units)
  }

  // MARK: - From the source to the text

  /// The place of the text at which a byte renders; a byte that does not render gives the end of
  /// what renders before it (`leading`) or the start of what renders after it (`trailing`).
  package func textOffset(ofSource byte: Int, bias: Bias) -> TextOffset {
    // The last run that begins at or before the byte.
    var low = 0
    var high = stored.count
    while low < high {
      let middle = (low + high) / 2
      if Int(stored[middle].source) <= byte { low = middle + 1 } else { high = middle }
    }
    var index = low - 1
    // Separators have the place of the block after them.
    while index >= 0, stored[index].kind == .synthetic { index -= 1 }
    guard index >= 0 else { return TextOffset(utf16: 0) }
    let run = run(index)
    if byte >= run.source.bytes.upperBound {
      guard bias == .trailing, byte > run.source.bytes.upperBound else {
        return run.text.upperBound
      }
      var next = index + 1
      while next < stored.count, stored[next].kind == .synthetic { next += 1 }
      return next < stored.count ? TextOffset(utf16: Int(stored[next].text)) : run.text.upperBound
    }
    guard run.kind == .verbatim else {
      return byte == run.source.bytes.lowerBound || bias == .leading
        ? run.text.lowerBound : run.text.upperBound
    }
    let before = source.bytes[run.source.bytes.lowerBound..<byte]
    let units = before.reduce(0) { $0 + ($1 & 0xC0 != 0x80 ? 1 : 0) + ($1 >= 0xF0 ? 1 : 0) }
    return TextOffset(utf16: run.text.utf16.lowerBound + units)
  }

  /// The text that renders from the bytes of a range.
  public func text(of source: SourceRange) -> TextRange {
    let start = textOffset(ofSource: source.bytes.lowerBound, bias: .trailing)
    let end = textOffset(ofSource: source.bytes.upperBound, bias: .leading)
    return TextRange(start, max(start, end))
  }
}
