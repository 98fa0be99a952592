import Model

/// Finds word boundaries, for searches that match only whole words.
///
/// The rules are those of Unicode Annex 29 that matter at the ends of a match. An apostrophe
/// between letters and a point or comma between digits don't separate words. A character of a
/// script without spaces is a separate word.
public enum WordBorder {
  /// Whether neither end of a range of UTF-8 bytes is inside a word.
  public static func surrounds(_ range: Range<Int>, in text: UnsafeBufferPointer<UInt8>) -> Bool {
    isBorder(range.lowerBound, text) && isBorder(range.upperBound, text)
  }

  private enum Part { case letter, digit, join, letterJoin, digitJoin, other }

  private static func isBorder(_ offset: Int, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard offset > 0, offset < text.count else { return true }
    let (before, start) = previous(offset, text)
    let (after, end) = next(offset, text)
    switch (before, after) {
    case (.letter, .letter), (.letter, .digit), (.digit, .letter), (.digit, .digit): return false
    case (.letter, .letterJoin), (.letter, .join):
      return end >= text.count || next(end, text).part != .letter
    case (.letterJoin, .letter), (.join, .letter):
      return start <= 0 || previous(start, text).part != .letter
    case (.digit, .digitJoin), (.digit, .join):
      return end >= text.count || next(end, text).part != .digit
    case (.digitJoin, .digit), (.join, .digit):
      return start <= 0 || previous(start, text).part != .digit
    default: return true
    }
  }

  /// Returns the character that ends at an offset, and its start. Marks belong to the character
  /// that they modify.
  private static func previous(_ offset: Int, _ text: UnsafeBufferPointer<UInt8>) -> (
    part: Part, start: Int
  ) {
    var start = offset
    while true {
      start -= 1
      while start > 0, text[start] & 0xC0 == 0x80 { start -= 1 }
      let scalar = scalar(start, text).value
      guard TextFolding.fold(scalar).kind == .mark, start > 0 else { return (part(scalar), start) }
    }
  }

  private static func next(_ offset: Int, _ text: UnsafeBufferPointer<UInt8>) -> (
    part: Part, end: Int
  ) {
    let (value, end) = scalar(offset, text)
    // Text that begins with a mark continues the character before it.
    return (TextFolding.fold(value).kind == .mark ? .letter : part(value), end)
  }

  private static func part(_ scalar: UInt32) -> Part {
    switch scalar {
    case 0x30...0x39: return .digit
    case 0x27, 0x2E, 0x2018, 0x2019: return .join
    case 0x3A, 0xB7, 0x387, 0x2027: return .letterJoin
    case 0x2C, 0x3B: return .digitJoin
    default: return TextFolding.fold(scalar).kind == .word ? .letter : .other
    }
  }

  /// Returns the scalar that begins at an offset of valid UTF-8, and its end.
  static func scalar(_ start: Int, _ text: UnsafeBufferPointer<UInt8>) -> (
    value: UInt32, end: Int
  ) {
    let lead = text[start]
    if lead < 0x80 { return (UInt32(lead), start + 1) }
    let length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2
    var value = UInt32(lead) & (0x7F >> UInt32(length))
    let end = min(start + length, text.count)
    for index in start + 1..<max(end, start + 1) { value = value << 6 | UInt32(text[index] & 0x3F) }
    return (value, end)
  }
}
