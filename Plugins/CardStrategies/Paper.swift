import FoundationEssentials
public import Interchange
import Model

/// Dark letters on paper, with bright marks.
public struct Paper: CardStrategy {
  /// The name by which it is chosen.
  public static let id = "paper"
  /// What it does, in one line.
  public static let summary = "SVG, dark text on paper, in the highlight's colour"
  /// What it must do; these are its tests.
  public static let examples = [
    CardExample(
      "the words, the mark, the title and the path",
      quote: AnnotationRecord(
        id: "1", quote: "A mark in the margin.", source: "notes/diple.md", title: "Signs & marks",
        color: .green, created: Date(timeIntervalSince1970: 0),
        updated: Date(timeIntervalSince1970: 0)),
      lines: [
        "fill=\"#fbf7ee\"", "fill=\"#a6e8b4\"", ">A mark in the margin.</text>",
        ">Signs &amp; marks</text>", ">notes/diple.md</text>",
      ])
  ]

  /// Makes the strategy.
  public init() {}

  /// Draws the card.
  public func card(of quote: AnnotationRecord) -> Card {
    SVGCard(
      colors: .init(
        background: "#fbf7ee", text: "#1a1a1a", faint: "#6b6459",
        marks: [.yellow: "#fff36d", .green: "#a6e8b4", .blue: "#86b6ff", .pink: "#f7bfe6"])
    ).card(of: quote)
  }
}
