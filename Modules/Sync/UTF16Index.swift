import Glibc

/// A text with access by UTF-16 offsets. Access to a part takes O(its length).
struct UTF16Index {
  private let bytes: [UInt8]
  /// The UTF-8 offset at which each UTF-16 unit begins, followed by the number of bytes; `within`
  /// for the second unit of a surrogate pair. Empty if the text is ASCII, where both offsets are
  /// the same.
  private let offsets: [UInt32]
  private static let within = UInt32.max

  /// The number of UTF-16 units.
  var count: Int { offsets.isEmpty ? bytes.count : offsets.count - 1 }

  /// Indexes a text. O(length).
  init(_ text: String) {
    let bytes = Array(text.utf8)
    self.bytes = bytes
    guard bytes.contains(where: { $0 >= 0x80 }) else {
      offsets = []
      return
    }
    var offsets: [UInt32] = []
    offsets.reserveCapacity(bytes.count + 1)
    for (index, byte) in bytes.enumerated() where byte & 0xC0 != 0x80 {
      offsets.append(UInt32(index))
      if byte >= 0xF0 { offsets.append(Self.within) }
    }
    offsets.append(UInt32(bytes.count))
    self.offsets = offsets
  }

  /// Returns the UTF-8 bytes of a range of UTF-16 offsets; nil if it begins or ends within a
  /// surrogate pair.
  func bytes(_ range: Range<Int>) -> ArraySlice<UInt8>? {
    if offsets.isEmpty { return bytes[range] }
    let (start, end) = (offsets[range.lowerBound], offsets[range.upperBound])
    guard start != Self.within, end != Self.within else { return nil }
    return bytes[Int(start)..<Int(end)]
  }

  /// Returns whether the text at `range` equals `text` byte for byte.
  func has(_ text: String, at range: Range<Int>) -> Bool {
    guard let found = bytes(range) else { return false }
    var text = text
    return text.withUTF8 { text in
      found.count == text.count
        && found.withUnsafeBytes { found in
          // An empty text may have no address.
          guard let start = found.baseAddress, let other = text.baseAddress else { return true }
          return memcmp(start, other, text.count) == 0
        }
    }
  }
}
