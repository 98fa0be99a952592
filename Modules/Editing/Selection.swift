import MarkdownParse
package import Model

/// What a person has selected in a document, or the caret where nothing is.
///
/// A selection has a fixed end and a moving one, and a unit by which it grows: after a double click
/// it grows by words, and the first word stays inside. It never divides a grapheme.
package struct Selection: Hashable, Sendable {
  /// What was selected first and stays selected; empty for a caret.
  package private(set) var origin: TextRange
  /// What is selected; empty for a caret.
  package private(set) var range: TextRange
  /// By what it grows.
  package private(set) var unit: TextUnit

  /// A caret, at the nearest border of a grapheme before an offset.
  package init(caretAt offset: TextOffset, in units: TextUnits) {
    let text = units.document.text.utf16
    let place = Graphemes.border(at: min(offset.utf16, text.count), orBefore: text)
    origin = TextRange(utf16: place..<place)
    range = origin
    unit = .character
  }

  /// The unit of a size at an offset; nil where there is none. A word is the one there or the one
  /// that ends there.
  package init?(_ unit: TextUnit, at offset: TextOffset, in units: TextUnits) {
    let found =
      unit == .word ? units.wordOrNeighbour(at: offset) : units.unit(unit, at: offset)
    guard let found else { return nil }
    origin = found
    range = found
    self.unit = unit
  }

  /// A passage; it grows to whole graphemes.
  package init(_ passage: TextRange, in units: TextUnits) {
    let count = units.document.text.count
    let inside = TextRange(utf16: passage.utf16.clamped(to: 0..<count))
    origin = units.whole(.character, around: inside)
    range = origin
    unit = .character
  }

  /// From one place that a person points at to another, in either order: both words, and all that
  /// lies between them.
  package init(from first: TextOffset, to last: TextOffset, by unit: TextUnit, in units: TextUnits)
  {
    self.init(caretAt: first, in: units)
    if let start = Selection(unit, at: first, in: units) { self = start }
    extend(to: last, in: units)
  }

  /// Whether nothing is selected.
  package var isCaret: Bool { range.isEmpty }

  /// The end that moves: the caret.
  package var head: TextOffset {
    range.lowerBound < origin.lowerBound ? range.lowerBound : range.upperBound
  }

  /// Moves the moving end to an offset, by whole units. The origin stays inside.
  package mutating func extend(to offset: TextOffset, in units: TextUnits) {
    let count = units.document.text.count
    let place = min(offset.utf16, count)
    var target = place..<place
    if unit == .character {
      let text = units.document.text.utf16
      let border = Graphemes.border(at: place, orBefore: text)
      target = border..<border
    } else if let found = unit == .word
      ? units.wordOrNeighbour(at: TextOffset(utf16: place))
      : units.unit(unit, at: TextOffset(utf16: place))
    {
      target = found.utf16
    }
    range = TextRange(
      utf16: min(
        origin.utf16.lowerBound, target.lowerBound)..<max(
          origin.utf16.upperBound, target.upperBound))
  }

  /// Moves the moving end by some units; negative goes back. What it crosses of the origin is taken
  /// off, so that a selection can be made smaller as it was made larger.
  package mutating func extend(by count: Int, _ unit: TextUnit, in units: TextUnits) {
    let isBackward = range.lowerBound < origin.lowerBound || isCaret && count < 0
    adjust(isBackward ? .start : .end, by: count, unit, in: units)
  }

  /// Moves one end by some units; negative goes back. The ends never cross: at most the selection
  /// becomes a caret.
  package mutating func adjust(
    _ edge: TextUnits.Edge, by count: Int, _ unit: TextUnit, in units: TextUnits
  ) {
    let from = edge == .start ? range.lowerBound : range.upperBound
    let moved = units.border(edge, of: unit, from: from, by: count)
    switch edge {
    case .start: range = TextRange(min(moved, range.upperBound), range.upperBound)
    case .end: range = TextRange(range.lowerBound, max(moved, range.lowerBound))
    }
    origin = TextRange(utf16: origin.utf16.clamped(to: range.utf16))
  }

  /// The next larger unit around the selection that is larger than it; nil when all is selected.
  public func grown(in units: TextUnits) -> Selection? {
    for unit in TextUnit.allCases {
      let around: TextRange?
      if isCaret {
        around = Selection(unit, at: range.lowerBound, in: units)?.range
      } else {
        around = units.whole(unit, around: range)
      }
      guard let around, around != range, around.count > range.count else { continue }
      var grown = self
      (grown.origin, grown.range, grown.unit) = (around, around, unit)
      return grown
    }
    return nil
  }

  /// The selection after its text changed: where `map` says that its ends went. Nil when nothing of
  /// it is left, or when it does not fit into the new text.
  package func remapped(in units: TextUnits, by map: (TextRange) -> TextRange?) -> Selection? {
    let count = units.document.text.count
    if isCaret {
      guard range.utf16.lowerBound <= count else { return nil }
      return Selection(caretAt: range.lowerBound, in: units)
    }
    guard let moved = map(range), !moved.isEmpty, moved.utf16.upperBound <= count else {
      return nil
    }
    var selection = Selection(moved, in: units)
    selection.unit = unit
    return selection
  }
}
