/// The position of a highlight in one version of the rendered text, with the confidence in it.
///
/// Anchors are a local cache. They are never synchronized.
///
/// ```swift
/// let anchor = Anchor(
///   range: TextRange(utf16: 120..<164), state: .moved, score: 0.97, runnerUp: 0.12,
///   method: "quote")
/// anchor.margin  // 0.85
/// anchor.isSure  // true
/// ```
public struct Anchor: Hashable, Sendable {
  /// The highlight's range in the text; nil if and only if the state is `orphaned`.
  public var range: TextRange?
  /// How the text at `range` compares with the text that was highlighted.
  public var state: AnchorState
  /// The confidence in `range`, 0 … 1.
  public var score: Double
  /// The confidence in the second-best candidate, 0 … 1; 0 if there was no other candidate.
  public var runnerUp: Double
  /// The id of the strategy that found the range; `none` for an orphan.
  package var method: String
  /// The start of the range in the Markdown source; nil if it was not looked up.
  package var line: LinePosition?

  /// Creates an anchor. `range` must be nil if and only if `state` is `orphaned`.
  package init(
    range: TextRange?, state: AnchorState, score: Double, runnerUp: Double = 0, method: String
  ) {
    precondition((range == nil) == (state == .orphaned), "only an orphan has no range")
    self.range = range
    self.state = state
    self.score = score
    self.runnerUp = runnerUp
    self.method = method
  }

  /// The difference between the scores of the best and the second-best candidate, 0 … 1.
  package var margin: Double { max(0, score - runnerUp) }

  /// Whether the highlight has a range that needs no review.
  package var isSure: Bool { range != nil && state != .doubtful }

  /// The anchor of a highlight whose text was not found in the document.
  package static let orphan = Anchor(range: nil, state: .orphaned, score: 0, method: "none")
}

/// A line and column in a source file, numbered as editors number them.
package struct LinePosition: Hashable, Comparable, Sendable {
  /// The line number, from 1.
  package var line: Int
  /// The column number, from 1, in UTF-16 units.
  package var column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// Orders by line, then by column.
  package static func < (a: LinePosition, b: LinePosition) -> Bool {
    (a.line, a.column) < (b.line, b.column)
  }
}

/// How a highlight's text in the current document compares with the text that was highlighted.
public enum AnchorState: String, Hashable, Sendable, Codable, CaseIterable {
  /// The same text between the same neighbours. Edits elsewhere may have shifted its offsets.
  case exact
  /// The same text, but at another place among its neighbours.
  case moved
  /// Part of the text was changed.
  case edited
  /// The score or its margin is too small to rely on, so the user should review the range.
  case doubtful
  /// The text was not found. The highlight is kept and listed with its quote, but it is never drawn
  /// at a guessed range.
  case orphaned
}
