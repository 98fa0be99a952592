import Glibc

/// A comparison of an old text with a new one. It consists of the long stretches that they have in
/// common, and of a map of the tokens between them, with a margin on both sides.
struct TextMap {
  /// The alignment of the tokens in the parts that differ.
  let map: TokenMap
  /// The stretches that both texts have in common: at the start, between the differences, and at
  /// the end; ascending.
  private let common: [CommonStretches.Stretch]
  /// The ranges of both texts that `map` covers, ascending.
  private let parts: [Part]
  private let isEqual: Bool
  /// Whether `map` contains all tokens of the new text.
  let coversNewText: Bool

  private typealias Part = (old: Range<Int>, new: Range<Int>)

  /// The place of a passage is certain without further evidence if every difference is at least
  /// this many UTF-16 units away.
  private static let margin = 512
  /// The length in UTF-16 units of the common text that the map includes on either side of a
  /// difference.
  private static let kept = 2 * margin

  /// Compares two texts. Expected O(difference), plus a fast scan of the rest.
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

  /// Returns the ranges of both texts between the common stretches, with margins of common text.
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

  /// Returns how many of the first `limit` steps are equal. Blocks of 1,024 steps are compared
  /// first.
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

  /// Returns the new range of a passage that lies well inside a common stretch; nil if it is close
  /// to a difference. O(log differences).
  func untouched(_ passage: Range<Int>) -> Range<Int>? {
    let index = indexOfStretch(startingBy: passage.lowerBound)
    let stretch = common[index]
    guard isEqual || index == 0 || passage.lowerBound - Self.margin >= stretch.old.lowerBound,
      isEqual || index == common.count - 1
        || passage.upperBound + Self.margin <= stretch.old.upperBound
    else { return nil }
    return passage.lowerBound + stretch.shift..<passage.upperBound + stretch.shift
  }

  /// Returns the index of the last stretch that begins at or before an offset in the old text.
  private func indexOfStretch(startingBy unit: Int) -> Int {
    max(0, common.partition { $0.old.lowerBound > unit } - 1)
  }

  /// Returns the place of a passage according to the map; nil if the map doesn't contain it.
  /// O(log differences + log tokens + passage).
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
    // Text outside the map is the same in both texts.
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

  /// Returns the words that replaced a passage; nil if the map doesn't contain it or no such words
  /// are found. O(log tokens), in addition to the work that `budget` limits.
  func respelling(
    of passage: Range<Int>, from old: AnchorText, to new: AnchorText, budget: inout Int
  ) -> Respelling? {
    let part = parts.partition { $0.old.upperBound >= passage.upperBound }
    guard part < parts.count, parts[part].old.contains(passage) else { return nil }
    return Respelling(
      of: passage, tokens: map.old.touched(by: passage), known: map.old.indices, in: map,
      from: old.units, to: new.units, budget: &budget)
  }

  /// Returns the share of tokens at a place of the new text that were matched to the old text, 0 to
  /// 1.
  ///
  /// - Parameter passage: a range of the old text whose tokens don't count; nil to count all.
  func claimedShare(of place: Range<Int>, except passage: Range<Int>? = nil) -> Double {
    // The map doesn't contain the tokens of common stretches.
    let tokens = map.new.touched(by: place)
    guard !tokens.isEmpty else { return 1 }
    let ofPassage = passage.map { Set(map.old.touched(by: $0).map { Int(map.target[$0]) }) } ?? []
    return Double(tokens.count { map.isClaimed[$0] && !ofPassage.contains($0) })
      / Double(tokens.count)
  }
}
