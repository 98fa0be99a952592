import Model
import Rendering

/// The lines of a page near a passage: at most ``margin`` lines before and after it, and at most
/// ``longest`` of the passage itself. A document in a single line would otherwise fill the screen.
struct LineWindow {
  /// The maximum number of lines before and after the passage.
  static let margin = 12
  /// The maximum number of lines after the passage that are not text, such as the addresses of
  /// links.
  static let notes = 24
  /// The maximum number of lines of the passage.
  static let longest = 60

  private let passage: TextRange
  private let take: (Line?) -> Void
  /// The last lines before the passage.
  private var before: [Line] = []
  /// The last rule of a table after the passage. It is passed on with the row below it.
  private var rule: Line?
  /// The number of lines before, in and after the passage.
  private var counts = (before: 0, inside: 0, after: 0, notes: 0)

  /// - Parameter take: receives the lines in order, and nil for omitted lines.
  init(around passage: TextRange, _ take: @escaping (Line?) -> Void) {
    (self.passage, self.take) = (passage, take)
  }

  /// Adds the next line of the page.
  mutating func add(_ line: Line) {
    if line.spans.contains(where: { $0.range.map(touches) == true }) {
      if counts.inside == 0 { flush() }
      counts.inside += 1
      if let rule, counts.inside <= Self.longest { take(rule) }
      rule = nil
      if counts.inside <= Self.longest { take(line) }
      if counts.inside == Self.longest + 1 { take(nil) }
    } else if counts.inside > 0, line.isTableRule {
      rule = line
    } else if counts.inside > 0 {
      let isText = line.spans.contains { $0.range != nil }
      if isText { counts.after += 1 } else { counts.notes += 1 }
      let (count, most) = isText ? (counts.after, Self.margin) : (counts.notes, Self.notes)
      if count <= most {
        if let rule { take(rule) }
        take(line)
      }
      rule = nil
      if count == most + 1 { take(nil) }
    } else {
      counts.before += 1
      if before.count == Self.margin { before.removeFirst() }
      before.append(line)
    }
  }

  /// Ends the page. If no line contained a part of the passage, passes on the last lines of the
  /// page.
  mutating func finish() {
    if counts.inside == 0 { flush() }
    // A table can consist of its head alone.
    if let rule, counts.after <= Self.margin { take(rule) }
  }

  private mutating func flush() {
    if counts.before > before.count {
      take(nil)
      // The row above the rule is omitted.
      if before.first?.isTableRule == true { before.removeFirst() }
    }
    for line in before { take(line) }
    before = []
  }

  private func touches(_ range: TextRange) -> Bool {
    let (line, part) = (range.utf16, passage.utf16)
    return line.overlaps(part) || part.isEmpty && line.contains(part.lowerBound)
  }
}
