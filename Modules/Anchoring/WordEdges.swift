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

  /// Returns the range with the word behind its end or before its start, if this is the edited last
  /// or first word of the selected passage: `foxes` for `fox`. The neighbours of the word on both
  /// sides must be the same as before. O(1).
  static func withEditedEnds(_ range: TextRange, of selector: Selector, in text: AnchorText)
    -> TextRange
  {
    var (start, end) = (range.utf16.lowerBound, range.utf16.upperBound)
    guard start < end, end <= text.units.count else { return range }
    let quote = Array(selector.exact.utf16)
    if let length = editedLength(
      quote.suffix(most), text.units[start..<end].suffix(most),
      text.units[end...].prefix(most), Array(selector.suffix.utf16)[...])
    {
      end += length
    }
    // The same from right to left.
    if let length = editedLength(
      Array(quote.prefix(most).reversed())[...],
      Array(text.units[start..<end].prefix(most).reversed())[...],
      Array(text.units[..<start].suffix(most).reversed())[...],
      Array(selector.prefix.utf16.reversed())[...])
    {
      start -= length
    }
    return TextRange(utf16: start..<end)
  }

  /// The maximum number of units that are compared on each side.
  private static let most = 3 * longest

  /// Returns the number of units up to the end of the edited last word of a quote; nil if the next
  /// word of the text is not that word.
  ///
  /// - Parameters:
  ///   - quote: the last units of the quote.
  ///   - found: the last units of the found range.
  ///   - next: the units of the text behind it.
  ///   - suffix: the units behind the quote when it was selected.
  private static func editedLength(
    _ quote: ArraySlice<UInt16>, _ found: ArraySlice<UInt16>, _ next: ArraySlice<UInt16>,
    _ suffix: ArraySlice<UInt16>
  ) -> Int? {
    let word = quote.end(while: isLetter)
    let gap = quote.dropLast(word.count).end { !isLetter($0) }
    let neighbour = quote.dropLast(word.count + gap.count).end(while: isLetter)
    let edited = next.dropFirst(gap.count).prefix(while: isLetter)
    guard !gap.isEmpty, !neighbour.isEmpty, edited.count <= longest,
      found.end(while: isLetter).elementsEqual(neighbour), next.starts(with: gap)
    else { return nil }
    func common(_ pairs: some Sequence<(UInt16, UInt16)>) -> Int { pairs.prefix { $0 == $1 }.count }
    let same = max(common(zip(word, edited)), common(zip(word.reversed(), edited.reversed())))
    guard same > 1, same * 2 >= max(word.count, edited.count) else { return nil }
    // The first word behind the quote, with the signs before it.
    let signs = suffix.prefix { !isLetter($0) }.count
    let wanted = suffix.prefix(signs + suffix.dropFirst(signs).prefix(while: isLetter).count)
    let length = gap.count + edited.count
    return !wanted.isEmpty && next.dropFirst(length).starts(with: wanted) ? length : nil
  }

  /// Whether a unit is a part of a word. Units of surrogate pairs are not.
  private static func isLetter(_ unit: UInt16) -> Bool { isWord(Unicode.Scalar(unit)) }

  /// Whether a place between two units is inside a word.
  private static func isInWord(at place: Int, in units: [UInt16]) -> Bool {
    guard place > 0, place < units.count else { return false }
    let before = place - length(before: place, units)
    return isInWord(scalar(at: before, units), scalar(at: place, units))
  }

  /// Whether the place between two characters is inside a word; false if one of them is missing.
  private static func isInWord(_ before: Unicode.Scalar?, _ after: Unicode.Scalar?) -> Bool {
    guard let before, let after else { return false }
    return isWord(before) && isWord(after)
  }

  private static func isWord(_ scalar: Unicode.Scalar?) -> Bool {
    guard let scalar else { return false }
    let kind = TextFolding.fold(scalar.value).kind
    return kind == .word || kind == .mark
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

extension ArraySlice {
  /// Returns the longest end of which all elements satisfy the condition.
  fileprivate func end(while condition: (Element) -> Bool) -> ArraySlice {
    suffix(reversed().prefix(while: condition).count)
  }
}
