package import Model

/// Conflicts between the places of a document's highlights.
extension Anchorer {
  /// A highlight with its place in the new text, and its place in the text it was compared with.
  package struct Placed {
    /// The place in the new text. `doubtingClaimed` may lower its score.
    package var anchor: Anchor
    /// The text in which the highlight was last located; nil if it isn't known.
    package var lastText: ContentDigest?
    /// The range in that text; nil if it isn't known.
    package var last: TextRange?
    /// Whether the place was already stored for exactly the new text.
    package var isKnown: Bool

    package init(anchor: Anchor, lastText: ContentDigest?, last: TextRange?, isKnown: Bool) {
      (self.anchor, self.lastText, self.last, self.isKnown) = (anchor, lastText, last, isKnown)
    }

    /// Whether this highlight and another one were at overlapping places of the same text. Both may
    /// then be at the same place now.
    fileprivate func wasBeside(_ other: Placed) -> Bool {
      guard let text = lastText, text == other.lastText, let last, let range = other.last else {
        return false
      }
      return last.overlaps(range)
    }
  }

  /// Makes an edited place doubtful if it is exactly the certain, verbatim place of another
  /// highlight.
  ///
  /// Each group of highlights is compared with its own last text. A deleted passage may therefore
  /// seem to have become its neighbour, although the neighbour's own highlight, in another group,
  /// is there unchanged.
  ///
  /// Highlights that already were at the same place are not affected. Two highlights that are both
  /// verbatim may be at the same place. O(highlights) expected.
  package static func doubtingClaimed(_ highlights: [Placed], in text: AnchorText) -> [Placed] {
    let places = highlights.map { $0.anchor.range.map { words(of: $0, in: text) } }
    var owners: [TextRange: [Int]] = [:]
    for (index, placed) in highlights.enumerated() {
      guard let place = places[index], [.exact, .moved].contains(placed.anchor.state),
        placed.anchor.score >= sureScore, owners[place, default: []].count < mostOwners
      else { continue }
      owners[place, default: []].append(index)
    }
    guard !owners.isEmpty else { return highlights }
    var result = highlights
    for (index, placed) in highlights.enumerated() where placed.anchor.state == .edited {
      guard let place = places[index], let owners = owners[place] else { continue }
      let isClaimed = owners.contains { owner in
        !placed.wasBeside(highlights[owner])
          && !(placed.isKnown && highlights[owner].isKnown)
      }
      guard isClaimed else { continue }
      result[index].anchor.state = .doubtful
      result[index].anchor.score = min(placed.anchor.score, scoreOfClaimed)
      result[index].anchor.runnerUp = max(
        placed.anchor.runnerUp, 1 - result[index].anchor.score)
    }
    return result
  }

  /// The maximum confidence in a place that is also the place of another highlight.
  private static let scoreOfClaimed = 0.79
  /// The maximum number of highlights at one place that are compared.
  private static let mostOwners = 8

  /// Returns the part of a range from its first to its last letter or digit; the whole range if it
  /// has neither. Two highlights have the same passage if only the punctuation at their ends
  /// differs.
  private static func words(of range: TextRange, in text: AnchorText) -> TextRange {
    func isSign(_ unit: UInt16) -> Bool {
      unit < 0x80
        && !((48...57).contains(unit) || (65...90).contains(unit) || (97...122).contains(unit))
    }
    let units = text.units[range.utf16.clamped(to: text.units.indices)]
    guard let first = units.firstIndex(where: { !isSign($0) }),
      let last = units.lastIndex(where: { !isSign($0) })
    else { return range }
    return TextRange(utf16: first..<last + 1)
  }
}
