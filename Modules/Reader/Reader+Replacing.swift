import Editing
package import Model
import Rendering

extension Reader {
  /// The user's answer for a match to be replaced.
  package enum Answer: Hashable, Sendable {
    case yes
    /// Skip this match.
    case no
    /// Replace this match and all after it.
    case all
    /// Skip this match and all after it.
    case quit
  }

  /// Selects a passage and asks a question about it. The answer is an ``Effect/answer(_:)``.
  package mutating func ask(_ question: String, about range: TextRange) {
    selection = Selection(range, in: units)
    isExtending = false
    reveal(range.lowerBound)
    message = ""
    mode = .question(question)
  }

  /// Ends the questions.
  package mutating func stopAsking() {
    if case .question = mode { mode = .reading }
  }

  mutating func answer(_ key: InputEvent.Key, _ modifiers: InputEvent.Modifiers) -> [Effect] {
    switch (key, modifiers.contains(.control)) {
    case (.character("y"), false): return [.answer(.yes)]
    case (.character("n"), false): return [.answer(.no)]
    case (.character("a"), false): return [.answer(.all)]
    case (.character("q"), false), (.escape, _), (.character("c"), true): return [.answer(.quit)]
    case (.character("z"), true): return [.suspend]
    case (.character("l"), true): return [.redraw]
    default: return []
    }
  }

  /// The current query; empty if there is none.
  package var searchText: String { found.query }

  /// The matches found so far, and the position of the current match or, if there is none, of the
  /// caret.
  package var matches: (all: [TextRange], place: TextOffset) {
    (
      found.matches,
      found.current.map { found.matches[$0].lowerBound } ?? selection.range.lowerBound
    )
  }
}
