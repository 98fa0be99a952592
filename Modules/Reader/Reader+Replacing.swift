import Editing
package import Model
import Rendering

extension Reader {
  /// What becomes of a match that was asked about.
  package enum Answer: Hashable, Sendable {
    /// Replace it.
    case yes
    /// Leave it as it is.
    case no
    /// Replace it and all after it.
    case all
    /// Leave it and all after it.
    case quit
  }

  /// Shows a passage and asks what becomes of it, until a key answers.
  package mutating func ask(_ question: String, about range: TextRange) {
    selection = Selection(range, in: units)
    isExtending = false
    reveal(range.lowerBound)
    message = ""
    mode = .question(question)
  }

  /// Asks no more.
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

  /// What is looked for; empty for nothing.
  package var searchText: String { found.query }

  /// The matches that were found so far, and the one at hand, or else the first behind the caret.
  package var matches: (all: [TextRange], place: TextOffset) {
    (
      found.matches,
      found.current.map { found.matches[$0].lowerBound } ?? selection.range.lowerBound
    )
  }
}
