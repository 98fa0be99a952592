package import RichText

/// Generates random attributes. Each attribute has few possible values, so that neighbours are
/// often equal.
///
/// ```swift
/// var generator = SeededGenerator(seed: 1)
/// let text = try RandomFormat.text(&generator)
/// ```
package enum RandomFormat {
  package static func character(_ random: inout some RandomNumberGenerator) -> CharacterAttribute {
    switch Int.random(in: 0..<11, using: &random) {
    case 0: .bold(.random(using: &random))
    case 1: .italic(.random(using: &random))
    case 2: .underline(UnderlineStyle.allCases.randomElement(using: &random)!)
    case 3: .strikethrough(StrikethroughStyle.allCases.randomElement(using: &random)!)
    case 4: .family(["Palatino", "Gill Sans", "游明朝", "A; B\\{C}"].randomElement(using: &random)!)
    case 5: .size([16, 26, 27, 144].randomElement(using: &random)!)
    case 6: .capitals(Capitals.allCases.randomElement(using: &random)!)
    case 7: .position(BaselinePosition.allCases.randomElement(using: &random)!)
    case 8: .color([.automatic, .rgb(0xC01020), .rgb(0)].randomElement(using: &random)!)
    case 9:
      .background([.automatic, .rgb(0xFFF36D), .rgb(0xFFFFFF)].randomElement(using: &random)!)
    default:
      .link(
        ["https://example.org/a?b=\"c\"", "#part", "a\\b {c}"].randomElement(using: &random)!)
    }
  }

  package static func paragraph(_ random: inout some RandomNumberGenerator) -> ParagraphAttribute {
    func length(_ range: ClosedRange<Int>) -> Twips { Twips(.random(in: range, using: &random)) }
    switch Int.random(in: 0..<11, using: &random) {
    case 0: return .alignment(TextAlignment.allCases.randomElement(using: &random)!)
    case 1: return .firstLineIndent(length(-720...2_880))
    case 2: return .headIndent(length(0...720))
    case 3: return .tailIndent(length(-720...40))
    case 4:
      return .lineHeight(
        [.multiple(240), .multiple(288), .atLeast(Twips(300)), .exactly(Twips(301))]
          .randomElement(using: &random)!)
    case 5: return .lineSpacing(length(0...60))
    case 6: return .spaceBefore(length(0...240))
    case 7: return .spaceAfter(length(0...240))
    case 8:
      let stops = (0..<Int.random(in: 0...3, using: &random)).map { index in
        TabStop(
          position: Twips(index * 1_000 + .random(in: 1...999, using: &random)),
          kind: TabStop.Kind.allCases.randomElement(using: &random)!,
          leader: TabStop.Leader.allCases.randomElement(using: &random)!)
      }
      return .tabStops(stops)
    case 9:
      return .list(
        ListItem(
          list: .random(in: 1...3, using: &random), level: .random(in: 0...2, using: &random),
          marker: ListItem.Marker.allCases.randomElement(using: &random)!))
    default:
      return .style(
        [.body, .heading(1), .heading(2), .blockQuote, .code].randomElement(using: &random)!)
    }
  }

  package static func changes(_ random: inout some RandomNumberGenerator)
    -> [AttributeChange<CharacterAttribute>]
  {
    (0..<Int.random(in: 1...3, using: &random)).map { _ in
      let attribute = character(&random)
      return Int.random(in: 0..<3, using: &random) == 0 ? .clear(attribute.kind) : .set(attribute)
    }
  }

  package static func paragraphChanges(_ random: inout some RandomNumberGenerator)
    -> [AttributeChange<ParagraphAttribute>]
  {
    (0..<Int.random(in: 1...3, using: &random)).map { _ in
      let attribute = paragraph(&random)
      return Int.random(in: 0..<3, using: &random) == 0 ? .clear(attribute.kind) : .set(attribute)
    }
  }
}

extension RandomFormat {
  /// Returns a text of up to a few hundred UTF-16 units, with attributes of every kind, a custom
  /// style and defaults.
  package static func text(_ random: inout some RandomNumberGenerator) throws -> AttributedText {
    let pieces = [
      "word ", "a", "\\", "{", "}", "\n", "\n\n", "\t", "\u{2028}", "é", "—", "游明朝", "𝒳", "👩‍👩‍👧",
      "\u{FFFC}", "\u{1}", ";", "'", "\u{7F}", "\u{A0}", " ", "\u{2011}", "<$Scr_Ps::1>", "ﷺ",
    ]
    let count = Int.random(in: 0...80, using: &random)
    var text = AttributedText(
      (0..<count).map { _ in pieces.randomElement(using: &random)! }.joined())
    for _ in 0..<Int.random(in: 0...12, using: &random) {
      let start = Int.random(in: 0...text.units.count, using: &random)
      let end = Int.random(in: start...text.units.count, using: &random)
      try text.change(start..<end, changes(&random), limits: .files)
      try text.changeParagraphs(start..<end, paragraphChanges(&random), limits: .files)
    }
    if Bool.random(using: &random) {
      let id = StyleID("verse")
      try text.styles.store(
        NamedStyle(
          id: id, title: "Verse; {of} \\ mine",
          basedOn: [nil, .heading(2), .body].randomElement()!,
          characters: AttributeSet((0..<3).map { _ in character(&random) }).removing([.link]),
          paragraphs: AttributeSet((0..<3).map { _ in paragraph(&random) }).removing([.style])))
      try text.changeParagraphs(0..<0, [.set(.style(id))])
    }
    if Int.random(in: 0..<8, using: &random) == 0 {
      // The style of this id doesn't exist, as if it was removed.
      try text.changeParagraphs(0..<0, [.set(.style(StyleID("gone")))])
    }
    if Bool.random(using: &random) {
      text.defaults = FormatDefaults(
        characters: AttributeSet((0..<3).map { _ in character(&random) }).removing([.link]),
        paragraphs: AttributeSet((0..<3).map { _ in paragraph(&random) }).removing([.style]))
    }
    return text
  }
}
