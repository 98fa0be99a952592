/// Finds the boundaries of graphemes (user-perceived characters) in UTF-8 text, as Swift's
/// `Character` divides it.
///
/// Nearly every question is answered by the two scalars next to the offset. For the others, the
/// text is read from the last certain boundary, or from the last question. Questions in ascending
/// order take O(text) in total.
public struct GraphemeBorders {
  private let text: UnsafeBufferPointer<UInt8>
  /// The rules of grapheme boundaries, applied to the text from a certain boundary to `reached`.
  private var rules = Unicode._CharacterRecognizer()
  private var reached = 0

  /// Creates the value for valid UTF-8, which must outlive it.
  public init(_ text: UnsafeBufferPointer<UInt8>) { self.text = text }

  /// Whether both ends of a range are boundaries. The starts of the ranges should ascend.
  @inline(__always)
  public mutating func surrounds(_ range: Range<Int>) -> Bool {
    isSure(range.lowerBound) && isSure(range.upperBound)
      || isBorder(range.lowerBound) && isBorder(after: range)
  }

  /// Whether an offset is a boundary between two ASCII characters, or at an end of the text.
  @inline(__always)
  private func isSure(_ offset: Int) -> Bool {
    offset <= 0 || offset >= text.count
      || text[offset] | text[offset - 1] < 0x80 && (text[offset] != 10 || text[offset - 1] != 13)
  }

  /// Whether an offset is a boundary.
  public mutating func isBorder(_ offset: Int) -> Bool {
    if let answer = quickAnswer(offset) { return answer }
    advance(to: offset)
    var copy = rules
    return copy.hasBreak(before: scalar(offset))
  }

  /// Returns a range extended to whole graphemes, at most to `floor` at its start.
  public mutating func widened(_ range: Range<Int>, from floor: Int) -> Range<Int> {
    var (start, end) = (range.lowerBound, range.upperBound)
    if start > floor, !isBorder(start) {
      var place = start
      while place > floor, quickAnswer(place) != true { place = previous(place) }
      var rules = Unicode._CharacterRecognizer()
      start = place
      while place < range.lowerBound {
        if rules.hasBreak(before: scalar(place)) { start = place }
        place = UInt8.scalar(place, text).end
      }
    }
    while end < text.count, !isBorder(end) { end = UInt8.scalar(end, text).end }
    return start..<max(start, end)
  }

  /// Whether the end of a range is a boundary. Later questions can begin inside the range.
  private mutating func isBorder(after range: Range<Int>) -> Bool {
    if let answer = quickAnswer(range.upperBound) { return answer }
    let (savedRules, savedReached) = (rules, reached)
    let answer = isBorder(range.upperBound)
    if reached > range.lowerBound { (rules, reached) = (savedRules, savedReached) }
    return answer
  }

  /// Reads the text up to an offset.
  private mutating func advance(to offset: Int) {
    var start = offset
    let floor = reached <= offset ? reached : 0
    while start > floor, quickAnswer(start) != true { start = previous(start) }
    if start != reached || reached > offset {
      rules = Unicode._CharacterRecognizer()
      reached = start
    }
    while reached < offset {
      _ = rules.hasBreak(before: scalar(reached))
      reached = UInt8.scalar(reached, text).end
    }
  }

  private func previous(_ offset: Int) -> Int {
    var start = offset - 1
    while start > 0, text[start] & 0xC0 == 0x80 { start -= 1 }
    return start
  }

  private func scalar(_ offset: Int) -> Unicode.Scalar {
    Unicode.Scalar(UInt8.scalar(offset, text).value) ?? "\u{FFFD}"
  }

  /// Returns whether an offset is a boundary if the two scalars next to it decide; otherwise nil.
  private func quickAnswer(_ offset: Int) -> Bool? {
    guard offset > 0, offset < text.count else { return true }
    if text[offset] & 0xC0 == 0x80 { return false }
    return Graphemes.quickAnswer(
      UInt8.scalar(previous(offset), text).value, UInt8.scalar(offset, text).value)
  }
}

extension Graphemes {
  /// Returns whether a boundary is between two scalars, if no other scalar affects it; otherwise
  /// nil.
  static func quickAnswer(_ before: UInt32, _ after: UInt32) -> Bool? {
    if before < 0x80, after < 0x80 { return before != 13 || after != 10 }
    let (isPlainBefore, isPlainAfter) = (isPlain(before), isPlain(after))
    if isPlainBefore, isPlainAfter { return true }
    if after < 0x20 { return true }
    guard let next = Unicode.Scalar(after), let previous = Unicode.Scalar(before) else {
      return nil
    }
    let extends = next.properties.isGraphemeExtend || after == 0x200D
    if extends, isPlainBefore || previous.properties.isGraphemeExtend { return false }
    switch (before, after) {
    case (0x1100...0x115F, 0x1100...0x11A7), (0x1160...0x11A7, 0x1160...0x11FF),
      (0x11A8...0x11FF, 0x11A8...0x11FF):
      return false
    default: return nil
    }
  }

  /// Whether a scalar neither joins the scalar before it nor the scalar after it, unless that
  /// scalar does. False for scalars of which this isn't known.
  private static func isPlain(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x20...0x7E, 0xA1...0xAC, 0xAE...0x2FF, 0x370...0x482, 0x48A...0x58F, 0x5D0...0x5EA,
      0x620...0x64A, 0x671...0x6D3, 0x904...0x939, 0x985...0x9B9, 0xE01...0xE30, 0x10A0...0x10FF,
      0x1E00...0x200A, 0x2010...0x2027, 0x2030...0x205E, 0x20A0...0x20CF, 0x2100...0x2CEE,
      0x3001...0x3029, 0x3030...0x3096, 0x309B...0x30FF, 0x3105...0x312F, 0x3400...0x9FFF,
      0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFF01...0xFF9D, 0x1F300...0x1F3FA, 0x1F400...0x1FAFF,
      0x20000...0x2FFFF:
      true
    default: false
    }
  }
}
