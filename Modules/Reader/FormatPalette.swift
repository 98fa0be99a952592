import RichText

/// A tab of the format palette.
enum FormatPane: String, CaseIterable {
  case style = "Style"
  case indents = "Indents"
  case spacing = "Spacing"
  case fonts = "Fonts"

  /// Returns the panes of a palette. Without installed fonts there is no pane for them.
  static func all(_ choices: PaletteChoices) -> [FormatPane] {
    allCases.filter { $0 != .fonts || !choices.otherFonts.isEmpty }
  }

  /// Returns the next pane, or the previous one if `step` is -1. The panes form a ring.
  func next(_ step: Int, _ choices: PaletteChoices) -> FormatPane {
    let all = Self.all(choices)
    let index = all.firstIndex(of: self) ?? 0
    return all[(index + step + all.count) % all.count]
  }
}

/// A character or paragraph attribute.
enum PaletteAttribute: Hashable, Sendable {
  case character(CharacterAttribute)
  case paragraph(ParagraphAttribute)
}

/// The kind of a character or paragraph attribute.
enum PaletteKind: Hashable, Sendable {
  case character(CharacterAttribute.Kind)
  case paragraph(ParagraphAttribute.Kind)
}

/// A format that the palette can apply to the selection.
struct PaletteEntry: Hashable, Sendable {
  /// The displayed name.
  var title: String
  /// The arguments of the `format` command. If they end with a space, the user completes the
  /// command.
  var command: String
  /// The attribute that the entry toggles or sets, or nil if the entry has no state.
  var attribute: PaletteAttribute?
  /// The key that chooses the entry directly.
  var key: Character?

  /// Whether the user completes the command.
  var isCompleted: Bool { command.hasSuffix(" ") }
}

/// What a palette offers beside the fixed formats.
struct PaletteChoices: Sendable {
  /// The paragraph styles, each with the digit that applies it.
  var styles: [(style: NamedStyle, key: Character?)]
  /// The installed font families.
  var fonts: [String]
  /// The colours that the user chose last.
  var colors: [TextColor]

  init(_ sheet: StyleSheet, fonts: [String] = [], colors: [TextColor] = []) {
    styles = sheet.styles.map { ($0, sheet.key(of: $0).flatMap { Character("\($0)") }) }
    (self.fonts, self.colors) = (fonts, colors)
  }

  /// No styles, fonts or colours.
  static let none = PaletteChoices()
  private init() { (styles, fonts, colors) = ([], [], []) }

  /// The families on the first pane.
  static let usualFonts = ["Palatino", "Georgia", "Helvetica", "Menlo"]
  /// The installed families that aren't on the first pane.
  var otherFonts: [String] { fonts.filter { !Self.usualFonts.contains($0) } }
}

/// A group of entries.
struct PaletteSection: Sendable {
  var title: String
  /// The kind of attribute whose value is shown next to the title, or nil.
  var kind: PaletteKind?
  var entries: [PaletteEntry]
}

extension FormatPane {
  /// Returns the sections of the pane.
  ///
  /// - Parameter choices: the styles, fonts and colours to offer.
  func sections(_ choices: PaletteChoices) -> [PaletteSection] {
    switch self {
    case .style: Self.styleSections(choices)
    case .indents: Self.indentSections
    case .spacing: Self.spacingSections
    case .fonts:
      [
        PaletteSection(
          title: "Font", kind: .character(.family),
          entries: choices.otherFonts.map { Self.entry($0, "font \(Self.word($0))", .family($0)) })
      ]
    }
  }

  /// Returns a name as one word of a command.
  private static func word(_ name: String) -> String {
    let isPlain = name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" }
    return isPlain ? name : "'" + name.replacing("'", with: "'\\''") + "'"
  }

  private static func entry(
    _ title: String, _ command: String, _ attribute: CharacterAttribute, key: Character? = nil
  ) -> PaletteEntry {
    PaletteEntry(title: title, command: command, attribute: .character(attribute), key: key)
  }

  private static func entry(
    _ title: String, _ command: String, _ attribute: ParagraphAttribute
  ) -> PaletteEntry {
    PaletteEntry(title: title, command: command, attribute: .paragraph(attribute))
  }

  private static func other(_ title: String, _ command: String, key: Character? = nil)
    -> PaletteEntry
  {
    PaletteEntry(title: title, command: command + " ", key: key)
  }

  private static func styleSections(_ choices: PaletteChoices) -> [PaletteSection] {
    let styles = choices.styles
    let letters = PaletteSection(
      title: "Letters",
      entries: [
        entry("Bold", "bold", .bold(true), key: "b"),
        entry("Italic", "italic", .italic(true), key: "i"),
        entry("Underline", "underline", .underline(.single), key: "u"),
        entry("Strikethrough", "strike", .strikethrough(.single), key: "s"),
        entry("Superscript", "super", .position(.superscript)),
        entry("Subscript", "sub", .position(.subscript)),
      ])
    let alignment = PaletteSection(
      title: "Alignment", kind: .paragraph(.alignment),
      entries: TextAlignment.allCases.map {
        entry($0.rawValue.capitalizedFirst, "align \($0.rawValue)", .alignment($0))
      })
    let sizes = PaletteSection(
      title: "Size", kind: .character(.size),
      entries: [10, 12, 13, 14, 18, 24].map { entry("\($0) pt", "size \($0)", .size($0 * 2)) }
        + [other("Another size…", "size", key: "z")])
    let families = PaletteSection(
      title: "Font", kind: .character(.family),
      entries: PaletteChoices.usualFonts.map {
        entry($0, "font \($0)", .family($0))
      } + [other("Another font…", "font", key: "f")])
    let lines = PaletteSection(
      title: "Underline", kind: .character(.underline),
      entries: [UnderlineStyle.double, .words, .dotted, .dashed, .thick, .wave].map {
        entry($0.rawValue.capitalizedFirst, "underline \($0.rawValue)", .underline($0))
      })
    let named = PaletteSection(
      title: "Paragraph style", kind: .paragraph(.style),
      entries: styles.map { style, key in
        PaletteEntry(
          title: style.title, command: "style \(style.id.name)",
          attribute: .paragraph(.style(style.id)), key: key)
      })
    return [letters, alignment, sizes, families]
      + [
        colors("Text colour", "color", .color, choices) { .color($0) },
        colors("Background", "background", .background, choices) { .background($0) }, lines,
      ] + (styles.isEmpty ? [] : [named])
      + [
        PaletteSection(
          title: "Selection",
          entries: [PaletteEntry(title: "Clear the format", command: "clear")])
      ]
  }

  private static func colors(
    _ title: String, _ command: String, _ kind: CharacterAttribute.Kind,
    _ choices: PaletteChoices, _ attribute: (TextColor) -> CharacterAttribute
  ) -> PaletteSection {
    let names: [(String, UInt32)] = [
      ("Red", 0xC01020), ("Green", 0x107030), ("Blue", 0x1040C0), ("Yellow", 0xFFF36D),
      ("Grey", 0x707070),
    ]
    let recent = choices.colors.filter { color in !names.contains { .rgb($0.1) == color } }
    let automatic = entry("Automatic", "\(command) automatic", attribute(.automatic))
    return PaletteSection(
      title: title, kind: .character(kind),
      entries: [automatic]
        + names.map { entry($0.0, "\(command) \(TextColor.rgb($0.1))", attribute(.rgb($0.1))) }
        + recent.map { entry("\($0)", "\(command) \($0)", attribute($0)) }
        + [other("Another colour…", command)])
  }

  private static func lengths(
    _ title: String, _ command: String, _ kind: ParagraphAttribute.Kind, _ points: [Int],
    _ attribute: (Twips) -> ParagraphAttribute
  ) -> PaletteSection {
    PaletteSection(
      title: title, kind: .paragraph(kind),
      entries: points.map { entry("\($0) pt", "\(command) \($0)", attribute(.points($0))) }
        + [other("Another length…", command)])
  }

  private static let indentSections = [
    lengths(
      "First line", "indent first", .firstLineIndent,
      ParagraphAttribute.firstLineIndents.map { $0.count / 20 }
    ) { .firstLineIndent($0) },
    lengths("Left", "indent head", .headIndent, [0, 18, 36, 72]) { .headIndent($0) },
    lengths("Right", "indent tail", .tailIndent, [0, -18, -36, -72]) { .tailIndent($0) },
    PaletteSection(
      title: "Tab stops", kind: .paragraph(.tabStops), entries: [other("Set…", "tabs")]),
  ]

  private static let spacingSections = [
    PaletteSection(
      title: "Line height", kind: .paragraph(.lineHeight),
      entries: [("1", 240), ("1.2", 288), ("1.5", 360), ("2", 480)].map {
        entry($0.0, "spacing line \($0.0)", .lineHeight(.multiple($0.1)))
      } + [other("Another height…", "spacing line")]),
    lengths("Between lines", "spacing extra", .lineSpacing, [0, 3, 6, 12]) { .lineSpacing($0) },
    lengths("Before paragraphs", "spacing before", .spaceBefore, [0, 6, 12, 24]) {
      .spaceBefore($0)
    },
    lengths("After paragraphs", "spacing after", .spaceAfter, [0, 6, 12, 24]) { .spaceAfter($0) },
  ]
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
