import MarkdownParse
import Model

/// The highlights at the current position in a text, which is traversed once from start to end.
struct HTMLHighlights {
  /// A highlight, restricted to the text of leaf blocks and extended to whole characters.
  struct Drawn {
    var overlay: Overlay
    var range: Range<Int>
  }

  /// The highlights in the order of their starts.
  private let drawn: [Drawn]
  private let byEnd: [Int]
  private let order: [Int]
  private var (begun, ended) = (0, 0)
  /// The highlights at the current position, the topmost last.
  private(set) var active: [Int] = []

  /// The maximum number of ids at one position. If there are more, only the topmost are written:
  /// readers cannot distinguish more, and the limit keeps the output proportional to the text.
  private static let mostIDs = 24

  /// Collects the highlights of a page.
  ///
  /// - Parameter leaves: the ranges of the leaves in the text, in order.
  init(_ page: Page, _ leaves: [Range<Int>]) {
    let units = page.document.text.utf16
    var found: [(drawn: Drawn, order: Int)] = []
    for (order, overlay) in page.stackedOverlays.enumerated() where overlay.state != .orphaned {
      var range = overlay.range.utf16.clamped(to: units.indices)
      if range.isEmpty { continue }
      if UTF16.isTrailSurrogate(units[range.lowerBound]), range.lowerBound > 0 {
        range = range.lowerBound - 1..<range.upperBound
      }
      if range.upperBound < units.count, UTF16.isTrailSurrogate(units[range.upperBound]) {
        range = range.lowerBound..<range.upperBound + 1
      }
      let first = leaves.partition { $0.upperBound <= range.lowerBound }
      let end = leaves.partition { $0.lowerBound < range.upperBound }
      guard first < end else { continue }
      range =
        Swift.max(
          range.lowerBound, leaves[first].lowerBound)..<Swift.min(
          range.upperBound, leaves[end - 1].upperBound)
      found.append((Drawn(overlay: overlay, range: range), order))
    }
    found.sort { ($0.drawn.range.lowerBound, $0.order) < ($1.drawn.range.lowerBound, $1.order) }
    drawn = found.map(\.drawn)
    order = found.map(\.order)
    byEnd = drawn.indices.sorted { [drawn] in
      (drawn[$0].range.upperBound, $0) < (drawn[$1].range.upperBound, $1)
    }
  }

  subscript(index: Int) -> Drawn { drawn[index] }

  /// Returns the next position after `place` at which a highlight begins or ends; `end` if no
  /// highlight does so before `end`.
  func border(after place: Int, before end: Int) -> Int {
    var border = end
    if begun < drawn.count { border = Swift.min(border, drawn[begun].range.lowerBound) }
    if ended < byEnd.count { border = Swift.min(border, drawn[byEnd[ended]].range.upperBound) }
    return Swift.max(border, place)
  }

  /// Returns the index of a highlight among the active ones, or the index at which to insert it.
  /// O(log n).
  private func position(of index: Int) -> Int {
    var low = 0
    var high = active.count
    while low < high {
      let middle = (low + high) / 2
      if order[active[middle]] < order[index] { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Advances to a position. Returns the highlights that have begun since the last position.
  mutating func begin(at place: Int) -> [Int] {
    var new: [Int] = []
    while begun < drawn.count, drawn[begun].range.lowerBound <= place {
      active.insert(begun, at: position(of: begun))
      new.append(begun)
      begun += 1
    }
    return new
  }

  /// Returns the highlights that end at or before a position, and removes them.
  mutating func end(at place: Int) -> [Int] {
    var old: [Int] = []
    while ended < byEnd.count, drawn[byEnd[ended]].range.upperBound <= place {
      let position = position(of: byEnd[ended])
      if position < active.count, active[position] == byEnd[ended] { active.remove(at: position) }
      old.append(byEnd[ended])
      ended += 1
    }
    return old
  }

  /// The topmost highlights at the current position, the topmost last.
  var shown: ArraySlice<Int> { active.suffix(Self.mostIDs) }
}
