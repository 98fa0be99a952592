import Model

/// The ends of a passage in the words of a text.
///
/// A passage whose first and last words were whole must not begin or end inside a word after the
/// text was edited, as after an insertion right behind its last word. In scripts without spaces
/// between words, every place between characters is a border.
enum WordEdges {
  /// The maximum number of UTF-16 units by which an end is moved. A longer run of letters is not a
  /// word.
  private static let longest = 64

  /// Returns the range with each end moved outward to the border of its word, if the end of the
  /// selected passage was at a border. O(1).
  static func whole(_ range: TextRange, of selector: Selector, in text: AnchorText) -> TextRange {
    let units = text.units
    var (start, end) = (range.utf16.lowerBound, range.utf16.upperBound)
    guard start < end, end <= units.count else { return range }
    let quote = selector.exact
    if !isInWord(selector.prefix.unicodeScalars.last, quote.unicodeScalars.first) {
      var first = start
      while start - first <= longest, isInWord(at: first, in: units) {
        first -= length(before: first, units)
      }
      if start - first <= longest { start = first }
    }
    if !isInWord(quote.unicodeScalars.last, selector.suffix.unicodeScalars.first) {
      var last = end
      while last - end <= longest, isInWord(at: last, in: units) {
        last += length(after: last, units)
      }
      if last - end <= longest { end = last }
    }
    return TextRange(utf16: start..<end)
  }

  /// Whether a place between two units is inside a word.
  private static func isInWord(at place: Int, in units: [UInt16]) -> Bool {
    guard place > 0, place < units.count else { return false }
    let before = place - length(before: place, units)
    return isInWord(scalar(at: before, units), scalar(at: place, units))
  }

  /// Whether the place between two characters is inside a word; false if one of them is missing.
  private static func isInWord(_ before: Unicode.Scalar?, _ after: Unicode.Scalar?) -> Bool {
    guard let before, let after else { return false }
    return [before, after].allSatisfy {
      let kind = TextFolding.fold($0.value).kind
      return kind == .word || kind == .mark
    }
  }

  private static func length(before place: Int, _ units: [UInt16]) -> Int {
    place > 1 && UTF16.isTrailSurrogate(units[place - 1])
      && UTF16.isLeadSurrogate(units[place - 2]) ? 2 : 1
  }

  private static func length(after place: Int, _ units: [UInt16]) -> Int {
    place + 1 < units.count && UTF16.isLeadSurrogate(units[place])
      && UTF16.isTrailSurrogate(units[place + 1]) ? 2 : 1
  }

  /// The scalar that begins at a place; nil for a lone surrogate.
  private static func scalar(at place: Int, _ units: [UInt16]) -> Unicode.Scalar? {
    guard length(after: place, units) == 2 else { return Unicode.Scalar(units[place]) }
    let high = UInt32(units[place] & 0x3FF) << 10
    return Unicode.Scalar(0x10000 + (high | UInt32(units[place + 1] & 0x3FF)))
  }
}
