package import Model
package import RichText

/// The state of a selection for every entry of the format palette.
package struct PaletteState: Sendable {
  /// The range that the state describes.
  package let range: TextRange
  /// The styles, fonts and colours to offer.
  let choices: PaletteChoices
  /// The unit of lengths.
  let unit: LengthUnit
  private var states: [PaletteAttribute: FormatState] = [:]
  private var values: [PaletteKind: String] = [:]

  /// Determines the state of a range. O(runs in the range · entries).
  ///
  /// - Parameters:
  ///   - context: the inherited format: that of the Markdown, and the defaults.
  ///   - unit: the unit of lengths.
  ///   - fonts: the installed font families.
  ///   - colors: the colours that the user chose last.
  package init(
    _ text: AttributedText, in range: TextRange, _ context: FormatContext,
    unit: LengthUnit = .points, fonts: [String] = [], colors: [TextColor] = []
  ) {
    self.range = range
    self.unit = unit
    choices = PaletteChoices(text.styles, fonts: fonts, colors: colors)
    let units = range.utf16.clamped(to: 0..<text.units.count)
    for pane in FormatPane.allCases {
      for section in pane.sections(choices) {
        if let kind = section.kind { values[kind] = value(of: kind, text, units, context) }
        // There may be thousands of fonts. If the text has a single one, the state of all is known.
        var common: CommonValue<CharacterAttribute>?
        if case .character(let kind)? = section.kind {
          common = text.commonValue(of: kind, in: units, context)
        }
        for case let attribute? in section.entries.map(\.attribute) {
          if case .character(let own) = attribute, case .character(own.kind)? = section.kind,
            case .same(let value)? = common
          {
            states[attribute] = value == own ? .on : .off
          } else {
            states[attribute] = Self.state(of: attribute, text, units, context)
          }
        }
      }
    }
  }

  /// Returns how much of the selection has an attribute, or nil if the palette doesn't offer it.
  func state(of attribute: PaletteAttribute) -> FormatState? { states[attribute] }

  /// Returns the common value in the selection for display, `mixed` if there are several, or nil if
  /// no layer sets one.
  func value(of kind: PaletteKind) -> String? { values[kind] }

  private static func state(
    of attribute: PaletteAttribute, _ text: AttributedText, _ range: Range<Int>,
    _ context: FormatContext
  ) -> FormatState {
    switch attribute {
    case .character(let attribute):
      // Without a selection, use the format of typed text.
      guard !range.isEmpty else {
        let value = text.commonValue(of: attribute.kind, in: range, context)
        return value == .same(attribute) ? .on : .off
      }
      return text.state(of: attribute, in: range, context)
    case .paragraph(let attribute):
      let paragraphs = text.paragraphRange(around: range)
      guard !paragraphs.isEmpty else {
        let value = text.commonValue(of: attribute.kind, in: range, context)
        return value == .same(attribute) ? .on : .off
      }
      let parts = text.resolved(attribute.kind, in: paragraphs, context)
      let has = parts.count { $0.value == attribute }
      return has == 0 ? .off : has == parts.count ? .on : .mixed
    }
  }

  private func value(
    of kind: PaletteKind, _ text: AttributedText, _ range: Range<Int>, _ context: FormatContext
  ) -> String? {
    switch kind {
    case .character(let kind):
      switch text.commonValue(of: kind, in: range, context) {
      case .mixed: return "mixed"
      case .same(let value): return value.flatMap(Self.words)
      }
    case .paragraph(let kind):
      switch text.commonValue(of: kind, in: range, context) {
      case .mixed: return "mixed"
      case .same(let value): return value.flatMap { words($0, text.styles) }
      }
    }
  }

  private static func words(_ attribute: CharacterAttribute) -> String? {
    switch attribute {
    case .family, .size, .color, .background, .underline: attribute.shown
    default: nil
    }
  }

  private func words(_ attribute: ParagraphAttribute, _ styles: StyleSheet) -> String? {
    switch attribute {
    case .style(let id): styles[id]?.title ?? id.name
    case .list: nil
    default: attribute.shown(in: unit)
    }
  }
}
