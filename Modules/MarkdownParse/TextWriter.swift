import Model

/// Collects the rendered text and the source of each piece of it.
struct TextWriter {
  private let source: Bytes
  /// Whether the source is valid UTF-8 without NUL, so that every slice is rendered unchanged.
  private let isRegular: Bool
  /// A range of the source that is known to be ASCII. It has as many UTF-16 units as bytes.
  private var ascii = 0..<0
  /// The text in UTF-8; if the text is long, only its end, which contains at least one character.
  private(set) var utf8: [UInt8] = []
  /// The beginning of a long text, in UTF-16. It precedes the text in `utf8`.
  private var start: [UInt16] = []
  /// The length of `start` in UTF-8 bytes.
  private var startBytes = 0
  /// The number of UTF-16 units written.
  private(set) var count = 0
  private(set) var runs: [SourceMap.Stored] = []
  private var sourceEnd = 0
  /// The form of the letters that are written: superscript, subscript, or unchanged (nil).
  var script: ScriptLetters?
  /// The separator to write before the next text; nil if none is needed.
  private var separator: UInt8?
  /// The length in bytes of ``utf8`` at which it is converted to UTF-16 and appended to `start`.
  private var limit: Int

  init(_ source: Bytes, limit: Int = RenderedText.storedLimit) {
    self.source = source
    self.limit = limit
    isRegular = Self.isRegular(source)
    utf8.reserveCapacity(min(source.count, limit + Self.sliceSize))
    runs.reserveCapacity(source.count / 24 + 16)
  }

  /// Returns the text that was written, and removes it from the writer.
  mutating func takeText() -> RenderedText {
    guard !start.isEmpty else { return RenderedText(utf8: utf8, count: count) }
    start += utf8.withUnsafeBufferPointer { RenderedText.units(of: $0) }
    var units: [UInt16] = []
    swap(&units, &start)
    return RenderedText(long: units, utf8Count: startBytes + utf8.count)
  }

  /// Begins another block. Its text will be separated by a line feed.
  mutating func separate() { if count > 0 { separator = Byte.lineFeed } }

  /// Separates two cells of a row by a tab, even if they are empty.
  mutating func separateCell() {
    flushSeparator()
    synthetic(Byte.tab)
  }

  /// The offset at which the text of the next block will begin.
  var nextOffset: Int { count + (separator == nil ? 0 : 1) }

  private mutating func flushSeparator() {
    guard let byte = separator else { return }
    separator = nil
    synthetic(byte)
  }

  private mutating func synthetic(_ byte: UInt8) {
    runs.append(SourceMap.Stored(text: count, source: sourceEnd, length: 0, kind: .synthetic))
    utf8.append(byte)
    count += 1
  }

  /// Writes a slice of the source unchanged.
  mutating func verbatim(_ range: Range<Int>) {
    guard !range.isEmpty else { return }
    flushSeparator()
    if let script { return shifted(range, script) }
    guard isRegular else {
      irregular(range)
      return
    }
    copy(range)
  }

  /// Writes a slice as superscript or subscript. All of its characters must have such a form.
  private mutating func shifted(_ range: Range<Int>, _ script: ScriptLetters) {
    var index = range.lowerBound
    while index < range.upperBound, let scalar = Unicode.Scalar(source.scalar(at: index)),
      let form = script.form(of: scalar)
    {
      let end = index + UTF8.width(scalar)
      if form == scalar {
        copy(index..<end)
      } else {
        atomic(UTF8.encode(form)!, source: index..<end)
      }
      index = end
    }
  }

  private mutating func copy(_ range: Range<Int>) {
    guard !range.isEmpty else { return }
    if sourceEnd == range.lowerBound, let last = runs.last, last.kind == .verbatim {
      runs[runs.count - 1].lengthen(by: range.count)
    } else {
      runs.append(
        SourceMap.Stored(
          text: count, source: range.lowerBound, length: range.count, kind: .verbatim))
    }
    sourceEnd = range.upperBound
    if utf8.count + range.count > limit {
      appendSlices(range)
    } else {
      utf8.append(contentsOf: Bytes(rebasing: source[range]))
    }
    count += units(range)
  }

  /// The maximum number of bytes of a long text that are appended in one step.
  private static let sliceSize = 1 << 20

  /// Appends a slice of the source to a long text. Whenever ``utf8`` is full, it is converted to
  /// UTF-16, because a long text is not stored in both forms.
  private mutating func appendSlices(_ range: Range<Int>) {
    var rest = range
    while !rest.isEmpty {
      let slice = rest.prefix(Self.sliceSize)
      utf8.append(contentsOf: Bytes(rebasing: source[slice]))
      rest = slice.upperBound..<rest.upperBound
      if utf8.count <= limit { continue }
      if start.isEmpty { start.reserveCapacity(source.count) }
      let end = utf8.withUnsafeBufferPointer { bytes in
        // The last character stays, because the next one's form may depend on it.
        var end = bytes.count - 1
        while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        start += RenderedText.units(of: Bytes(rebasing: bytes[..<end]))
        return end
      }
      startBytes += end
      // The rest of the text needs only a small buffer.
      limit = min(limit, Self.sliceSize)
      let last = Array(utf8[end...])
      utf8 = []
      utf8.reserveCapacity(limit + Self.sliceSize)
      utf8 += last
    }
  }

  /// Writes an ASCII byte that differs from the source.
  mutating func atomic(_ byte: UInt8, source range: Range<Int>) {
    flushSeparator()
    runs.append(
      SourceMap.Stored(text: count, source: range.lowerBound, length: range.count, kind: .atomic))
    sourceEnd = range.upperBound
    utf8.append(byte)
    count += 1
  }

  /// Writes bytes that differ from the source.
  mutating func atomic(_ bytes: some Collection<UInt8>, source range: Range<Int>) {
    flushSeparator()
    runs.append(
      SourceMap.Stored(text: count, source: range.lowerBound, length: range.count, kind: .atomic))
    sourceEnd = range.upperBound
    for byte in bytes {
      utf8.append(byte)
      count += (byte & 0xC0 != 0x80 ? 1 : 0) + (byte >= 0xF0 ? 1 : 0)
    }
  }

  /// Writes scalars that replace some bytes of the source.
  mutating func atomic(_ scalars: [Unicode.Scalar], source range: Range<Int>) {
    var bytes: [UInt8] = []
    for scalar in scalars {
      bytes.append(contentsOf: UTF8.encode(script?.form(of: scalar) ?? scalar)!)
    }
    atomic(bytes, source: range)
  }

  /// The distance in bytes from the start of a slice within which the next non-ASCII byte is
  /// searched for.
  private static let lookAhead = 4_096

  /// Returns the number of UTF-16 units of a slice, which must be valid UTF-8. O(1) for most
  /// slices, because an earlier call has found the next byte that isn't ASCII.
  private mutating func units(_ range: Range<Int>) -> Int {
    if range.lowerBound < ascii.lowerBound || range.upperBound > ascii.upperBound {
      let limit = min(source.count, max(range.upperBound, range.lowerBound + Self.lookAhead))
      ascii = range.lowerBound..<source.endOfASCII(from: range.lowerBound, to: limit)
    }
    if range.upperBound <= ascii.upperBound { return range.count }
    // One unit for each byte that isn't a continuation byte, and another one for each sequence of
    // four bytes.
    var units = ascii.count
    for byte in source[ascii.upperBound..<range.upperBound] {
      units &+= (byte & 0xC0 != 0x80 ? 1 : 0) &+ (byte >= 0xF0 ? 1 : 0)
    }
    return units
  }

  // MARK: - Invalid UTF-8

  private static let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]

  /// Whether some bytes are valid UTF-8 without NUL.
  private static func isRegular(_ bytes: Bytes) -> Bool {
    if bytes.firstIndex(of: 0, from: 0) < bytes.count { return false }
    var index = 0
    while true {
      index = bytes.endOfASCII(from: index, to: bytes.count)
      if index == bytes.count { return true }
      // Characters beyond ASCII usually follow each other.
      repeat {
        let (length, isValid) = sequence(bytes, at: index, end: bytes.count)
        guard isValid else { return false }
        index += length
      } while index < bytes.count && bytes[index] >= 0x80
    }
  }

  /// Writes a slice in which each NUL and each ill-formed sequence becomes U+FFFD.
  private mutating func irregular(_ range: Range<Int>) {
    var start = range.lowerBound
    var index = start
    while index < range.upperBound {
      let (length, isValid) = Self.sequence(source, at: index, end: range.upperBound)
      if !isValid {
        copy(start..<index)
        atomic(Self.replacement, source: index..<index + length)
        start = index + length
      }
      index += length
    }
    copy(start..<range.upperBound)
  }

  /// Returns the length of the UTF-8 sequence at an index, and whether it is well-formed. An
  /// ill-formed sequence has the length of its maximal subpart (Unicode 3.9), which
  /// `String(decoding:)` also replaces as a unit.
  private static func sequence(_ bytes: Bytes, at start: Int, end: Int) -> (Int, Bool) {
    let lead = bytes[start]
    if lead < 0x80 { return (1, lead != 0) }
    let length: Int
    var range: ClosedRange<UInt8> = 0x80...0xBF
    switch lead {
    case 0xC2...0xDF: length = 2
    case 0xE0: (length, range) = (3, 0xA0...0xBF)
    case 0xED: (length, range) = (3, 0x80...0x9F)
    case 0xE1...0xEF: length = 3
    case 0xF0: (length, range) = (4, 0x90...0xBF)
    case 0xF4: (length, range) = (4, 0x80...0x8F)
    case 0xF1...0xF3: length = 4
    default: return (1, false)
    }
    for offset in 1..<length {
      guard start + offset < end, range.contains(bytes[start + offset]) else {
        return (offset, false)
      }
      range = 0x80...0xBF
    }
    return (length, true)
  }
}
