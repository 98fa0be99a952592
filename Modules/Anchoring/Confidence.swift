/// How sure a place is: a logistic regression on the evidence, fitted to real edits and to moves,
/// lists, formatters and repetitive texts of many projects' documents, one half of the documents
/// being kept aside to check it.
struct Confidence {
  /// The weights of the features, in their order.
  var weights: [Double]

  /// With the text in which the passage stood.
  static let ofSnapshot = Confidence(weights: [
    -3.30, 3.42, 0.44, 1.02, -1.15, 3.53, -0.19, -3.89, 0.56, 0.68, 0.41, 1.08, -0.33, -0.92,
    -0.15, -1.31, 0.36, -0.40, -0.06, -0.57, 0.35, 0.51, -0.71, 1.20, -0.55, 1.74, -0.95, -0.33,
    -1.25, -0.20,
  ])

  /// With nothing but the quote and its context. Of several places at most one is right: these are
  /// odds to be compared.
  static let ofQuote = Confidence(weights: [
    -8.83, 1.78, 1.82, 2.06, -3.23, 1.11, 2.91, -1.17, -0.07, 0.43, 0.55, 1.35, -1.85, 0.71, 2.11,
    0.29, 2.47, -1.53, 0.83, 0.76, 2.09, -1.32, 0.28, 1.58, -1.68, 1.49, -11.57, -2.01, 1.85,
    0.29,
  ])

  /// What only the search for a quote knows of a place.
  struct Circumstances {
    /// How many units it is from where the passage is expected, and how much nearer than the nearest
    /// other place, both as `farness`.
    var farness = 0.0
    var nearnessLead = 0.0
    /// How near it is, 0 … 1: beside a few lines, and beside the length of the text.
    var neighbourhood = 0.0
    var nearness = 0.0
    /// How often the quote stands in the text word for word; 0 when that is not known.
    var occurrences = 0
    /// By how many tokens more than any other place's its context follows it without a gap, of 24
    /// at most, -1 … 1.
    var lead = 0.0
    /// How much more of its line or sentence stands there than at any other place, -1 … 1: as a whole,
    /// and by its words.
    var partLead = 0.0
    var lineLead = 0.0
    /// What rare words say of its surroundings; and their share of what they say of the best ones.
    var votes = 0.0
    var share = 0.0
    /// How like another place is to this one by how much is found there, 0 … 1.
    var likeness = 0.0
  }

  /// What is weighed when the old text is known.
  static func features(_ evidence: Evidence, isMoved: Bool) -> [Double] {
    let short = 1 - evidence.length
    let moved = isMoved ? 1.0 : 0
    let verbatim = evidence.isVerbatim ? 1.0 : 0
    let run = (evidence.runBefore + evidence.runAfter) / 2
    let far = max(evidence.farBefore, evidence.farAfter)
    return [
      1, evidence.survival, evidence.context, evidence.survival * evidence.context,
      evidence.length, evidence.length * evidence.survival, short * evidence.context,
      max(0, logarithm(evidence.spread)), max(evidence.before, evidence.after),
      evidence.touch, short * evidence.touch, evidence.surroundings,
      short * evidence.surroundings, moved, short * moved, verbatim, verbatim * evidence.length,
      verbatim * run, max(evidence.runBefore, evidence.runAfter), evidence.part,
      far, min(evidence.farBefore, evidence.farAfter), min(1, 4 * far),
      evidence.block, short * evidence.block, evidence.unbroken,
      max(0, -logarithm(evidence.spread)), moved * evidence.block,
      evidence.lostEdges, evidence.lostEdges > 0 ? 1 : 0,
    ]
  }

  /// What is weighed of a place of a quote.
  static func features(_ evidence: Evidence, _ circumstances: Circumstances) -> [Double] {
    let short = 1 - evidence.length
    let line = evidence.line
    return [
      1, evidence.survival, evidence.length * evidence.survival, short * evidence.context,
      max(0, logarithm(evidence.spread)), evidence.touch, evidence.surroundings, evidence.part,
      logarithm(Double(max(1, circumstances.occurrences))),
      max(evidence.farBefore, evidence.farAfter), logarithm(1 + circumstances.votes),
      circumstances.share, evidence.isVerbatim ? circumstances.share : 0, circumstances.lead,
      circumstances.partLead,
      logarithm(1 + line.restLetters / lettersOfWord), evidence.sentence.share,
      evidence.sentence.restShare, logarithm(1 + evidence.letters / lettersOfWord),
      circumstances.lineLead, circumstances.neighbourhood, circumstances.nearness,
      circumstances.nearnessLead, short * line.restShare, short * evidence.query.share,
      evidence.survival * line.restShare, max(0, 0.5 - evidence.survival),
      circumstances.likeness, circumstances.likeness * circumstances.nearness,
      -circumstances.likeness * circumstances.farness,
    ]
  }

  private static let lettersOfWord = 10.0

  /// The least confidence in a place that is surrounded as it was.
  private static let embedded = 0.85
  /// The least confidence in a passage that went with a line, a sentence or a block as it is.
  private static let carried = 0.96

  /// The most confidence in one of several places that explain the texts, and how likely the only one
  /// has to be.
  private static let oneOfSeveral = 0.79
  private static let only = 0.9

  /// The confidence in a place by its features, 0 … 1.
  ///
  /// - Parameter odds: what else is known of it, as a factor of its odds.
  func score(_ evidence: Evidence, _ features: [Double], odds: Double = 1) -> Double {
    let sum = zip(weights, features).reduce(0) { $0 + $1.0 * $1.1 }
    // Half of its words among all of its old neighbours on both sides: nothing else can be it.
    let isEmbedded =
      evidence.before == 1 && evidence.after == 1 && evidence.survival >= 0.5 && !evidence.isTorn
    let least = evidence.isCarried ? Self.carried : isEmbedded ? Self.embedded : 0
    let score = max(logistic(sum + logarithm(odds)), least)
    if evidence.likelihood < Evidence.possible { return min(score, evidence.likelihood) }
    return evidence.likelihood < Self.only ? min(score, Self.oneOfSeveral) : score
  }

  /// What is not beyond doubt: a passage of which more than a tenth was written anew, since where it
  /// begins and ends now may be seen in several ways.
  private static let edited = (survival: 0.9, most: 0.94)
  /// By the quote alone, one whose surroundings are not there either; it is doubtful when it was
  /// edited besides.
  private static let torn = (surroundings: 0.7, most: 0.94, mostOfEdited: 0.79)

  /// The most confidence that some evidence allows, with the old text or by the quote alone.
  static func most(for evidence: Evidence, isByQuote: Bool) -> Double {
    let isEdited = evidence.survival < edited.survival
    if evidence.isTorn { return oneOfSeveral }
    if isByQuote, evidence.surroundings < torn.surroundings {
      return isEdited ? torn.mostOfEdited : torn.most
    }
    return isEdited ? edited.most : 1
  }
}
