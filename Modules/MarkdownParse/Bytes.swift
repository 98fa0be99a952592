import Glibc

/// The bytes that a scanner reads. The memory belongs to the source or to a leaf's joined lines,
/// and is only valid during one call of the parser.
typealias Bytes = UnsafeBufferPointer<UInt8>

/// Names for ASCII bytes that are significant in Markdown.
enum Byte {
  static let tab = UInt8(ascii: "\t")
  static let lineFeed = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")
  static let space = UInt8(ascii: " ")
}

extension UInt8 {
  @inline(__always) var isBlank: Bool { self == Byte.space || self == Byte.tab }
  /// Whether the byte is a space, tab, line feed, vertical tab, form feed or carriage return.
  @inline(__always) var isSpace: Bool { self == Byte.space || (self >= 9 && self <= 13) }
  @inline(__always) var isDigit: Bool { self &- 48 < 10 }
  @inline(__always) var isLetter: Bool { (self | 32) &- 97 < 26 }
  @inline(__always) var isAlphanumeric: Bool { isDigit || isLetter }
  @inline(__always) var isHexDigit: Bool { isDigit || ((self | 32) &- 97 < 6) }
  /// Whether the byte is one of the 32 ASCII characters that a backslash can escape.
  @inline(__always) var isPunctuation: Bool {
    (self >= 33 && self <= 47) || (self >= 58 && self <= 64) || (self >= 91 && self <= 96)
      || (self >= 123 && self <= 126)
  }
  @inline(__always) var lowercased: UInt8 { self &- 65 < 26 ? self | 32 : self }
}

/// Classes of Unicode scalars.
enum ScalarClass {
  /// Whether a scalar is in the general category P or S. O(log runs).
  static func isPunctuation(_ scalar: UInt32) -> Bool {
    if scalar < 0x80 { return UInt8(scalar).isPunctuation }
    // The runs are sorted, so a binary search for the first run that ends at or after the scalar is
    // enough.
    var low = 0
    var high = punctuationRuns.count / 2
    while low < high {
      let middle = (low + high) / 2
      if punctuationRuns[2 * middle + 1] < scalar { low = middle + 1 } else { high = middle }
    }
    return low < punctuationRuns.count / 2 && punctuationRuns[2 * low] <= scalar
  }

  /// Whether CommonMark treats a scalar as whitespace: Zs, tab, line feed, form feed or carriage
  /// return.
  static func isSpace(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 9, 10, 12, 13, 32, 0xA0, 0x1680, 0x2000...0x200A, 0x202F, 0x205F, 0x3000: true
    default: false
    }
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Returns the byte at an index; 0 outside the buffer.
  @inline(__always) func at(_ index: Int) -> UInt8 {
    index >= 0 && index < count ? self[index] : 0
  }

  /// Returns a range without the spaces and tabs at its ends.
  func withoutBlanks(_ range: Range<Int>) -> Range<Int> {
    var range = range
    while let first = range.first, self[first].isBlank { range = first + 1..<range.upperBound }
    while let last = range.last, self[last].isBlank { range = range.lowerBound..<last }
    return range
  }

  /// Returns the first index of a byte at or after an index; `count` if the byte doesn't follow.
  @inline(__always) func firstIndex(of byte: UInt8, from index: Int) -> Int {
    guard index < count, let start = baseAddress,
      let found = memchr(start + index, CInt(byte), count - index)
    else { return count }
    return UnsafeRawPointer(start).distance(to: found)
  }

  /// Whether a byte occurs in a range.
  @inline(__always) func contains(_ byte: UInt8, in range: Range<Int>) -> Bool {
    guard !range.isEmpty, let start = baseAddress else { return false }
    return memchr(start + range.lowerBound, CInt(byte), range.count) != nil
  }

  /// Returns eight bytes as one word. The index need not be aligned.
  @inline(__always) func word(at index: Int) -> UInt64 {
    UnsafeRawPointer(baseAddress!).loadUnaligned(fromByteOffset: index, as: UInt64.self)
  }

  /// Returns the index of the first byte ≥ 0x80 in a range; the range's end if all bytes are ASCII.
  func endOfASCII(from start: Int, to end: Int) -> Int {
    let high: UInt64 = 0x8080_8080_8080_8080
    var index = start
    while index + 32 <= end,
      (word(at: index) | word(at: index + 8) | word(at: index + 16) | word(at: index + 24)) & high
        == 0
    { index += 32 }
    while index + 8 <= end, word(at: index) & high == 0 { index += 8 }
    while index < end, self[index] < 0x80 { index += 1 }
    return index
  }

  /// Returns the scalar that begins at an index; a line feed at the end of the buffer.
  func scalar(at index: Int) -> UInt32 {
    guard index < count else { return 10 }
    let lead = self[index]
    if lead < 0x80 { return UInt32(lead) }
    let length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2
    guard index + length <= count else { return 0xFFFD }
    var value = UInt32(lead) & (length == 4 ? 0x07 : length == 3 ? 0x0F : 0x1F)
    for next in index + 1..<index + length { value = value << 6 | UInt32(self[next] & 0x3F) }
    return value
  }

  /// Returns the scalar that ends before an index; a line feed at the start of the buffer.
  func scalar(before index: Int) -> UInt32 {
    guard index > 0 else { return 10 }
    var start = index - 1
    while start > 0, self[start] & 0xC0 == 0x80, index - start < 4 { start -= 1 }
    return scalar(at: start)
  }

  /// Whether `text` begins at an index.
  func starts(with text: StaticString, at index: Int) -> Bool {
    let length = text.utf8CodeUnitCount
    guard index + length <= count else { return false }
    for offset in 0..<length where self[index + offset] != text.utf8Start[offset] { return false }
    return true
  }

  /// Whether `text`, which must be lower case, begins at an index. Case is ignored.
  func startsIgnoringCase(with text: StaticString, at index: Int) -> Bool {
    let length = text.utf8CodeUnitCount
    guard index + length <= count else { return false }
    for offset in 0..<length
    where self[index + offset].lowercased != text.utf8Start[offset] { return false }
    return true
  }

  /// Returns the first index of `text` at or after an index; nil if not found.
  func firstIndex(of text: StaticString, from index: Int) -> Int? {
    let length = text.utf8CodeUnitCount
    var position = index
    while position + length <= count {
      if starts(with: text, at: position) { return position }
      position += 1
    }
    return nil
  }
}
