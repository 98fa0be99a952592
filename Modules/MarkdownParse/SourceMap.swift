package import Model

/// The two-way map between the rendered text and the source: a list of runs that cover the text
/// without gaps, in the order of the source.
///
/// ```swift
/// let bytes = map.source(of: range)  // Several ranges if there is markup in between.
/// let start = map.sourceOffset(of: range.lowerBound, bias: .trailing)
/// ```
package struct SourceMap: Sendable {
  /// A piece of the text with the bytes from which it was rendered.
  package struct Run: Hashable, Sendable {
    /// The relation between a piece of text and its bytes.
    package enum Kind: UInt8, Hashable, Sendable {
      /// The text equals the bytes.
      case verbatim
      /// The text differs from the bytes, and neither can be divided: a character reference, an
      /// escape, a line ending.
      case atomic
      /// The text has no bytes, such as the separators of blocks and cells.
      case synthetic
    }

    /// The range in the rendered text.
    package var text: TextRange
    /// The range in the source, in bytes.
    package var source: SourceRange
    /// The relation between the two.
    package var kind: Kind
  }

  /// The direction in which an offset inside an indivisible piece is rounded.
  package enum Bias: Hashable, Sendable {
    /// To the start of the piece.
    case leading
    /// To the end of the piece.
    case trailing
  }

  /// A run in twelve bytes. Its text ends at the start of the next run.
  struct Stored: Hashable, Sendable {
    var text: Int32
    var source: Int32
    /// The length in bytes in the upper 30 bits, and the kind in the lower two.
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

  /// The memory that the runs use, in bytes.
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

  /// Returns the index of the last run that begins at or before an offset; -1 if the text is empty.
  /// O(log runs).
  private func index(containing offset: Int) -> Int {
    var low = 0
    var high = stored.count
    while low < high {
      let middle = (low + high) / 2
      if Int(stored[middle].text) <= offset { low = middle + 1 } else { high = middle }
    }
    return low - 1
  }

  /// Returns the runs whose bytes begin in a range, in order. O(log runs + result).
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

  /// Returns the bytes from which a range of the text was rendered, in several ranges if other
  /// bytes (a delimiter, a quote marker) are in between. O(log runs + runs in the range).
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

  /// Returns the byte offset after a number of UTF-16 units of a verbatim run. Inside a surrogate
  /// pair, it is the start of the character, or its end for an upper bound. O(run).
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

  /// Returns the byte offset for an offset in the text. If bytes that aren't rendered separate two
  /// pieces at the offset, `leading` selects the end of the piece before and `trailing` the start
  /// of the piece after.
  package func sourceOffset(of offset: TextOffset, bias: Bias) -> Int {
    guard !stored.isEmpty else { return 0 }
    var index = max(0, index(containing: min(offset.utf16, count)))
    var run = run(index)
    if bias == .leading, offset.utf16 == run.text.utf16.lowerBound {
      // Finds the piece before, skipping separators.
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

  /// Returns the offset in the text for a byte. For a byte that isn't rendered, `leading` selects
  /// the end of the rendered text before it and `trailing` the start of the text after it.
  package func textOffset(ofSource byte: Int, bias: Bias) -> TextOffset {
    // Finds the last run that begins at or before the byte.
    var low = 0
    var high = stored.count
    while low < high {
      let middle = (low + high) / 2
      if Int(stored[middle].source) <= byte { low = middle + 1 } else { high = middle }
    }
    var index = low - 1
    // Separators have the source offset of the following block.
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

  /// Returns the text that was rendered from the bytes of a range; empty if nothing was.
  public func text(of source: SourceRange) -> TextRange {
    let start = textOffset(ofSource: source.bytes.lowerBound, bias: .trailing)
    let end = textOffset(ofSource: source.bytes.upperBound, bias: .leading)
    return TextRange(start, max(start, end))
  }
}
