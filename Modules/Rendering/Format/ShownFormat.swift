package import RichText

/// What a library holds of a document's format, beside its Markdown, as pages show it.
///
/// Of an attribute counts the first of: what a text has of its own, what its Markdown says, what a style
/// says that its paragraph was given. Defaults are for pages that have fonts; a terminal ignores them.
package struct ShownFormat: Sendable, Equatable {
  /// What characters and paragraphs have of their own, in UTF-16 units of the rendered text.
  package let layer: FormatLayer
  /// The styles that paragraphs are given.
  package let styles: StyleSheet
  /// What holds for text of which nothing else says anything.
  package let defaults: FormatDefaults
  /// What each style says that some paragraph was given, with all that it inherits.
  private let given: [StyleID: FormatDefaults]

  /// Takes a format of its parts. O(runs + styles).
  package init(
    layer: FormatLayer, styles: StyleSheet = StyleSheet(),
    defaults: FormatDefaults = FormatDefaults()
  ) {
    (self.layer, self.styles, self.defaults) = (layer, styles, defaults)
    var given: [StyleID: FormatDefaults] = [:]
    for set in layer.paragraphs.usedSets {
      guard case .style(let id)? = set[.style], given[id] == nil else { continue }
      let (characters, paragraphs) = styles.resolved(id)
      given[id] = FormatDefaults(characters: characters, paragraphs: paragraphs)
    }
    self.given = given
  }

  /// Whether some paragraph has attributes or a style.
  var hasParagraphs: Bool { layer.paragraphs.count > 0 }

  /// What the style says that a paragraph was given; nothing where it was given none.
  private func style(of paragraph: AttributeSet<ParagraphAttribute>) -> FormatDefaults? {
    if case .style(let id)? = paragraph[.style] { given[id] } else { nil }
  }

  /// The style that a paragraph was given; nil for none.
  func style(at offset: Int) -> StyleID? {
    if case .style(let id)? = layer.paragraphs[offset][.style] { id } else { nil }
  }

  /// The attributes of the paragraph at an offset: its own, else those of the style that it was given.
  /// O(log runs).
  func paragraph(at offset: Int) -> AttributeSet<ParagraphAttribute> {
    let own = layer.paragraphs[offset]
    return style(of: own).map { own.inheriting($0.paragraphs) } ?? own
  }

  /// Calls with the stretches of a range in order: what characters have of their own, and what the style
  /// of their paragraph says. O(log runs + those in the range).
  func forEachStretch(
    in range: Range<Int>,
    _ body: (
      _ range: Range<Int>, _ own: AttributeSet<CharacterAttribute>,
      _ style: AttributeSet<CharacterAttribute>
    ) -> Void
  ) {
    layer.paragraphs.forEach(in: range) { part, set in
      let style = style(of: set)?.characters ?? []
      layer.characters.forEach(in: part) { body($0, $1, style) }
    }
  }
}
