/// The directions of the first letters in ranges of a text, for ranges in the order of their starts.
///
/// ```swift
/// var letters = FirstLetters(Array("1. שלום, world".utf16))
/// letters.runFromRight(in: 0..<14)  // true
/// letters.runFromRight(in: 9..<14)  // false
/// letters.runFromRight(in: 0..<3)   // nil
/// ```
struct FirstLetters {
  private let units: [UInt16]
  /// The first letter at `start` or later; the length of the text if there is none.
  private var (start, letter) = (0, -1)
  private var runsFromRight = false

  init(_ units: [UInt16]) { self.units = units }

  /// Returns whether the first letter in a range is of a right-to-left script; nil if the range has
  /// no letter. O(n) for all ranges of a text of n units, if none starts before the previous one.
  mutating func runFromRight(in range: Range<Int>) -> Bool? {
    if !(start...max(start, letter)).contains(range.lowerBound) || letter < 0 {
      find(from: range.lowerBound)
    }
    return range.contains(letter) ? runsFromRight : nil
  }

  private mutating func find(from place: Int) {
    (start, letter) = (place, place)
    while letter < units.count {
      let unit = units[letter]
      guard !UTF16.isTrailSurrogate(unit) else {
        letter += 1
        continue
      }
      var scalar = Unicode.Scalar(UInt32(unit))
      if UTF16.isLeadSurrogate(unit), letter + 1 < units.count {
        scalar = Unicode.Scalar(
          0x10000 + (UInt32(unit) & 0x3FF) << 10 + UInt32(units[letter + 1]) & 0x3FF)
      }
      if let scalar, let fromRight = Self.direction(scalar) {
        runsFromRight = fromRight
        return
      }
      letter += 1
    }
  }

  /// Returns whether a scalar is a letter of a right-to-left script, or the mark of that direction.
  /// Nil if it has no direction of its own.
  private static func direction(_ scalar: Unicode.Scalar) -> Bool? {
    switch scalar.value {
    case 0x200E: false
    case 0x200F: true
    case ..<0x590: scalar.properties.isAlphabetic ? false : nil
    case ...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF:
      scalar.properties.isAlphabetic ? true : nil
    default: scalar.properties.isAlphabetic ? false : nil
    }
  }
}
