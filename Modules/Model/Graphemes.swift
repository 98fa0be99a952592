/// Finds the boundaries of graphemes (user-perceived characters) in UTF-16 text.
///
/// Each function is O(1) where the letters next to the offset decide. Elsewhere it decodes the text
/// from the last certain boundary.
package enum Graphemes {
  /// Returns the last grapheme boundary at or before an offset.
  package static func border(at offset: Int, orBefore units: [UInt16]) -> Int {
    isSureBorder(offset, in: units)
      ? offset
      : walk(units, around: offset) { start, end in end > offset ? start : nil } ?? units.count
  }

  /// Returns the first grapheme boundary at or after an offset.
  package static func border(at offset: Int, orAfter units: [UInt16]) -> Int {
    isSureBorder(offset, in: units)
      ? offset
      : walk(units, around: offset) { start, end in
        start >= offset ? start : end >= offset ? end : nil
      } ?? units.count
  }

  /// Returns the first grapheme boundary after an offset; the end of the text if there is none.
  package static func border(after offset: Int, in units: [UInt16]) -> Int {
    isSureBorder(offset + 1, in: units)
      ? offset + 1
      : walk(units, around: offset) { _, end in end > offset ? end : nil } ?? units.count
  }

  /// Returns the last grapheme boundary before an offset; 0 if there is none.
  package static func border(before offset: Int, in units: [UInt16]) -> Int {
    guard offset > 0 else { return 0 }
    return border(at: offset - 1, orBefore: units)
  }

  /// Returns the ranges that begin and end at grapheme boundaries. O(ranges), and once O(text) if
  /// the letters next to an end don't decide.
  package static func whole(_ ranges: [Range<Int>], in units: [UInt16]) -> [Range<Int>] {
    func answer(_ offset: Int) -> Bool? {
      guard offset > 0, offset < units.count else { return true }
      return quickAnswer(UInt32(units[offset - 1]), UInt32(units[offset]))
    }
    var borders: Set<Int>?
    func isBorder(_ offset: Int) -> Bool {
      if let answer = answer(offset) { return answer }
      if borders == nil {
        var all: Set = [0]
        var place = 0
        for character in String(units: units) {
          place += character.utf16.count
          all.insert(place)
        }
        borders = all
      }
      return borders!.contains(offset)
    }
    return ranges.filter { isBorder($0.lowerBound) && isBorder($0.upperBound) }
  }

  /// Passes each grapheme to `answer`, starting at a known boundary before `offset`, until it
  /// returns a result. Returns nil at the end of the text.
  private static func walk(
    _ units: [UInt16], around offset: Int, _ answer: (_ start: Int, _ end: Int) -> Int?
  ) -> Int? {
    guard offset < units.count else { return nil }
    var position = sureBorder(before: offset, in: units)
    // Nearly every grapheme ends within the first window. For a longer one, the window is doubled.
    var length = offset - position + 64
    while position < units.count {
      let end = min(units.count, position + length)
      var next = position
      let window = String(units: units[position..<end])
      for character in window {
        let following = next + character.utf16.count
        // A grapheme that reaches the end of the window may continue after it.
        if following >= end, end < units.count { break }
        if let found = answer(next, following) { return found }
        next = following
      }
      if next == position, end == units.count { return nil }
      length = next == position ? 2 * length : 64
      position = next
    }
    return nil
  }

  /// Returns the last offset at or before `offset` that is certainly a boundary.
  private static func sureBorder(before offset: Int, in units: [UInt16]) -> Int {
    var index = min(offset, units.count - 1)
    while !isSureBorder(index, in: units) { index -= 1 }
    return index
  }

  /// Whether a boundary is certain from the two units next to an offset, or at the start.
  private static func isSureBorder(_ index: Int, in units: [UInt16]) -> Bool {
    if index <= 0 { return true }
    guard index < units.count else { return false }
    return quickAnswer(UInt32(units[index - 1]), UInt32(units[index])) == true
  }
}
