/// Lines that were typed, which the arrows bring back.
struct LineHistory {
  private var lines: [String]
  /// Which line is shown; as many as there are for the one that is being typed.
  private var index: Int
  /// What was being typed when the arrows began.
  private var draft = ""

  /// - Parameter lines: the oldest first.
  init(_ lines: [String]) {
    self.lines = lines
    index = lines.count
  }

  /// Adds a line and starts over; false for one that is blank or the same as the last.
  mutating func add(_ line: String) -> Bool {
    let isNew = !line.allSatisfy(\.isWhitespace) && lines.last != line
    if isNew { lines.append(line) }
    begin()
    return isNew
  }

  /// Whoever types now begins at the end.
  mutating func begin() {
    index = lines.count
    draft = ""
  }

  /// The line before or after the one that is shown; nil when there is none.
  mutating func step(_ direction: Int, from shown: String) -> String? {
    let next = index + direction
    guard (0...lines.count).contains(next) else { return nil }
    if index == lines.count { draft = shown }
    index = next
    return index == lines.count ? draft : lines[index]
  }
}
