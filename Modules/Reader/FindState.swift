import Editing
import Model

/// What is looked for, and where it stands.
struct FindState {
  var query = ""
  /// Sorted, without overlaps.
  var matches: [TextRange] = []
  /// Which match is the current one.
  var current: Int?

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
  /// Looks for something; nothing is selected and nothing moves.
  mutating func find(_ query: String) {
    found.query = query
    found.matches = query.isEmpty ? [] : search(query, text.document)
    found.current = nil
  }

  /// Makes the first match after a place the current one, and shows it.
  mutating func findFirst(_ query: String, from place: TextOffset) {
    find(query)
    guard !found.matches.isEmpty else {
      reveal(place)
      return
    }
    let index = found.index(from: place.utf16)
    found.current = index % found.matches.count
    reveal(found.matches[found.current!].lowerBound)
  }

  /// Goes to the next match, or the one before; at the end it begins again, and says so.
  mutating func findNext(_ direction: Int) {
    guard !found.query.isEmpty else {
      message = "look for something first: /"
      return
    }
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

  /// `3 of 41`.
  var findCount: String {
    if found.query.isEmpty { return "" }
    if found.matches.isEmpty { return "no match" }
    return found.current.map { "\($0 + 1) of \(found.matches.count)" }
      ?? found.matches.count.counted("match")
  }
}
