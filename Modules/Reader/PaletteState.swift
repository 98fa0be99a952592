package import Model
package import RichText

/// What a selection has of all that the palette of formats offers.
package struct PaletteState: Sendable {
  /// The passage that it is of.
  package let range: TextRange
  /// The styles that paragraphs can be given.
  let styles: [NamedStyle]
  private var states: [PaletteAttribute: FormatState] = [:]
  private var values: [PaletteKind: String] = [:]

  /// Asks a text with its formats. O(runs in the range · entries).
  ///
  /// - Parameter context: what counts where the text says nothing of its own: its Markdown, and the
  ///   application's defaults.
  package init(_ text: AttributedText, in range: TextRange, _ context: FormatContext) {
    self.range = range
    styles = text.styles.styles
    let units = range.utf16.clamped(to: 0..<text.units.count)
    for pane in FormatPane.allCases {
      for section in pane.sections(styles: styles) {
        if let kind = section.kind { values[kind] = Self.value(of: kind, text, units, context) }
        for case let attribute? in section.entries.map(\.attribute) {
          states[attribute] = Self.state(of: attribute, text, units, context)
        }
      }
    }
  }

  /// How much of the selection has an attribute; nil for one that the palette does not offer.
  func state(of attribute: PaletteAttribute) -> FormatState? { states[attribute] }

  /// The value that all of the selection has, in words; nil where nothing says one.
  func value(of kind: PaletteKind) -> String? { values[kind] }

  private static func state(
    of attribute: PaletteAttribute, _ text: AttributedText, _ range: Range<Int>,
    _ context: FormatContext
  ) -> FormatState {
    switch attribute {
    case .character(let attribute):
      // Without a selection it is what would be typed.
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

  private static func value(
    of kind: PaletteKind, _ text: AttributedText, _ range: Range<Int>, _ context: FormatContext
  ) -> String? {
    switch kind {
    case .character(let kind):
      switch text.commonValue(of: kind, in: range, context) {
      case .mixed: return "mixed"
      case .same(let value): return value.flatMap(words)
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

  private static func words(_ attribute: ParagraphAttribute, _ styles: StyleSheet) -> String? {
    switch attribute {
    case .style(let id): styles[id]?.title ?? id.name
    case .list: nil
    default: attribute.shown
    }
  }
}
