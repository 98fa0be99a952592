/// How sure a place is: a logistic regression on the evidence, fitted to real edits and to moves,
/// lists, formatters and repetitive texts of many projects' documents, one half of the documents
/// being kept aside to check it.
struct Confidence {
  /// The weights of the features, in their order.
  var weights: [Double]

  /// With the text in which the passage stood.
  static let ofSnapshot = Confidence(weights: [
    -3.30, 3.42, 0.44, 1.02, -1.15, 3.53, -0.19, -3.89, 0.56, 0.68, 0.41, 1.08, -0.33, -0.92,
    -0.15, 0.00, -1.31, 0.36, -0.40, -0.06, -0.57, 0.00, 0.00, 0.35, 0.51, 0.00, 0.00, 0.00, 0.00,
    -0.71, 0.00, 0.00, 0.00, 1.20, -0.55, 1.74, -0.95, -0.33, -1.25, -0.20,
  ])

  /// With nothing but the quote and its context. Of several places at most one is right: these are
  /// odds to be compared.
  static let ofQuote = Confidence(weights: [
    -11.75, 5.06, -0.36, 2.94, -0.52, 4.25, 1.34, -3.24, -0.11, 0.70, 0.72, 1.30, 0.84, 0.17,
    -1.00, 3.96, -1.77, -0.62, -1.02, 0.66, -0.13, 1.43, -0.26, 0.73, -0.06, 0.89, 0.54, -1.01,
    -0.03, -0.57, 0.52, 1.33, 1.86,
  ])

  /// What only one of the two ways to search knows.
  struct Circumstances {
    /// Whether the passage came by a move; or how near to its old place it is, 0 … 1.
    var other: Double
    /// The same nearness for places that are a few lines away, 0 … 1.
    var neighbourhood = 0.0
    /// How often the quote stands in the text word for word; 0 when that is not known.
    var occurrences = 0
    /// By how many tokens more than any other place's its context follows it without a gap, of 24
    /// at most, -1 … 1.
    var lead = 0.0
    /// How much more of its line or sentence stands there than at any other place, -1 … 1.
    var partLead = 0.0
    /// What rare words say of its surroundings; and their share of what they say of the best ones.
    var votes = 0.0
    var share = 0.0
  }

  /// What is weighed.
  static func features(_ evidence: Evidence, _ circumstances: Circumstances) -> [Double] {
    let short = 1 - evidence.length
    let verbatim = evidence.isVerbatim ? 1.0 : 0
    let run = (evidence.runBefore + evidence.runAfter) / 2
    return [
      1, evidence.survival, evidence.context, evidence.survival * evidence.context,
      evidence.length, evidence.length * evidence.survival, short * evidence.context,
      max(0, logarithm(evidence.spread)), max(evidence.before, evidence.after),
      evidence.touch, short * evidence.touch, evidence.surroundings,
      short * evidence.surroundings, circumstances.other, short * circumstances.other,
      circumstances.neighbourhood, verbatim, verbatim * evidence.length, verbatim * run,
      max(evidence.runBefore, evidence.runAfter), evidence.part,
      circumstances.occurrences == 1 ? evidence.length : 0,
      logarithm(Double(max(1, circumstances.occurrences))),
      max(evidence.farBefore, evidence.farAfter), min(evidence.farBefore, evidence.farAfter),
      logarithm(1 + circumstances.votes), circumstances.share, verbatim * circumstances.share,
      short * circumstances.share,
      min(1, 4 * max(evidence.farBefore, evidence.farAfter)), circumstances.lead,
      short * circumstances.lead, circumstances.partLead,
      evidence.block, short * evidence.block, evidence.unbroken,
      max(0, -logarithm(evidence.spread)), circumstances.other * evidence.block,
      evidence.lostEdges, evidence.lostEdges > 0 ? 1 : 0,
    ]
  }

  /// The least confidence in a place that is surrounded as it was.
  private static let embedded = 0.85
  /// The least confidence in a passage that went with a line, a sentence or a block as it is.
  private static let carried = 0.96

  /// The most confidence in one of several places that explain the texts equally well.
  private static let oneOfSeveral = 0.79

  /// The confidence in a place, 0 … 1.
  ///
  /// - Parameter odds: what else is known of it, as a factor of its odds.
  func score(
    _ evidence: Evidence, _ circumstances: Circumstances, odds: Double = 1
  ) -> Double {
    let sum = zip(weights, Self.features(evidence, circumstances)).reduce(0) { $0 + $1.0 * $1.1 }
    // Half of its words among all of its old neighbours on both sides: nothing else can be it.
    let isEmbedded = evidence.before == 1 && evidence.after == 1 && evidence.survival >= 0.5
    let least = evidence.isCarried ? Self.carried : isEmbedded ? Self.embedded : 0
    let score = max(logistic(sum + logarithm(odds)), least)
    return evidence.isOneOfSeveral ? min(score, Self.oneOfSeveral) : score
  }

  /// What is not beyond doubt: a passage of which more than a tenth was written anew, since where it
  /// begins and ends now may be seen in several ways.
  private static let edited = (survival: 0.9, most: 0.94)
  /// By the quote alone, one whose surroundings are not there either; it is doubtful when it was
  /// edited besides.
  private static let torn = (surroundings: 0.6, most: 0.94, mostOfEdited: 0.79)

  /// The most confidence that some evidence allows, with the old text or by the quote alone.
  static func most(for evidence: Evidence, isByQuote: Bool) -> Double {
    let isEdited = evidence.survival < edited.survival
    if isByQuote, evidence.surroundings < torn.surroundings {
      return isEdited ? torn.mostOfEdited : torn.most
    }
    return isEdited ? edited.most : 1
  }
}
