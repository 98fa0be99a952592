public import Model

/// One highlight whose place is looked for.
public struct AnchorSubject: Sendable {
  /// What was marked.
  public var selector: Selector
  /// Where it stood in the snapshot; nil without one.
  public var last: TextRange?
  /// The place on record for exactly the new text; nil when there is none.
  public var known: Anchor?

  /// Makes a subject of its parts.
  public init(selector: Selector, last: TextRange? = nil, known: Anchor? = nil) {
    self.selector = selector
    self.last = last
    self.known = known
  }
}

/// A place that a strategy proposes.
public struct Candidate: Hashable, Sendable {
  /// The place.
  public var range: TextRange
  /// The confidence in it, 0 … 1.
  public var score: Double
  /// The confidence in the next-best place, 0 when there is none.
  public var runnerUp: Double
  /// How the words there relate to those that were marked.
  public var state: AnchorState

  /// Makes a candidate of its parts.
  public init(range: TextRange, score: Double, runnerUp: Double = 0, state: AnchorState) {
    self.range = range
    self.score = score
    self.runnerUp = runnerUp
    self.state = state
  }
}

/// A way to find a highlight's place in a text.
///
/// What is costly and the same for all highlights of a document lies in the context and is computed
/// once. A strategy answers only with places that it has checked against the quote.
public protocol AnchorStrategy: Strategy where Example == AnchorExample {
  /// The places that it proposes, best first; none when it has nothing to say.
  func candidates(for subject: AnchorSubject, in context: AnchorContext) -> [Candidate]

  /// Whether the strategy knows that the passage isn't in the text; no later strategy is asked then.
  func knowsAbsence(of subject: AnchorSubject) -> Bool
}

extension AnchorStrategy {
  /// False: that a strategy finds no place proves nothing.
  public func knowsAbsence(of subject: AnchorSubject) -> Bool { false }
}

extension Registry where Element == any AnchorStrategy {
  /// Appends a strategy.
  package mutating func register<S: AnchorStrategy>(_ strategy: S) {
    register(strategy, as: S.self)
  }
}

/// An example of what an anchor strategy finds.
public struct AnchorExample: Sendable {
  /// What it shows.
  public var title: String
  /// The old text, with the highlight between `«` and `»`.
  public var old: String
  /// The new text, with the place that must be found between `«` and `»`; without marks when
  /// nothing may be found.
  public var new: String
  /// Whether the strategy sees the old text, or only the quote with its context.
  package var hasSnapshot: Bool
  /// The edits that led from the one to the other, when Diple made them.
  package var edits: [TextEdit]?
  /// Whether the place is on record for the new text.
  package var isKnown: Bool

  /// Makes an example of its parts.
  public init(
    _ title: String, old: String, new: String, hasSnapshot: Bool = true, edits: [TextEdit]? = nil,
    isKnown: Bool = false
  ) {
    self.title = title
    self.old = old
    self.new = new
    self.hasSnapshot = hasSnapshot
    self.edits = edits
    self.isKnown = isKnown
  }
}
