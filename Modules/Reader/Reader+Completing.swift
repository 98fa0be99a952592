import Rendering

/// A possible word at the cursor of a typed line.
package struct Completion: Hashable, Sendable {
  /// The word as it is typed, with quotation marks where necessary.
  package var text: String
  /// A short description; may be empty.
  package var summary: String

  package init(_ text: String, summary: String = "") { (self.text, self.summary) = (text, summary) }

  /// Whether the word goes on, as the path of a folder does.
  var isPartial: Bool { text.hasSuffix("/") || text.hasSuffix("/'") }
}

/// The completion of words in the lines that the user types.
extension Reader {
  /// A kind of line with words that can be completed.
  package enum CompletedLine: Hashable, Sendable {
    /// A command line.
    case command
    /// Tags, separated by commas.
    case tags
  }

  /// The words among which the user chooses with the Tab key.
  struct Completing {
    /// The line before the word that is completed.
    var before: String
    /// The line after the cursor.
    var after: [Character]
    var words: [Completion]
    /// The index of the chosen word; nil while only their common beginning was inserted.
    var index: Int?
    /// The field as the last completion left it. Other keys change it, which ends the choice.
    var field: LineField
  }

  /// Handles a key in a line that can be completed. Returns nil for lines and keys without
  /// completion.
  mutating func completeLine(
    _ key: InputEvent.Key, _ modifiers: InputEvent.Modifiers, _ prompt: Prompt, _ field: LineField
  ) -> [Effect]? {
    guard key == .tab, let line = prompt.completedLine else { return nil }
    guard var choice = completing, choice.field == field, !choice.words.isEmpty else {
      return [.complete(line, String(field.characters.prefix(field.cursor)))]
    }
    let count = choice.words.count
    let isBack = modifiers.contains(.shift)
    choice.index =
      choice.index.map { ($0 + (isBack ? count - 1 : 1)) % count } ?? (isBack ? count - 1 : 0)
    choice.field = LineField(
      choice.before + choice.words[choice.index ?? 0].text, before: choice.after)
    completing = choice
    mode = .prompt(prompt, choice.field)
    return []
  }

  /// Completes the typed line with one of several words: inserts their common beginning, and shows
  /// them if there is more than one.
  ///
  /// - Parameters:
  ///   - typed: the text before the cursor as the effect had it. If the line has changed since,
  ///     nothing happens.
  ///   - kept: the number of its characters before the word that is completed.
  package mutating func complete(_ typed: String, keeping kept: Int, with words: [Completion]) {
    guard case .prompt(let prompt, let field) = mode, let line = prompt.completedLine,
      String(field.characters.prefix(field.cursor)) == typed
    else { return }
    let before = String(typed.prefix(kept))
    let after = Array(field.characters[field.cursor...])
    var choice = Completing(before: before, after: after, words: words, field: field)
    let start = typed.dropFirst(kept)
    if words.count == 1 {
      let isLast = line == .command && !words[0].isPartial && after.first != " "
      choice.words = []
      choice.field = LineField(before + words[0].text + (isLast ? " " : ""), before: after)
      completing = nil
    } else {
      let common = words.dropFirst().reduce(words.first?.text ?? "") {
        String(zip($0, $1.text).prefix { $0 == $1 }.map(\.0))
      }
      if common.count > start.count {
        choice.field = LineField(before + common, before: after)
      }
      completing = choice
    }
    mode = .prompt(prompt, choice.field)
  }

  /// Draws the words to choose from above the typed line.
  func drawCompletions(of field: LineField, on screen: inout Screen) {
    guard let completing, completing.field == field, rows > 2 else { return }
    let most = max(1, min(rows - 2, rows / 2))
    let words = completing.words
    if words.isEmpty {
      screen.fill(paint: "7", row: rows - 2, from: 0)
      screen.put("nothing completes this", paint: "7", row: rows - 2, column: 1)
      return
    }
    let widest = words.reduce(0) { max($0, displayWidth(of: $1.text)) }
    let hasSummaries = words.count <= most && words.contains { !$0.summary.isEmpty }
    let width = min(widest, columns - 2) + 2
    let perRow = hasSummaries ? 1 : max(1, (columns - 1) / width)
    let count = (words.count + perRow - 1) / perRow
    let shown = min(most, count)
    let first = max(0, min((completing.index ?? 0) / perRow - shown + 1, count - shown))
    for row in 0..<shown {
      let place = rows - 1 - shown + row
      screen.fill(paint: "7", row: place, from: 0)
      for column in 0..<perRow {
        let index = (first + row) * perRow + column
        guard words.indices.contains(index) else { break }
        let paint = index == completing.index ? "1" : "7"
        let start = 1 + column * width
        screen.put(
          Self.shortened(words[index].text, to: columns - 1 - start), paint: paint, row: place,
          column: start)
        let description = start + min(width, columns / 2)
        guard hasSummaries, columns - description >= Self.leastSummary else { continue }
        let end = start + displayWidth(of: words[index].text) + 2
        let summaryStart = max(description, end)
        screen.put(
          Self.shortened(words[index].summary, to: columns - 1 - summaryStart), paint: "7",
          row: place, column: summaryStart)
      }
    }
  }

  /// The minimum number of columns in which the summaries of words are shown.
  private static let leastSummary = 16

  /// The number of the chosen word, to be shown beside the line; empty if none can be chosen.
  func completionCount(of field: LineField) -> String {
    guard let completing, completing.field == field, !completing.words.isEmpty else { return "" }
    let all = "\(completing.words.count)"
    return completing.index.map { " \($0 + 1) of \(all) " } ?? " Tab: \(all) "
  }
}

extension Reader.Prompt {
  /// The kind of words to complete, or nil if the line has none.
  var completedLine: Reader.CompletedLine? {
    switch self {
    case .command: .command
    case .tag: .tags
    case .find, .follow, .note: nil
    }
  }
}
