import Editing
import MarkdownParse
package import Model

/// The state of a search: the query and its matches so far. A long text is searched in slices,
/// first from the screen to the end, then from the start to the screen.
struct FindState {
  private(set) var query = ""
  /// The matches found so far, sorted and without overlaps.
  private(set) var matches: [TextRange] = []
  /// The index of the current match, or nil.
  var current: Int?
  /// The offset where the search began, in UTF-16 units.
  private var start = 0
  /// The offset where the next slice begins.
  private var place = 0
  /// The number of matches before `start`.
  private var before = 0
  private(set) var stage = Stage.finished

  /// The part of the text that is being searched.
  enum Stage { case toEnd, fromStart, finished }

  /// The size of a slice in UTF-16 units.
  private var slice = Self.usualSlice
  /// The usual size of a slice. Searching it takes a few milliseconds with the slowest strategies.
  private static let usualSlice = 1 << 17
  /// The number of units to include after a slice, in addition to those for the query, so that a
  /// match that begins in the slice is found.
  private static let context = 256
  /// The maximum number of units in the text for one letter of the query: a letter with combining
  /// marks.
  private static let unitsOfLetter = 8

  /// Finds the matches in a changed text. Nil if `query` is a literal text, which the reader
  /// searches for itself.
  private(set) var again: (([UInt16]) -> [TextRange])?

  init() {}

  /// Creates a finished search with its matches, which must be sorted and disjoint.
  init(_ query: String, matches: [TextRange], again: @escaping ([UInt16]) -> [TextRange]) {
    (self.query, self.matches, self.again) = (query, matches, again)
  }

  /// Creates a search for a query, beginning at `start`. Finished at once if the query is empty.
  init(_ query: String, from start: Int, slice: Int = Self.usualSlice) {
    (self.query, self.start, place, self.slice) = (query, start, start, slice)
    stage = query.isEmpty ? .finished : .toEnd
  }

  /// Searches the next slice. O(slice).
  mutating func advance(in text: [UInt16], _ search: (String, [UInt16]) -> [TextRange]) {
    let limit = stage == .toEnd ? text.count : start
    if stage != .finished, place < limit {
      let end = Self.cut(text, near: min(limit, place + slice), after: place, limit)
      let reach = Self.context + query.utf16.count * Self.unitsOfLetter
      let piece = Array(text[place..<min(text.count, end + reach)])
      let offset = place
      let found = search(query, piece).lazy
        .map { TextRange(utf16: $0.utf16.lowerBound + offset..<$0.utf16.upperBound + offset) }
        .filter { $0.utf16.lowerBound < end }
      take(Array(found))
      // Continue after the last match, so that it isn't found twice.
      place = max(end, found.last?.utf16.upperBound ?? end)
    }
    guard place >= limit else { return }
    if stage == .toEnd, start > 0 {
      (stage, place) = (.fromStart, 0)
    } else {
      stage = .finished
    }
  }

  private mutating func take(_ found: [TextRange]) {
    if stage == .toEnd {
      matches += found
      return
    }
    // A match across the start of the search may overlap the first match after it.
    let first = before < matches.count ? matches[before].utf16.lowerBound : .max
    let new = found.filter { $0.utf16.upperBound <= first }
    matches.insert(contentsOf: new, at: before)
    if let current, current >= before { self.current = current + new.count }
    before += new.count
  }

  /// Returns the last word boundary before `end`, so that no letter is divided, or `end` if the
  /// second half of the slice has none.
  private static func cut(_ text: [UInt16], near end: Int, after start: Int, _ limit: Int) -> Int {
    guard end < limit else { return limit }
    let earliest = start + (end - start) / 2
    return text[earliest..<end].lastIndex { $0 == 10 || $0 == 32 }.map { $0 + 1 }
      ?? max(start + 1, Graphemes.border(at: end, orBefore: text))
  }

  /// Returns the index of the first match that begins at or after an offset. O(log matches).
  func index(from offset: Int) -> Int {
    var low = 0
    var high = matches.count
    while low < high {
      let middle = (low + high) / 2
      if matches[middle].utf16.lowerBound < offset { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns the index of the match that contains a unit, or nil.
  func match(at offset: Int) -> Int? {
    let index = index(from: offset + 1) - 1
    return index >= 0 && matches[index].utf16.contains(offset) ? index : nil
  }
}

extension Reader {
  /// The number of slices to search before the screen is drawn.
  private static let slicesAtOnce = 2

  /// Whether a search is shown, until the Escape key ends it.
  var isShowingMatches: Bool { !found.query.isEmpty }

  /// Whether part of the text is still unsearched. Each `tick` searches a slice.
  package var isFinding: Bool { found.stage != .finished }

  /// Starts a search without changing the selection or the position.
  mutating func find(_ query: String) {
    found = FindState(query, from: min(topOffset.utf16, text.document.text.count))
    findStart = nil
    for _ in 0..<Self.slicesAtOnce { findMore() }
  }

  /// Starts a search and moves to the first match after an offset once it is found.
  mutating func findFirst(_ query: String, from place: TextOffset) {
    found = FindState(query, from: min(place.utf16, text.document.text.count))
    findStart = place
    for _ in 0..<Self.slicesAtOnce { findMore() }
    if found.current == nil { reveal(place) }
  }

  /// Shows the matches of a search with options, and selects the first match at the caret or after
  /// it.
  ///
  /// - Parameters:
  ///   - query: the text of the query, for messages.
  ///   - matches: the matches in the text, sorted and disjoint.
  ///   - again: finds the matches in a changed text.
  package mutating func show(
    matches: [TextRange], of query: String, again: @escaping ([UInt16]) -> [TextRange]
  ) {
    found = FindState(query, matches: matches, again: again)
    findStart = nil
    guard !matches.isEmpty else { return giveUp(on: query) }
    let index = found.index(from: selection.range.lowerBound.utf16)
    found.current = index < matches.count ? index : 0
    select(Selection(matches[found.current!], in: units))
    found.current = index < matches.count ? index : 0
  }

  /// Ends the search and shows no matches.
  package mutating func stopFinding() { found = FindState() }

  /// Whether the matches are those of a search with options.
  package var showsMatches: Bool { found.again != nil }

  /// Searches again after the text changed.
  mutating func findAgain() {
    guard let again = found.again else { return find(found.query) }
    findStart = nil
    found = FindState(
      found.query, matches: again(text.document.text.utf16), again: again)
  }

  /// Searches the next slice of the text.
  mutating func findMore() {
    guard isFinding else { return }
    found.advance(in: text.document.text.utf16, search)
    guard findStart != nil, found.current == nil, !found.matches.isEmpty else { return }
    // The search began at the requested offset, so the first match is the requested one.
    findStart = nil
    found.current = 0
    land(on: found.matches[0].lowerBound)
  }

  /// Searches the rest of the text at once, for keys that need all matches.
  mutating func findRest() { while isFinding { findMore() } }

  /// Ends a search without matches and shows a message.
  mutating func giveUp(on query: String) {
    found = FindState()
    if !query.isEmpty { message = "'\(query)' is not in the text" }
  }

  /// Selects the match that is `direction` matches further, or back if negative. Beyond an end of
  /// the text, selects the match nearest to the other end and shows a message.
  mutating func findNext(_ direction: Int) {
    guard !found.query.isEmpty else {
      message = "no search yet; / starts one"
      return
    }
    findRest()
    guard !found.matches.isEmpty else {
      message = "'\(found.query)' is not in the text"
      return
    }
    let count = found.matches.count
    var next: Int
    if let current = found.current {
      next = current + direction
    } else {
      let index = found.index(from: selection.head.utf16)
      next = direction > 0 ? index : index - 1
    }
    if next >= count {
      next = 0
      message = "wrapped to the start"
    } else if next < 0 {
      next = count - 1
      message = "wrapped to the end"
    }
    select(Selection(found.matches[next], in: units))
    found.current = next
  }

  /// The position among the matches, such as `3 of 41`. A plus sign means that the search isn't
  /// finished.
  var findCount: String {
    if found.query.isEmpty { return "" }
    if isFinding { return "\(found.matches.count)+ matches" }
    if found.matches.isEmpty { return "no match" }
    return found.current.map { "\($0 + 1) of \(found.matches.count)" }
      ?? found.matches.count.counted("match")
  }
}
