/// The change of a file in the format that `diff -u` prints and `patch` reads.
///
/// The patch contains the changed ranges, so only the lines that they touch are compared.
///
/// ```swift
/// let diff = UnifiedDiff(patch, of: bytes)
/// print(diff.text(name: "essay.md"), terminator: "")
/// ```
package struct UnifiedDiff: Sendable {
  /// The number of unchanged lines before and after a change.
  package static let context = 3

  private let old: [UInt8]
  private let new: [UInt8]
  private var hunks: [Hunk] = []
  private let oldStarts: [Int]
  private let newStarts: [Int]

  /// The lines, from 0, that a change replaces and inserts.
  private struct Change {
    var old: Range<Int>
    var new: Range<Int>
  }

  private struct Hunk {
    var changes: [Change]
  }

  /// Compares bytes with the result of a patch, which must fit them. O(bytes).
  package init(_ patch: SourcePatch, of bytes: [UInt8]) {
    old = bytes
    new = patch.applied(to: bytes)
    oldStarts = Self.lineStarts(old)
    newStarts = Self.lineStarts(new)
    // Edits may cancel each other.
    if old == new { return }
    for change in changes(patch) {
      if let last = hunks.last?.changes.last,
        change.old.lowerBound - last.old.upperBound <= 2 * Self.context
      {
        hunks[hunks.count - 1].changes.append(change)
      } else {
        hunks.append(Hunk(changes: [change]))
      }
    }
  }

  /// Whether no line differs.
  package var isEmpty: Bool { hunks.isEmpty }

  /// Returns the start of each line, and the end of the bytes as the last entry. Lines end with a
  /// line feed.
  private static func lineStarts(_ bytes: [UInt8]) -> [Int] {
    var starts = [0]
    for index in bytes.indices where bytes[index] == 10 { starts.append(index + 1) }
    if starts[starts.count - 1] != bytes.count { starts.append(bytes.count) }
    return starts
  }

  /// Returns the line that contains a byte. For the end after a line feed, returns the number of
  /// lines.
  private static func line(of byte: Int, _ starts: [Int]) -> Int {
    var low = 0
    var high = starts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= byte { low = middle } else { high = middle }
    }
    return low
  }

  /// Returns the lines that each hunk touches. Changes on the same lines are joined, and equal
  /// lines at either end are removed.
  private func changes(_ patch: SourcePatch) -> [Change] {
    var result: [Change] = []
    var shift = 0
    for piece in patch.hunks {
      let before = piece.range
      let after =
        before.lowerBound + shift..<before.upperBound + shift + piece.new.count
        - piece.old.count
      shift += piece.new.count - piece.old.count
      let lines = Change(
        old: Self.lines(before, old, oldStarts), new: Self.lines(after, new, newStarts))
      if let last = result.last, lines.old.lowerBound <= last.old.upperBound {
        result[result.count - 1].old =
          last.old
          .lowerBound..<max(
            last.old.upperBound, lines.old.upperBound)
        result[result.count - 1].new =
          last.new
          .lowerBound..<max(
            last.new.upperBound, lines.new.upperBound)
      } else {
        result.append(lines)
      }
    }
    return result.compactMap(trimmed)
  }

  /// Returns the lines that contain a range of bytes, including the line of the byte after the
  /// range: its beginning may have changed.
  private static func lines(_ range: Range<Int>, _ bytes: [UInt8], _ starts: [Int]) -> Range<Int> {
    let count = starts.count - 1
    let isOpen = bytes.last.map { $0 != 10 } ?? false
    let first = line(of: range.lowerBound, starts)
    let end = range.upperBound == bytes.count ? count : line(of: range.upperBound, starts) + 1
    return (isOpen ? min(first, count - 1) : first)..<end
  }

  private func trimmed(_ change: Change) -> Change? {
    var (a, b) = (change.old, change.new)
    while !a.isEmpty, !b.isEmpty,
      oldLine(a.lowerBound).elementsEqual(newLine(b.lowerBound))
    {
      a = a.lowerBound + 1..<a.upperBound
      b = b.lowerBound + 1..<b.upperBound
    }
    while !a.isEmpty, !b.isEmpty,
      oldLine(a.upperBound - 1).elementsEqual(newLine(b.upperBound - 1))
    {
      a = a.lowerBound..<a.upperBound - 1
      b = b.lowerBound..<b.upperBound - 1
    }
    return a.isEmpty && b.isEmpty ? nil : Change(old: a, new: b)
  }

  private func oldLine(_ number: Int) -> ArraySlice<UInt8> {
    old[oldStarts[number]..<oldStarts[number + 1]]
  }

  private func newLine(_ number: Int) -> ArraySlice<UInt8> {
    new[newStarts[number]..<newStarts[number + 1]]
  }

  /// Returns the diff with the file's name in both header lines, or an empty string if no line
  /// differs.
  public func text(name: String) -> String {
    guard !isEmpty else { return "" }
    var result = "--- \(name)\n+++ \(name)\n"
    for hunk in hunks { write(hunk, to: &result) }
    return result
  }

  private func write(_ hunk: Hunk, to result: inout String) {
    guard let first = hunk.changes.first, let last = hunk.changes.last else { return }
    let start = max(0, first.old.lowerBound - Self.context)
    let end = min(oldStarts.count - 1, last.old.upperBound + Self.context)
    let newStart = first.new.lowerBound - (first.old.lowerBound - start)
    let newEnd = last.new.upperBound + (end - last.old.upperBound)
    result += "@@ -\(Self.place(start..<end)) +\(Self.place(newStart..<newEnd)) @@\n"
    var line = start
    for change in hunk.changes {
      for number in line..<change.old.lowerBound { write(" ", oldLine(number), &result) }
      for number in change.old { write("-", oldLine(number), &result) }
      for number in change.new { write("+", newLine(number), &result) }
      line = change.old.upperBound
    }
    for number in line..<end { write(" ", oldLine(number), &result) }
  }

  /// Returns lines in the form of a hunk's header: the first line, from 1, and the number of lines
  /// unless it is 1. For an empty range, the first number is the line before it.
  private static func place(_ lines: Range<Int>) -> String {
    let first = lines.isEmpty ? lines.lowerBound : lines.lowerBound + 1
    return lines.count == 1 ? "\(first)" : "\(first),\(lines.count)"
  }

  private func write(_ mark: String, _ line: ArraySlice<UInt8>, _ result: inout String) {
    result += mark + String(decoding: line, as: UTF8.self)
    if line.last != 10 { result += "\n\\ No newline at end of file\n" }
  }
}
