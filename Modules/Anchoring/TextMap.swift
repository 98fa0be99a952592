import Glibc

/// The comparison of an old text with a new one: what they have in common at both ends, and a map
/// of the tokens between, with a margin on either side.
struct TextMap {
  /// The tokens of the parts that differ.
  let map: TokenMap
  /// How many units are the same at the start, and at the end.
  private let prefix: Int
  private let suffix: Int
  /// The units of either text that `map` covers.
  private let oldPart: Range<Int>
  private let newPart: Range<Int>
  private let shift: Int
  private let oldCount: Int

  /// A passage so far from every difference that all its evidence is the same.
  private static let margin = 512

  /// Compares two texts. Expected O(difference), and a fast look at the rest.
  init(_ old: [UInt16], _ new: [UInt16], tokenizer: inout Tokenizer) {
    let shorter = min(old.count, new.count)
    prefix = Self.common(shorter) {
      old[$0] == new[$0]
    } equal: { start, count in
      Self.isSame(old, start, new, start, count)
    }
    suffix = Self.common(shorter - prefix) {
      old[old.count - 1 - $0] == new[new.count - 1 - $0]
    } equal: { start, count in
      Self.isSame(old, old.count - start - count, new, new.count - start - count, count)
    }
    shift = new.count - old.count
    oldCount = old.count
    let start = max(0, prefix - 2 * Self.margin)
    let kept = max(0, suffix - 2 * Self.margin)
    oldPart = start..<old.count - kept
    newPart = start..<new.count - kept
    let map = TokenMap(
      tokenizer.tokens(of: old, in: oldPart), tokenizer.tokens(of: new, in: newPart))
    self.map = map
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

  /// Where a passage of the old text stands by what the texts have in common at their ends; nil
  /// when it is near a difference. O(1).
  func untouched(_ passage: Range<Int>) -> Range<Int>? {
    if passage.upperBound + Self.margin <= prefix || (prefix == oldCount && shift == 0) {
      return passage
    }
    if passage.lowerBound - Self.margin >= oldCount - suffix {
      return passage.lowerBound + shift..<passage.upperBound + shift
    }
    return nil
  }

  /// Where a passage went by the map. O(log tokens + passage).
  func placement(of passage: Range<Int>) -> Placement? {
    let inside = passage.clamped(to: oldPart)
    let tokens = map.old.touched(by: inside)
    guard !tokens.isEmpty,
      var placement = Placement(of: inside, tokens: tokens, through: map)
    else { return nil }
    // What lies outside the map is the same on both sides.
    if passage.lowerBound < inside.lowerBound, placement.range.lowerBound >= passage.lowerBound {
      placement.range = passage.lowerBound..<placement.range.upperBound
    }
    if passage.upperBound > inside.upperBound,
      placement.range.upperBound <= passage.upperBound + shift
    {
      placement.range = placement.range.lowerBound..<passage.upperBound + shift
    }
    return placement
  }

  /// The share of a place of the new text that came from some place of the old one, 0 … 1.
  func claimedShare(of place: Range<Int>) -> Double {
    let tokens = map.new.touched(by: place.clamped(to: newPart))
    guard newPart.overlaps(place), !tokens.isEmpty else { return 1 }
    return Double(tokens.count { map.isClaimed[$0] }) / Double(tokens.count)
  }
}
