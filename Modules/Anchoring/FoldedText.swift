import Model

/// The letters and digits of a text, without case, diacritics, ligatures or any other characters.
/// Two versions of a passage fold to the same letters if they differ only in spaces, quotation
/// marks, dashes and hyphens.
struct FoldedText {
  /// The folded letters, as Unicode scalar values.
  private(set) var letters: [UInt32] = []
  /// For each letter, the UTF-16 offsets at which its character begins and ends.
  private(set) var starts: [Int32] = []
  private(set) var ends: [Int32] = []

  /// Folds a text in Unicode's normal form C. O(units).
  init(_ units: [UInt16]) {
    guard let canonical = CanonicalText(units) else {
      fold(units)
      return
    }
    fold(canonical.units)
    for index in letters.indices {
      let range = canonical.original(Int(starts[index])..<Int(ends[index]))
      (starts[index], ends[index]) = (Int32(range.lowerBound), Int32(range.upperBound))
    }
  }

  private mutating func fold(_ units: [UInt16]) {
    letters.reserveCapacity(units.count)
    starts.reserveCapacity(units.count)
    ends.reserveCapacity(units.count)
    var index = 0
    while index < units.count {
      let start = index
      var scalar = UInt32(units[index])
      index += 1
      if scalar & 0xFC00 == 0xD800, index < units.count, units[index] & 0xFC00 == 0xDC00 {
        scalar = 0x10000 + (scalar & 0x3FF) << 10 + UInt32(units[index] & 0x3FF)
        index += 1
      }
      if let parts = Self.ligatures[scalar] {
        for part in parts.unicodeScalars { append(part.value, start, index) }
        continue
      }
      let (folded, kind) = TextFolding.fold(scalar)
      if kind == .word || kind == .single, folded != 0x5F { append(folded, start, index) }
    }
  }

  private mutating func append(_ letter: UInt32, _ start: Int, _ end: Int) {
    letters.append(letter)
    starts.append(Int32(start))
    ends.append(Int32(end))
  }

  /// Returns the UTF-16 units of a range of letters, which must not be empty.
  func units(of range: Range<Int>) -> Range<Int> {
    Int(starts[range.lowerBound])..<Int(ends[range.upperBound - 1])
  }

  private static let ligatures: [UInt32: String] = [
    0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st",
    0xFB06: "st", 0xC6: "ae", 0xE6: "ae", 0x152: "oe", 0x153: "oe",
  ]
}
