/// The goals for a set, and the results of other programs on similar sets.
struct AnchorGoal {
  enum Figure { case recall, wrong, resurrected, wrongAmongSure, rightFrom95, rightFrom80 }

  /// The limit of a figure in percent: a minimum, or a maximum for figures that count mistakes.
  struct Line {
    /// The group of highlights, which is a row of the table. `all` is the whole set.
    var group: String
    var figure: Figure
    var value: Double

    init(_ group: String, _ figure: Figure, _ value: Double) {
      (self.group, self.figure, self.value) = (group, figure, value)
    }

    func isMet(by found: Double) -> Bool {
      switch figure {
      case .recall, .rightFrom95, .rightFrom80: found >= value - 0.005
      case .wrong, .resurrected, .wrongAmongSure: found <= value + 0.005
      }
    }
  }

  var snapshot: [Line]
  var quoteOnly: [Line]
  /// The measured results of other programs, on similar sets of other documents.
  var peers: String

  /// The goals for every set: answers with a high score are right.
  static let ofEverySet = [Line("all", .rightFrom95, 99.5), Line("all", .rightFrom80, 95)]

  /// Returns the goals of the set in a folder of this name; nil if it has none.
  static func of(_ set: String) -> AnchorGoal? { all[set] }

  private static let all: [String: AnchorGoal] = [
    "anchoring": AnchorGoal(
      snapshot: [
        Line("all", .recall, 99.5), Line("all", .wrong, 0), Line("all", .resurrected, 1.5),
      ],
      quoteOnly: [
        Line("all", .recall, 98.7), Line("all", .wrong, 0.15), Line("all", .resurrected, 6),
      ],
      peers: """
        Hypothesis: recall 93.2, wrong 1.5, resurrected 57.0. diff-match-patch: 95.0, 0.3, 21.1. \
        Exact prefix, quote and suffix: 64.5, 1.2, 1.1.
        """),
    "anchoring-scripts": AnchorGoal(
      snapshot: [
        Line("all", .recall, 99.3), Line("all", .wrong, 0.02), Line("all", .resurrected, 0.5),
      ],
      quoteOnly: [
        Line("all", .recall, 99), Line("all", .wrong, 0.1), Line("all", .resurrected, 1.5),
      ],
      peers: "Hypothesis: recall 86 to 94, resurrected 45 to 65. diff-match-patch: recall 90 to 96."
    ),
    "anchoring-moves": AnchorGoal(
      snapshot: [
        Line("all", .recall, 99.6), Line("all", .wrong, 0.04), Line("all", .resurrected, 1),
        Line("item", .recall, 99), Line("list-shuffle", .recall, 99),
        Line("para-edit", .recall, 99),
      ],
      quoteOnly: [
        Line("all", .recall, 97), Line("all", .wrong, 0.3), Line("all", .wrongAmongSure, 0.05),
        Line("all", .resurrected, 5), Line("item", .recall, 97),
        Line("list-shuffle", .recall, 97), Line("para-edit", .recall, 98),
      ],
      peers: """
        Hypothesis: recall of items 94.9 to 98.6, of paragraphs 99.0, with edits inside 97.4; wrong \
        5.6; resurrected 100.
        """),
    "anchoring-transforms": AnchorGoal(
      snapshot: [Line("all", .recall, 99.95)], quoteOnly: [Line("all", .recall, 99.9)],
      peers: "Hypothesis: recall 86 to 94. diff-match-patch: 90 to 96."),
    "anchoring-repetitive": AnchorGoal(
      snapshot: [Line("all", .recall, 99), Line("all", .wrong, 0.3)], quoteOnly: [],
      peers: "git diff (Myers): recall 97.9, wrong 2.0."),
    "imports": AnchorGoal(
      snapshot: [], quoteOnly: [Line("all", .recall, 99), Line("all", .wrongAmongSure, 0.05)],
      peers: "none measured."),
  ]
}
