import FoundationEssentials
public import Interchange
import Model

/// Light letters in the dark, with deep marks.
public struct Night: CardStrategy {
  /// The name by which it is chosen.
  public static let id = "night"
  /// What it does, in one line.
  public static let summary = "SVG, light text on a dark background"
  /// What it must do; these are its tests.
  public static let examples = [
    CardExample(
      "the words and the mark",
      quote: AnnotationRecord(
        id: "1", quote: "Not a <star> in sight.", source: "sky.md", title: "sky.md", color: .blue,
        created: Date(timeIntervalSince1970: 0), updated: Date(timeIntervalSince1970: 0)),
      lines: [
        "fill=\"#16181d\"", "fill=\"#1553b5\"", ">Not a &lt;star&gt; in sight.</text>",
        ">sky.md</text>",
      ])
  ]

  /// Makes the strategy.
  public init() {}

  /// Draws the card.
  public func card(of quote: AnnotationRecord) -> Card {
    SVGCard(
      colors: .init(
        background: "#16181d", text: "#e6e6e6", faint: "#9a9ca3",
        marks: [.yellow: "#7d6200", .green: "#0b3f22", .blue: "#1553b5", .pink: "#521048"])
    ).card(of: quote)
  }
}
