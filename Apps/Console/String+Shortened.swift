import Rendering

extension String {
  /// The text in one line of at most 72 characters, without terminal control characters. O(1): only
  /// the beginning of a long text is read.
  package var shortened: String {
    if let line = shortenedBytes { return line }
    let beginning = prefix(ShortenedLine.readLimit)
    let line = beginning.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      .sanitizedForTerminal
    let isWhole = line.count <= ShortenedLine.limit && beginning.endIndex == endIndex
    return isWhole ? line : line.prefix(ShortenedLine.limit - 1) + "…"
  }

  /// The text shortened by ``ShortenedLine``, which supports almost all quotes. Nil for other
  /// texts.
  private var shortenedBytes: String? {
    let line = utf8.withContiguousStorageIfAvailable { text in
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: ShortenedLine.capacity) { buffer in
        ShortenedLine(text, writingTo: buffer.baseAddress!).map { line in
          String(decoding: buffer[..<line.count], as: UTF8.self)
        }
      }
    }
    return line ?? nil
  }
}

/// A text shortened like `String.shortened`, but read and written as UTF-8 without creating a
/// string. A search prints hundreds of thousands of them.
///
/// Only ASCII and common letters and symbols are supported, because each of them is always a
/// separate character. Other texts need the grapheme tables of `String`.
package struct ShortenedLine {
  /// The number of bytes written.
  package let count: Int
  /// Whether the text was cut, so that later bytes don't change the result.
  package let isCut: Bool

  /// The maximum length of a shortened text in characters.
  fileprivate static let limit = 72
  /// The maximum number of characters that are read from a text that isn't ASCII.
  fileprivate static let readLimit = 4 * limit
  /// The maximum number of bytes written. A blank and one character more than the limit are written
  /// before the text is cut.
  package static let capacity = (limit + 2) * 3 + 8

  /// Shortens valid UTF-8. Returns nil if it contains an unsupported character. O(1), unless the
  /// text begins with more blanks than fit on a line.
  ///
  /// - Parameter place: a buffer of `capacity` bytes.
  package init?(
    _ text: UnsafeBufferPointer<UInt8>, writingTo place: UnsafeMutablePointer<UInt8>
  ) {
    let source = UnsafeRawPointer(text.baseAddress)
    let target = UnsafeMutableRawPointer(place)
    let end = text.count
    var (read, written) = (0, 0)
    // The numbers of characters read and written, and the number of bytes to keep if the text is
    // cut.
    var (characters, shownCharacters, cut) = (0, 0, 0)
    var (isAfterBlank, isASCII) = (false, true)
    while read < end {
      if !isAfterBlank, shownCharacters + 8 <= Self.limit, read + 8 <= end, let source {
        let word = UInt64(littleEndian: source.loadUnaligned(fromByteOffset: read, as: UInt64.self))
        let length = Self.plainBytes(of: word, atStart: shownCharacters == 0)
        if length > 0 {
          target.storeBytes(of: word.littleEndian, toByteOffset: written, as: UInt64.self)
          read += length
          written += length
          characters += length
          shownCharacters += length
          if shownCharacters >= Self.limit - 1 {
            cut = written - (shownCharacters - (Self.limit - 1))
          }
          continue
        }
      }
      let byte = text[read]
      characters += 1
      if byte == 0x20 || 0x09...0x0D ~= byte {
        isAfterBlank = shownCharacters > 0
        read += 1
        continue
      }
      let length: Int
      if byte < 0x80 {
        guard 0x21...0x7E ~= byte else { return nil }
        length = 1
      } else {
        guard let size = Self.letterSize(at: read, in: text) else { return nil }
        (length, isASCII) = (size, false)
      }
      if !isASCII, characters > Self.readLimit { return nil }
      if isAfterBlank {
        place[written] = 0x20
        written += 1
        shownCharacters += 1
        if shownCharacters == Self.limit - 1 { cut = written }
      }
      isAfterBlank = false
      for offset in 0..<length { place[written + offset] = text[read + offset] }
      read += length
      written += length
      shownCharacters += 1
      if shownCharacters == Self.limit - 1 { cut = written }
      if shownCharacters > Self.limit {
        for byte in "…".utf8 {
          place[cut] = byte
          cut += 1
        }
        (count, isCut) = (cut, true)
        return
      }
    }
    if !isASCII, characters > Self.readLimit { return nil }
    (count, isCut) = (written, false)
  }

  /// Shortens a part of a text for which ``isPlain(_:)`` is true. It must not begin with a blank.
  /// O(1).
  package init(
    plain text: UnsafeBufferPointer<UInt8>, writingTo place: UnsafeMutablePointer<UInt8>
  ) {
    let length = text.last == 0x20 ? text.count - 1 : text.count
    isCut = length > Self.limit
    let kept = isCut ? Self.limit - 1 : length
    if let start = text.baseAddress { place.update(from: start, count: kept) }
    let mark: StaticString = "…"
    if isCut { (place + kept).update(from: mark.utf8Start, count: mark.utf8CodeUnitCount) }
    count = isCut ? kept + mark.utf8CodeUnitCount : kept
  }

  /// Returns whether a text is printable ASCII without a leading blank or two consecutive blanks,
  /// so that shortening doesn't change its bytes. O(bytes), eight at a time.
  package static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let source = UnsafeRawPointer(text.baseAddress), text[0] != 0x20 else { return false }
    var read = 0
    while read + 8 <= text.count {
      let word = UInt64(littleEndian: source.loadUnaligned(fromByteOffset: read, as: UInt64.self))
      let length = plainBytes(of: word, atStart: false)
      if length == 0 { return false }
      read += length
    }
    var wasBlank = false
    for byte in text[read...] {
      guard 0x20...0x7E ~= byte, byte != 0x20 || !wasBlank else { return false }
      wasBlank = byte == 0x20
    }
    return true
  }

  /// Returns the number of leading bytes of a word that are copied unchanged. It is 8 for printable
  /// ASCII without consecutive blanks, 7 if the last byte is a blank, and 0 otherwise.
  @inline(__always)
  private static func plainBytes(of word: UInt64, atStart: Bool) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let tops = ones << 7
    let deleted = word ^ (ones &* 0x7F)
    // Bytes that are not ASCII, less than a blank, or DEL.
    let others =
      (word | ((word &- ones &* 0x20) & ~word) | ((deleted &- ones) & ~deleted)) & tops
    if others != 0 { return 0 }
    let difference = word ^ (ones &* 0x20)
    let blanks = ~(difference &+ ones &* 0x7F) & tops
    if blanks & (blanks << 8) != 0 || (atStart && blanks & 0x80 != 0) { return 0 }
    return blanks >> 63 == 1 ? 7 : 8
  }

  /// Returns the size in bytes of the character at an offset. Returns nil if it may join its
  /// neighbours, is a blank, or is escaped on a terminal.
  private static func letterSize(at place: Int, in text: UnsafeBufferPointer<UInt8>) -> Int? {
    let lead = text[place]
    let size = lead < 0xE0 ? 2 : 3
    guard lead < 0xF0, place + size <= text.count else { return nil }
    var scalar = UInt32(lead) & (0x7F >> UInt32(size))
    for byte in text[place + 1..<place + size] { scalar = scalar << 6 | UInt32(byte & 0x3F) }
    switch scalar {
    // Latin, Greek and Cyrillic.
    case 0xA1...0xAC, 0xAE...0x2FF, 0x370...0x482, 0x48A...0x52F: return size
    // Punctuation, currencies and arrows.
    case 0x2010...0x2027, 0x2030...0x205E, 0x20A0...0x20BF, 0x2190...0x21FF: return size
    // Chinese, Japanese and Korean.
    case 0x3001...0x3029, 0x3041...0x3096, 0x309B...0x30FF, 0x3400...0x9FFF, 0xAC00...0xD7A3,
      0xFF01...0xFF9D:
      return size
    default: return nil
    }
  }
}
