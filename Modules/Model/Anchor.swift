/// Where a highlight stands in one text, and how sure that is. A local cache, never synced.
public struct Anchor: Hashable, Sendable {
  /// The place; nil exactly when the state is `orphaned`.
  public var range: TextRange?
  /// How the place relates to the words that were marked.
  public var state: AnchorState
  /// The confidence in the place, 0 … 1.
  public var score: Double
  /// The confidence in the second-best place, 0 … 1; 0 when there was none.
  public var runnerUp: Double
  /// The id of the strategy that found the place, or `none` for an orphan.
  package var method: String
  /// Where the place begins in the Markdown source; nil while nobody has looked.
  package var line: LinePosition?

  /// Makes an anchor of its parts.
  package init(
    range: TextRange?, state: AnchorState, score: Double, runnerUp: Double = 0, method: String
  ) {
    precondition((range == nil) == (state == .orphaned), "an orphan, and only one, has no place")
    self.range = range
    self.state = state
    self.score = score
    self.runnerUp = runnerUp
    self.method = method
  }

  /// How much surer the place is than the second-best, 0 … 1.
  package var margin: Double { max(0, score - runnerUp) }

  /// Whether there is a place, and no doubt about it.
  package var isSure: Bool { range != nil && state != .doubtful }

  /// The highlight's words are nowhere to be found.
  package static let orphan = Anchor(range: nil, state: .orphaned, score: 0, method: "none")
}

/// A place in a source file as editors count it.
package struct LinePosition: Hashable, Comparable, Sendable {
  /// The line, from 1.
  package var line: Int
  /// The column, from 1, in UTF-16 units.
  package var column: Int

  /// Makes a position of its parts.
  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// Orders by line, then by column.
  package static func < (a: LinePosition, b: LinePosition) -> Bool {
    (a.line, a.column) < (b.line, b.column)
  }
}

/// How the place that was found relates to the words that were marked.
public enum AnchorState: String, Hashable, Sendable, Codable, CaseIterable {
  /// The same words among the same neighbours; edits elsewhere may have shifted them.
  case exact
  /// The same words, but they stand elsewhere in the document than they did.
  case moved
  /// A part of the words changed.
  case edited
  /// The score or its margin is too small to be relied upon: a person should look.
  case doubtful
  /// Found nowhere: kept, listed with its quote, never drawn at a guess.
  case orphaned
}
