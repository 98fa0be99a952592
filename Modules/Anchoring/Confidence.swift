/// How sure a place is: a logistic regression on the evidence, fitted to real edits of two projects'
/// documents (7,400 highlights that survive and 1,950 that do not, each as source and rendered).
struct Confidence {
  var base: Double
  var survival: Double
  var context: Double
  var survivalInContext: Double
  var length: Double
  var survivalAtLength: Double
  var contextOfShort: Double
  var spread: Double
  var betterSide: Double
  var touch: Double
  var touchOfShort: Double
  var surroundings: Double
  var surroundingsOfShort: Double
  /// What only one of the two ways to search knows.
  var other: Double
  var otherOfShort: Double

  /// With the text in which the passage stood; the other evidence is 1 for what came by a move.
  static let ofSnapshot = Confidence(
    base: -6.22, survival: 5.33, context: 0.47, survivalInContext: 2.42, length: -0.37,
    survivalAtLength: 6.23, contextOfShort: -0.71, spread: -0.85, betterSide: 0.90, touch: 0.36,
    touchOfShort: 0.02, surroundings: 1.24, surroundingsOfShort: 0.87, other: -2.13,
    otherOfShort: -0.63)

  /// With nothing but the quote and its context; the other evidence is the nearness of the place to
  /// the old one, 0 … 1. Of several places at most one is right: these are odds to be compared.
  static let ofQuote = Confidence(
    base: -6.59, survival: 3.52, context: -0.85, survivalInContext: 2.14, length: -0.55,
    survivalAtLength: 5.35, contextOfShort: -0.92, spread: -1.30, betterSide: 0.37, touch: 0.27,
    touchOfShort: 0.16, surroundings: 4.41, surroundingsOfShort: 2.17, other: 1.03,
    otherOfShort: -0.44)

  /// The least confidence in a place that is surrounded as it was.
  private static let embedded = 0.85

  /// The least confidence in a passage that went with a line, a sentence or a block as it is.
  private static let carried = 0.96

  /// The confidence in a place, 0 … 1.
  func score(_ evidence: Evidence, other known: Double) -> Double {
    let short = 1 - evidence.length
    var sum = base + survival * evidence.survival + context * evidence.context
    sum += survivalInContext * evidence.survival * evidence.context
    sum += length * evidence.length + survivalAtLength * evidence.length * evidence.survival
    sum += contextOfShort * short * evidence.context
    sum += spread * max(0, logarithm(evidence.spread))
    sum += betterSide * max(evidence.before, evidence.after)
    sum += (touch + touchOfShort * short) * evidence.touch
    sum += (surroundings + surroundingsOfShort * short) * evidence.surroundings
    sum += (other + otherOfShort * short) * known
    // Half of its words among all of its old neighbours on both sides: nothing else can be it.
    let isEmbedded = evidence.before == 1 && evidence.after == 1 && evidence.survival >= 0.5
    let least = evidence.isCarried ? Self.carried : isEmbedded ? Self.embedded : 0
    return max(logistic(sum), least)
  }
}
