public import Anchoring

/// Finds the quote where it occurs verbatim with its whole context, if exactly one place matches. A
/// quote's only occurrence isn't sufficient, because the highlighted passage may have been deleted
/// and the occurrence be another passage.
public struct QuoteInContext: AnchorStrategy {
  /// The id, which is stored with each place that the strategy finds.
  public static let id = "quote-in-context"
  /// The description that `diple strategies` prints.
  public static let summary = "finds the quote word for word in its whole context"
  /// Examples, which are also the tests.
  public static let examples = [
    AnchorExample(
      "two occurrences, one of them in the quote's context",
      old: "In spring the «river» rises and floods the fields. In autumn it is low.",
      new: "A river. In spring the «river» rises and floods the fields. In autumn it is low.",
      hasSnapshot: false),
    AnchorExample(
      "the only occurrence, in another context",
      old: "Before all that, he wrote «yes» in the margin of the first page of the book.",
      new: "Nobody knows what became of them; yes or no, they vanished without any trace at all.",
      hasSnapshot: false),
  ]

  /// Creates the strategy, which has no state.
  public init() {}

  /// Returns the proposed places, best first; empty if the strategy finds none.
  public func candidates(for subject: AnchorSubject, in context: AnchorContext) -> [Candidate] {
    context.undisturbedPlace(for: subject).map { [$0] } ?? []
  }
}
