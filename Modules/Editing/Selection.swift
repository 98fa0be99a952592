import MarkdownParse
package import Model

/// The selected range of a document, or the caret if nothing is selected.
///
/// A selection has a fixed end and a moving end, and a unit by which it grows. After a double click
/// it grows by words, and always includes the first word. It never divides a grapheme.
///
/// ```swift
/// let units = TextUnits(document)
/// var selection = Selection(from: start, to: start, by: .word, in: units)
/// selection.extend(to: end, in: units)
/// ```
package struct Selection: Hashable, Sendable {
  /// The range that was selected first and stays selected. Empty for a caret.
  package private(set) var origin: TextRange
  /// The selected range. Empty for a caret.
  package private(set) var range: TextRange
  /// The unit by which the selection grows.
  package private(set) var unit: TextUnit

  /// Creates a caret at the last grapheme boundary at or before an offset.
  package init(caretAt offset: TextOffset, in units: TextUnits) {
    let text = units.document.text.utf16
    let place = Graphemes.border(at: min(offset.utf16, text.count), orBefore: text)
    origin = TextRange(utf16: place..<place)
    range = origin
    unit = .character
  }

  /// Creates a selection of the unit at an offset; nil if no unit is there. For words, a word that
  /// ends at the offset counts too.
  package init?(_ unit: TextUnit, at offset: TextOffset, in units: TextUnits) {
    let found =
      unit == .word ? units.wordOrNeighbour(at: offset) : units.unit(unit, at: offset)
    guard let found else { return nil }
    origin = found
    range = found
    self.unit = unit
  }

  /// Creates a selection of a range, widened to whole graphemes and clamped to the text.
  package init(_ passage: TextRange, in units: TextUnits) {
    let count = units.document.text.count
    let inside = TextRange(utf16: passage.utf16.clamped(to: 0..<count))
    origin = units.whole(.character, around: inside)
    range = origin
    unit = .character
  }

  /// Creates a selection between two offsets, in either order. It includes the units at both ends.
  package init(from first: TextOffset, to last: TextOffset, by unit: TextUnit, in units: TextUnits)
  {
    self.init(caretAt: first, in: units)
    if let start = Selection(unit, at: first, in: units) { self = start }
    extend(to: last, in: units)
  }

  /// Whether nothing is selected.
  package var isCaret: Bool { range.isEmpty }

  /// The moving end, where the caret is drawn.
  package var head: TextOffset {
    range.lowerBound < origin.lowerBound ? range.lowerBound : range.upperBound
  }

  /// Moves the moving end to an offset, by whole units. The origin stays selected.
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

  /// Moves the moving end by a number of units, backward if negative. If it moves into the origin,
  /// the origin shrinks. So a selection can be reduced in the same steps in which it was extended.
  package mutating func extend(by count: Int, _ unit: TextUnit, in units: TextUnits) {
    let isBackward = range.lowerBound < origin.lowerBound || isCaret && count < 0
    adjust(isBackward ? .start : .end, by: count, unit, in: units)
  }

  /// Moves one end by a number of units, backward if negative. The ends never cross: the smallest
  /// result is a caret.
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

  /// Returns the selection grown to the next larger unit; nil if everything is selected.
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

  /// Returns the selection after its text has changed. Nil if its range was deleted or isn't within
  /// the new text.
  ///
  /// - Parameter map: returns the new range of an old one; nil if it was deleted.
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
