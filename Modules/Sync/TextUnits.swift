/// A text whose parts are asked for by offsets in UTF-16 units, each in the time of its own length.
struct TextUnits {
  private let bytes: [UInt8]
  /// For each unit and for the end, where it begins in UTF-8; `within` for the second of a pair. None
  /// when each unit is one byte.
  private let offsets: [UInt32]
  private static let within = UInt32.max

  /// How many UTF-16 units it has.
  var count: Int { offsets.isEmpty ? bytes.count : offsets.count - 1 }

  /// Looks through a text once.
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

  /// The UTF-8 of a part; nil when it begins or ends within a character.
  func bytes(_ range: Range<Int>) -> ArraySlice<UInt8>? {
    if offsets.isEmpty { return bytes[range] }
    let (start, end) = (offsets[range.lowerBound], offsets[range.upperBound])
    guard start != Self.within, end != Self.within else { return nil }
    return bytes[Int(start)..<Int(end)]
  }

  /// Whether a part is a text, to the byte.
  func has(_ text: String, at range: Range<Int>) -> Bool {
    bytes(range)?.elementsEqual(text.utf8) ?? false
  }
}
