/// The probability that a place is right, from a logistic regression on its evidence.
///
/// The weights were fitted to real edits, moves, lists, formatters and repetitive texts in
/// documents of many projects, and checked on a second half of the documents.
struct Confidence {
  /// The weights of the features, in their order.
  var weights: [Double]

  /// The weights if the old text is known.
  static let ofSnapshot = Confidence(weights: [
    -3.30, 3.42, 0.44, 1.02, -1.15, 3.53, -0.19, -3.89, 0.56, 0.68, 0.41, 1.08, -0.33, -0.92,
    -0.15, -1.31, 0.36, -0.40, -0.06, -0.57, 0.35, 0.51, -0.71, 1.20, -0.55, 1.74, -0.95, -0.33,
    -1.25, -0.20,
  ])

  /// The weights if only the quote and its context are known. At most one of several places is
  /// right, so the caller compares their odds.
  static let ofQuote = Confidence(weights: [
    -8.83, 1.78, 1.82, 2.06, -3.23, 1.11, 2.91, -1.17, -0.07, 0.43, 0.55, 1.35, -1.85, 0.71, 2.11,
    0.29, 2.47, -1.53, 0.83, 0.76, 2.09, -1.32, 0.28, 1.58, -1.68, 1.49, -11.57, -2.01, 1.85,
    0.29,
  ])

  /// Values of a place that only the search for a quote computes.
  struct Circumstances {
    /// Two distances as logarithms, log(1 + UTF-16 units / 100): from the expected position to the
    /// place; and from the expected position to the nearest other place, minus the first distance.
    var farness = 0.0
    var nearnessLead = 0.0
    /// The nearness to the expected position, 0 … 1. `neighbourhood` is measured on a scale of a
    /// few lines, `nearness` on the scale of the text's length.
    var neighbourhood = 0.0
    var nearness = 0.0
    /// The number of verbatim occurrences of the quote; 0 if it isn't known.
    var occurrences = 0
    /// The number of adjacent context tokens minus the greatest such number at another place,
    /// divided by 24, -1 … 1.
    var lead = 0.0
    /// The share of the line or sentence that is found at the place minus the greatest such share
    /// at another place, -1 … 1: as a whole, and by its words.
    var partLead = 0.0
    var lineLead = 0.0
    /// The votes of rare words for the place's surroundings, and these votes divided by the votes
    /// for the best surroundings.
    var votes = 0.0
    var share = 0.0
    /// The similarity of the most similar other place: the share of the query found at that place,
    /// 0 … 1.
    var likeness = 0.0
  }

  /// Returns the features of a place if the old text is known, in the order of the weights.
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

  /// Returns the features of a place of a quote, in the order of the weights.
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

  /// The minimum confidence in a place whose surroundings are unchanged.
  private static let embedded = 0.85
  /// The minimum confidence in a passage that moved with an unchanged line, sentence or block.
  private static let carried = 0.96

  /// The maximum confidence in a place if several places explain the texts. A place with at least
  /// the likelihood `only` counts as the only one.
  private static let oneOfSeveral = 0.79
  private static let only = 0.9

  /// Returns the confidence in a place by its features, 0 … 1.
  ///
  /// - Parameter odds: the factor by which other evidence multiplies the odds of the place.
  func score(_ evidence: Evidence, _ features: [Double], odds: Double = 1) -> Double {
    let sum = zip(weights, features).reduce(0) { $0 + $1.0 * $1.1 }
    // If half of the words are between all old neighbours on both sides, nothing else explains the
    // place.
    let isEmbedded =
      evidence.before == 1 && evidence.after == 1 && evidence.survival >= 0.5 && !evidence.isTorn
    let least = evidence.isCarried ? Self.carried : isEmbedded ? Self.embedded : 0
    let score = max(logistic(sum + logarithm(odds)), least)
    if evidence.likelihood < Evidence.possible { return min(score, evidence.likelihood) }
    return evidence.likelihood < Self.only ? min(score, Self.oneOfSeveral) : score
  }

  /// The share of surviving words below which a passage counts as edited, and the maximum
  /// confidence in such a passage, because several new borders are possible.
  private static let edited = (survival: 0.9, most: 0.94)
  /// The same limits for a quote whose surroundings changed too, if only the quote is known. If the
  /// quote was also edited, its place is at most doubtful.
  private static let torn = (surroundings: 0.7, most: 0.94, mostOfEdited: 0.79)

  /// Returns the maximum confidence for a place.
  ///
  /// - Parameter isByQuote: whether the old text isn't known.
  static func most(for evidence: Evidence, isByQuote: Bool) -> Double {
    let isEdited = evidence.survival < edited.survival
    if evidence.isTorn { return oneOfSeveral }
    if isByQuote, evidence.surroundings < torn.surroundings {
      return isEdited ? torn.mostOfEdited : torn.most
    }
    return isEdited ? edited.most : 1
  }
}
