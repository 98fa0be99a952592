public import Anchoring

/// Finds the quote word for word in all of its context, where that stands once: being the only
/// occurrence of the quote alone is no proof, since the passage may be gone and this one a look-alike.
public struct QuoteInContext: AnchorStrategy {
  /// The name by which it is chosen.
  public static let id = "quote-in-context"
  /// What it does, in one line.
  public static let summary = "finds the quote word for word in its whole context"
  /// What it must do; these are its tests.
  public static let examples = [
    AnchorExample(
      "the right one of two",
      old: "In spring the «river» rises and floods the fields. In autumn it is low.",
      new: "A river. In spring the «river» rises and floods the fields. In autumn it is low.",
      hasSnapshot: false),
    AnchorExample(
      "a lone look-alike among other words",
      old: "Before all that, he wrote «yes» in the margin of the first page of the book.",
      new: "Nobody knows what became of them; yes or no, they vanished without any trace at all.",
      hasSnapshot: false),
  ]

  /// Makes the strategy.
  public init() {}

  /// The places that it proposes, best first.
  public func candidates(for subject: AnchorSubject, in context: AnchorContext) -> [Candidate] {
    context.undisturbedPlace(for: subject).map { [$0] } ?? []
  }
}
