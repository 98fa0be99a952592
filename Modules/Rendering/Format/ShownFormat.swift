package import RichText

/// The format of a document that the library stores in addition to the Markdown.
///
/// The value of an attribute is determined by the first of these that sets it: the text's own
/// attributes, its Markdown, the style of its paragraph, the defaults. Paragraphs in lists, quotes
/// and tables, headings and code don't have the default attributes of paragraphs.
package struct ShownFormat: Sendable, Equatable {
  /// The attributes of characters and paragraphs, by UTF-16 units of the rendered text.
  package let layer: FormatLayer
  /// The available styles.
  package let styles: StyleSheet
  /// The attributes that apply to text for which nothing else sets them.
  package let defaults: FormatDefaults
  /// The margins around the text; nil if none were set.
  package let margins: EditorMargins?
  /// The default attributes of characters that a terminal can show.
  let cellDefaults: AttributeSet<CharacterAttribute>
  /// The attributes of each style that a paragraph uses, including the attributes that the style
  /// inherits.
  private let given: [StyleID: FormatDefaults]

  /// Creates a format and resolves the styles that its paragraphs use. O(runs + styles).
  package init(
    layer: FormatLayer, styles: StyleSheet = StyleSheet(),
    defaults: FormatDefaults = FormatDefaults(), margins: EditorMargins? = nil
  ) {
    (self.layer, self.styles, self.margins) = (layer, styles, margins)
    var defaults = defaults
    // The default alignment follows the direction of the text.
    if defaults.paragraphs[.alignment] == .alignment(.left) {
      defaults.paragraphs.clear(.alignment)
    }
    self.defaults = defaults
    cellDefaults = defaults.characters.removing([.family, .size])
    var given: [StyleID: FormatDefaults] = [:]
    for set in layer.paragraphs.usedSets {
      guard case .style(let id)? = set[.style], given[id] == nil else { continue }
      let (characters, paragraphs) = styles.resolved(id)
      given[id] = FormatDefaults(characters: characters, paragraphs: paragraphs)
    }
    self.given = given
  }

  /// Whether any paragraph has attributes or a style.
  var hasParagraphs: Bool { layer.paragraphs.count > 0 }

  /// Returns whether a paragraph in a range has attributes or a style. O(runs in the range).
  func hasParagraphs(in range: Range<Int>) -> Bool {
    guard hasParagraphs else { return false }
    var result = false
    layer.paragraphs.forEach(in: range) { _, set in result = result || !set.isEmpty }
    return result
  }

  /// Returns the attributes of a paragraph's style; nil if it has none.
  private func style(of paragraph: AttributeSet<ParagraphAttribute>) -> FormatDefaults? {
    if case .style(let id)? = paragraph[.style] { given[id] } else { nil }
  }

  /// Returns the style of the paragraph at an offset; nil if it has none.
  func style(at offset: Int) -> StyleID? {
    if case .style(let id)? = layer.paragraphs[offset][.style] { id } else { nil }
  }

  /// Returns the attributes of the paragraph at an offset, combined with those of its style. O(log
  /// runs).
  ///
  /// - Parameter withDefaults: whether to combine them with the default attributes as well.
  func paragraph(at offset: Int, withDefaults: Bool = false) -> AttributeSet<ParagraphAttribute> {
    let direct = layer.paragraphs[offset]
    let set = style(of: direct).map { direct.inheriting($0.paragraphs) } ?? direct
    return withDefaults ? set.inheriting(defaults.paragraphs) : set
  }

  /// Calls `body` for each run of a range in order, with the text's own attributes and those of its
  /// paragraph's style. O(log runs + runs in the range).
  func forEachStretch(
    in range: Range<Int>,
    _ body: (
      _ range: Range<Int>, _ direct: AttributeSet<CharacterAttribute>,
      _ style: AttributeSet<CharacterAttribute>
    ) -> Void
  ) {
    layer.paragraphs.forEach(in: range) { part, set in
      let style = style(of: set)?.characters ?? []
      layer.characters.forEach(in: part) { body($0, $1, style) }
    }
  }
}
