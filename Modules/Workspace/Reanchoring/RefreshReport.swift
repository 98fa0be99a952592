import Files
package import Model
package import SystemSupport
import Watching

/// What a look at a document's file showed, and what became of its highlights.
package struct RefreshReport: Hashable, Sendable {
  /// The document as it is now.
  package var document: Document
  /// What happened to the file.
  package var change: Change
  /// What became of each highlight, in the order of their places before; empty unless the text
  /// changed.
  package var outcomes: [Outcome]

  /// Where the file stood before, when it was found at another place.
  package var movedFrom: DocumentPath?

  /// What happened to a file since it was last looked at.
  package enum Change: String, Hashable, Sendable, Codable {
    /// Nothing that matters to the reader.
    case unchanged
    /// Its text is another.
    case changed
    /// It is not there any more.
    case missing
    /// It was missing and is there again.
    case returned
    /// It is there but cannot be read; everything is as before.
    case unreadable
  }

  /// What became of one highlight.
  package struct Outcome: Hashable, Sendable {
    /// Which one.
    package var highlight: Highlight.ID
    /// The words that were marked.
    package var quote: String
    /// Where it stood.
    package var before: Anchor
    /// Where it stands.
    package var after: Anchor

    /// Whether it is where it was relative to its neighbours but at another offset.
    package var isShifted: Bool { after.state == .exact && after.range != before.range }
  }

  /// Why the file cannot be read, when it cannot.
  package var problem: UserError?

  /// How many highlights ended in a state.
  package func count(_ state: AnchorState) -> Int { outcomes.count { $0.after.state == state } }

  /// One line for a person, or nil when there is nothing to say.
  package var summary: String? {
    let name = document.path.string
    switch change {
    case .unchanged: return movedFrom.map { "\($0.string) is \(name) now" }
    case .missing: return "\(name) is missing; its highlights are kept"
    case .unreadable: return problem.map { "\(name) not refreshed: \($0)" }
    case .changed, .returned:
      let news =
        movedFrom.map { "\($0.string) is \(name) now" }
        ?? (change == .changed ? "\(name) changed" : "\(name) is back")
      guard !outcomes.isEmpty else { return "\(news); no highlights" }
      let shifted = outcomes.count(where: \.isShifted)
      var parts: [String] = []
      for (state, word) in Self.words where count(state) > 0 {
        let detail = state == .exact && shifted > 0 ? " (\(shifted) shifted)" : ""
        parts.append("\(count(state)) \(word)\(detail)")
      }
      return "\(news): " + parts.joined(separator: ", ")
    }
  }

  private static let words: [(AnchorState, String)] = [
    (.exact, "kept"), (.moved, "moved"), (.edited, "edited"), (.doubtful, "doubtful"),
    (.orphaned, "orphaned"),
  ]
}
