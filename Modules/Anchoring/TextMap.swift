import Glibc

/// The comparison of an old text with a new one: the long stretches that they have in common, and a
/// map of the tokens between, with a margin on either side.
struct TextMap {
  /// The tokens of the parts that differ.
  let map: TokenMap
  /// What is the same in both, ascending: at the start, at the end, and between.
  private let common: [CommonStretches.Stretch]
  /// The parts of either text that `map` covers, ascending.
  private let parts: [Part]
  private let isEqual: Bool
  /// Whether `map` has the tokens of all of the new text.
  let coversNewText: Bool

  private typealias Part = (old: Range<Int>, new: Range<Int>)

  /// A passage so far from every difference that all its evidence is the same.
  private static let margin = 512
  /// What is left out of the map begins and ends so far from every difference.
  private static let kept = 2 * margin

  /// Compares two texts. Expected O(difference), and a fast look at the rest.
  init(_ oldText: AnchorText, _ newText: AnchorText, tokenizer: inout Tokenizer) {
    let (old, new) = (oldText.units, newText.units)
    let shorter = min(old.count, new.count)
    let prefix = Self.common(shorter) {
      old[$0] == new[$0]
    } equal: { start, count in
      Self.isSame(old, start, new, start, count)
    }
    let suffix = Self.common(shorter - prefix) {
      old[old.count - 1 - $0] == new[new.count - 1 - $0]
    } equal: { start, count in
      Self.isSame(old, old.count - start - count, new, new.count - start - count, count)
    }
    let shift = new.count - old.count
    isEqual = prefix == old.count && shift == 0
    common =
      [CommonStretches.Stretch(old: 0..<prefix, shift: 0)]
      + CommonStretches.all(
        old, prefix..<old.count - suffix, new, prefix..<new.count - suffix,
        least: 3 * Self.kept)
      + [CommonStretches.Stretch(old: old.count - suffix..<old.count, shift: shift)]
    parts = Self.parts(between: common)
    coversNewText = parts.count == 1 && parts[0].new == new.indices
    map = TokenMap(
      Self.tokens(of: oldText, in: parts.map(\.old), &tokenizer),
      Self.tokens(of: newText, in: parts.map(\.new), &tokenizer), of: (old, new))
  }

  /// The parts of either text between the stretches, with margins of what is the same.
  private static func parts(between common: [CommonStretches.Stretch]) -> [Part] {
    zip(common, common.dropFirst()).map { before, after in
      let start = max(before.old.lowerBound, before.old.upperBound - kept)
      let end = min(after.old.upperBound, after.old.lowerBound + kept)
      return (start..<end, start + before.shift..<end + after.shift)
    }
  }

  private static func tokens(
    of text: AnchorText, in parts: [Range<Int>], _ tokenizer: inout Tokenizer
  ) -> [Token] {
    parts.count == 1
      ? tokenizer.tokens(of: text, in: parts[0])
      : parts.flatMap { tokenizer.tokens(of: text, in: $0) }
  }

  /// How many of `limit` steps are equal; whole stretches are compared at once first.
  private static func common(
    _ limit: Int, step: (Int) -> Bool, equal: (Int, Int) -> Bool
  ) -> Int {
    var count = 0
    while count + 1_024 <= limit, equal(count, 1_024) { count += 1_024 }
    while count < limit, step(count) { count += 1 }
    return count
  }

  private static func isSame(
    _ a: [UInt16], _ i: Int, _ b: [UInt16], _ j: Int, _ count: Int
  ) -> Bool {
    a.withUnsafeBufferPointer { a in
      b.withUnsafeBufferPointer { b in
        memcmp(a.baseAddress! + i, b.baseAddress! + j, 2 * count) == 0
      }
    }
  }

  /// Where a passage of the old text stands by what the texts have in common; nil when it is near a
  /// difference. O(log differences).
  func untouched(_ passage: Range<Int>) -> Range<Int>? {
    let index = indexOfStretch(startingBy: passage.lowerBound)
    let stretch = common[index]
    guard isEqual || index == 0 || passage.lowerBound - Self.margin >= stretch.old.lowerBound,
      isEqual || index == common.count - 1
        || passage.upperBound + Self.margin <= stretch.old.upperBound
    else { return nil }
    return passage.lowerBound + stretch.shift..<passage.upperBound + stretch.shift
  }

  /// The last stretch that begins at a unit of the old text or before it.
  private func indexOfStretch(startingBy unit: Int) -> Int {
    max(0, common.partition { $0.old.lowerBound > unit } - 1)
  }

  /// Where a passage went by the map. O(log differences + log tokens + passage).
  func placement(of passage: Range<Int>) -> Placement? {
    let first = parts.partition { $0.old.upperBound > passage.lowerBound }
    let last = parts.partition { $0.old.lowerBound >= passage.upperBound } - 1
    guard first <= last else { return nil }
    let inside =
      max(
        passage.lowerBound, parts[first].old.lowerBound)..<min(
        passage.upperBound, parts[last].old.upperBound)
    let tokens = map.old.touched(by: inside)
    guard !tokens.isEmpty,
      var placement = Placement(of: inside, tokens: tokens, through: map)
    else { return nil }
    // What lies outside the map is the same on both sides.
    let start = passage.lowerBound + common[first].shift
    if passage.lowerBound < inside.lowerBound, placement.range.lowerBound >= start {
      placement.range = start..<placement.range.upperBound
    }
    let end = passage.upperBound + common[last + 1].shift
    if passage.upperBound > inside.upperBound, placement.range.upperBound <= end {
      placement.range = placement.range.lowerBound..<end
    }
    return placement
  }

  /// The share of a place of the new text that came from some place of the old one, 0 … 1.
  func claimedShare(of place: Range<Int>) -> Double {
    // Tokens of what is the same in both are not in the map.
    let tokens = map.new.touched(by: place)
    guard !tokens.isEmpty else { return 1 }
    return Double(tokens.count { map.isClaimed[$0] }) / Double(tokens.count)
  }
}
