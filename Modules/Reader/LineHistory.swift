/// The history of typed lines, which the arrow keys browse.
struct LineHistory {
  private var lines: [String]
  /// The index of the shown line; equal to the number of lines while a new line is typed.
  private var index: Int
  /// The new line as it was before browsing.
  private var draft = ""

  /// - Parameter lines: the previous lines, oldest first.
  init(_ lines: [String]) {
    self.lines = lines
    index = lines.count
  }

  /// Appends a line and ends browsing. Returns false if the line is blank or equals the last one.
  mutating func add(_ line: String) -> Bool {
    let isNew = !line.allSatisfy(\.isWhitespace) && lines.last != line
    if isNew { lines.append(line) }
    begin()
    return isNew
  }

  /// Ends browsing.
  mutating func begin() {
    index = lines.count
    draft = ""
  }

  /// Returns the line before or after the shown one, or nil if there is none.
  mutating func step(_ direction: Int, from shown: String) -> String? {
    let next = index + direction
    guard (0...lines.count).contains(next) else { return nil }
    if index == lines.count { draft = shown }
    index = next
    return index == lines.count ? draft : lines[index]
  }
}
