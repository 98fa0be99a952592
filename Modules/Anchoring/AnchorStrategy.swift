public import Model

/// A highlight to find in a text.
public struct AnchorSubject: Sendable {
  /// The passage as it was selected.
  public var selector: Selector
  /// Its range in the snapshot, the previous version of the text; nil if there is no snapshot.
  public var last: TextRange?
  /// The stored position for exactly the new text; nil if none is stored.
  public var known: Anchor?

  /// Creates a subject; by default without a previous range or a stored position.
  public init(selector: Selector, last: TextRange? = nil, known: Anchor? = nil) {
    self.selector = selector
    self.last = last
    self.known = known
  }
}

/// A place that a strategy proposes for a highlight.
public struct Candidate: Hashable, Sendable {
  /// The range in the new text.
  public var range: TextRange
  /// The confidence in the place, 0 to 1.
  public var score: Double
  /// The confidence in the second-best place; 0 if there is no other.
  public var runnerUp: Double
  /// The relation between the text at the place and the selected text.
  public var state: AnchorState

  /// Creates a candidate; by default without a second-best place.
  public init(range: TextRange, score: Double, runnerUp: Double = 0, state: AnchorState) {
    self.range = range
    self.score = score
    self.runnerUp = runnerUp
    self.state = state
  }
}

/// A method of finding a highlight in a text.
///
/// Computations that all highlights of a document share are done once, by the context. A strategy
/// proposes only places that it has verified against the quote.
public protocol AnchorStrategy: Strategy where Example == AnchorExample {
  /// Returns the proposed places, best first; empty if the strategy finds none.
  func candidates(for subject: AnchorSubject, in context: AnchorContext) -> [Candidate]

  /// Returns whether the strategy is certain that the passage isn't in the text. Later strategies
  /// are then skipped.
  func knowsAbsence(of subject: AnchorSubject) -> Bool
}

extension AnchorStrategy {
  /// False, because a strategy that finds no place doesn't prove that the passage is absent.
  public func knowsAbsence(of subject: AnchorSubject) -> Bool { false }
}

extension Registry where Element == any AnchorStrategy {
  /// Appends a strategy to the registry.
  package mutating func register<S: AnchorStrategy>(_ strategy: S) {
    register(strategy, as: S.self)
  }
}

/// An example of a strategy's work: two versions of a text, with the highlight marked in both.
public struct AnchorExample: Sendable {
  /// A heading that describes the example.
  public var title: String
  /// The old text, with the highlight between `«` and `»`.
  public var old: String
  /// The new text, with the expected place between `«` and `»`. If it has no such marks, the
  /// strategy must find no place.
  public var new: String
  /// Whether the strategy gets the old text. If false, it gets only the quote with its context.
  package var hasSnapshot: Bool
  /// The edits by which Diple changed the old text into the new one; nil if another program changed
  /// it.
  package var edits: [TextEdit]?
  /// Whether the place in the new text is already stored.
  package var isKnown: Bool

  /// Creates an example; by default with a snapshot, an unknown edit and no stored place.
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
