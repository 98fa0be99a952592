import Editing
import MarkdownParse
import Model

/// What is looked for, and where it stands. A long text is looked through in slices: first from the
/// screen on, then what stands before it.
struct FindState {
  private(set) var query = ""
  /// Those that were found so far: sorted, without overlaps.
  private(set) var matches: [TextRange] = []
  /// Which match is the current one.
  var current: Int?
  /// Where the search began, in units of the text.
  private var start = 0
  /// Where the search goes on.
  private var place = 0
  /// How many matches stand before `start`.
  private var before = 0
  private(set) var stage = Stage.finished

  /// How far a search has come.
  enum Stage { case toEnd, fromStart, finished }

  /// The units that are looked through at once.
  private var slice = Self.usualSlice
  /// A few milliseconds with the slowest searches.
  private static let usualSlice = 1 << 17
  /// The units behind a slice that may decide about a match which begins in it, beside those of the
  /// query.
  private static let context = 256
  /// The most units of one letter of a query in a text: a letter with what is written on it.
  private static let unitsOfLetter = 8

  /// Looks for nothing.
  init() {}

  /// Begins to look for something, from a place on.
  init(_ query: String, from start: Int, slice: Int = Self.usualSlice) {
    (self.query, self.start, place, self.slice) = (query, start, start, slice)
    stage = query.isEmpty ? .finished : .toEnd
  }

  /// Looks through one more slice. O(slice).
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
      // What was found is not checked again.
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
    // One that reaches over the place where the search began may have been found from there too.
    let first = before < matches.count ? matches[before].utf16.lowerBound : .max
    let new = found.filter { $0.utf16.upperBound <= first }
    matches.insert(contentsOf: new, at: before)
    if let current, current >= before { self.current = current + new.count }
    before += new.count
  }

  /// The last border of words before a place, so that no letter is divided; at least halfway there.
  private static func cut(_ text: [UInt16], near end: Int, after start: Int, _ limit: Int) -> Int {
    guard end < limit else { return limit }
    let earliest = start + (end - start) / 2
    return text[earliest..<end].lastIndex { $0 == 10 || $0 == 32 }.map { $0 + 1 } ?? end
  }

  /// The first match that begins at or after an offset. O(log matches).
  func index(from offset: Int) -> Int {
    var low = 0
    var high = matches.count
    while low < high {
      let middle = (low + high) / 2
      if matches[middle].utf16.lowerBound < offset { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The match that a unit lies in; nil for none.
  func match(at offset: Int) -> Int? {
    let index = index(from: offset + 1) - 1
    return index >= 0 && matches[index].utf16.contains(offset) ? index : nil
  }
}

extension Reader {
  /// How many slices are looked through before the screen is drawn.
  private static let slicesAtOnce = 2

  /// Whether there is more of the text to look through; `tick` does so by and by.
  package var isFinding: Bool { found.stage != .finished }

  /// Looks for something; nothing is selected and nothing moves.
  mutating func find(_ query: String) {
    found = FindState(query, from: min(topOffset.utf16, text.document.text.count))
    awaited = nil
    for _ in 0..<Self.slicesAtOnce { findMore() }
  }

  /// Makes the first match after a place the current one, and shows it.
  mutating func findFirst(_ query: String, from place: TextOffset) {
    found = FindState(query, from: min(place.utf16, text.document.text.count))
    awaited = place
    for _ in 0..<Self.slicesAtOnce { findMore() }
    if found.current == nil { reveal(place) }
  }

  /// Looks through one more slice of the text.
  mutating func findMore() {
    guard isFinding else { return }
    found.advance(in: text.document.text.utf16, search)
    guard awaited != nil, found.current == nil, !found.matches.isEmpty else { return }
    // The search began at the place, so that the first that it finds is the one that is wanted.
    awaited = nil
    found.current = 0
    reveal(found.matches[0].lowerBound)
  }

  /// Looks through all that is left, for those who cannot wait.
  mutating func findRest() { while isFinding { findMore() } }

  /// Forgets what was looked for in vain, and says so.
  mutating func giveUp(on query: String) {
    found = FindState()
    if !query.isEmpty { message = "'\(query)' is not in the text" }
  }

  /// Goes to the next match, or the one before; at the end it begins again, and says so.
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

  /// `3 of 41`; a plus sign says that there may be more.
  var findCount: String {
    if found.query.isEmpty { return "" }
    if isFinding { return "\(found.matches.count)+ matches" }
    if found.matches.isEmpty { return "no match" }
    return found.current.map { "\($0 + 1) of \(found.matches.count)" }
      ?? found.matches.count.counted("match")
  }
}
