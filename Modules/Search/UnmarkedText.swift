import Model

/// A text without its diacritics, for patterns that ignore them, with a map to the original text.
///
/// Composed letters are replaced with their base letters, and separate marks are removed
/// (`TextFolding.base`).
public struct UnmarkedText: Sendable {
  /// The text without diacritics.
  public private(set) var utf8: [UInt8] = []
  /// Pairs of corresponding offsets in both texts, in ascending order, beginning with the two
  /// starts. After a pair, both offsets advance equally up to the next letter or mark that was
  /// changed.
  private var steps: [(unmarked: Int, marked: Int)] = [(0, 0)]

  /// Removes the diacritics from valid UTF-8. O(bytes).
  public init(_ text: UnsafeBufferPointer<UInt8>) {
    utf8.reserveCapacity(text.count)
    var index = 0
    while index < text.count {
      if text[index] < 0x80 {
        utf8.append(text[index])
        index += 1
        continue
      }
      let (scalar, end) = WordBorder.scalar(index, text)
      let base = Self.base(of: scalar)
      if base == scalar {
        utf8.append(contentsOf: text[index..<end])
      } else {
        if let base, let letter = Unicode.Scalar(base) {
          utf8.append(contentsOf: UTF8.encode(letter)!)
        }
        if steps[steps.count - 1].unmarked == utf8.count { steps.removeLast() }
        steps.append((utf8.count, end))
      }
      index = end
    }
  }

  /// Returns a text without its diacritics.
  public static func string(_ text: String) -> String {
    var text = text
    return text.withUTF8 { String(decoding: UnmarkedText($0).utf8, as: UTF8.self) }
  }

  /// Whether a text certainly has no diacritics, because it contains only ASCII. O(bytes), eight at
  /// a time.
  public static func isSame(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let bytes = UnsafeRawBufferPointer(text)
    var index = 0
    while index + 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      if word & 0x8080_8080_8080_8080 != 0 { return false }
      index += 8
    }
    return bytes[index...].allSatisfy { $0 < 0x80 }
  }

  /// Returns the scalar without its diacritics; nil for a mark.
  private static func base(of scalar: UInt32) -> UInt32? {
    switch scalar {
    // CJK ideographs and Hangul have no diacritics. They are most of the characters in the texts
    // that contain them.
    case 0x3400...0xD7A3: scalar
    default: TextFolding.fold(scalar).kind == .mark ? nil : TextFolding.base(of: scalar)
    }
  }

  /// Returns the corresponding range of the original text, including marks on the last letter.
  /// O(log marks).
  public func range(_ range: Range<Int>) -> Range<Int> {
    let start = place(ofOffset: range.lowerBound)
    return start..<max(start, place(ofOffset: range.upperBound))
  }

  /// Returns the offset in this text for an offset in the original text. For a mark, it is the
  /// offset of the following character.
  public func offset(ofPlace place: Int) -> Int {
    let index = lastStep { $0.marked <= place }
    let step = steps[index]
    let end = index + 1 < steps.count ? steps[index + 1].unmarked : utf8.count
    return min(step.unmarked + max(0, place - step.marked), end)
  }

  private func place(ofOffset offset: Int) -> Int {
    let step = steps[lastStep { $0.unmarked <= offset }]
    return step.marked + offset - step.unmarked
  }

  private func lastStep(_ holds: ((unmarked: Int, marked: Int)) -> Bool) -> Int {
    var low = 0
    var high = steps.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if holds(steps[middle]) { low = middle } else { high = middle }
    }
    return low
  }
}
