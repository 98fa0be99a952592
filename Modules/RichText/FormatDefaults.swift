package import Model

/// The format of text for which nothing else sets one: the defaults of the application or a
/// document.
package struct FormatDefaults: Hashable, Sendable {
  /// The default character attributes.
  package var characters: AttributeSet<CharacterAttribute>
  /// The default paragraph attributes.
  package var paragraphs: AttributeSet<ParagraphAttribute>
  /// Unknown JSON members, which a newer version may have written. They are kept and written again.
  package var other: [String: JSONValue] = [:]

  package init(
    characters: AttributeSet<CharacterAttribute> = [],
    paragraphs: AttributeSet<ParagraphAttribute> = []
  ) {
    (self.characters, self.paragraphs) = (characters, paragraphs)
  }

  /// Returns the defaults with the attributes of others where these have none.
  package func inheriting(_ others: FormatDefaults) -> FormatDefaults {
    var result = self
    result.characters = characters.inheriting(others.characters)
    result.paragraphs = paragraphs.inheriting(others.paragraphs)
    return result
  }

  /// Diple's defaults: Palatino 13 pt, line height 1.2, first line indented by 36 pt.
  package static let standard = FormatDefaults(
    characters: [.family("Palatino"), .size(26)],
    paragraphs: [
      .alignment(.left), .firstLineIndent(.points(36)), .headIndent(.points(0)),
      .tailIndent(.points(0)), .lineHeight(.multiple(288)), .lineSpacing(.points(0)),
      .spaceBefore(.points(0)), .spaceAfter(.points(0)),
    ])

  /// The defaults of new Scrivener 3 projects: Palatino 13 pt, line height 1.1, first line indented
  /// by 18 pt.
  package static let scrivener3 = FormatDefaults(
    characters: standard.characters,
    paragraphs: standard.paragraphs.applying([
      .set(.firstLineIndent(.points(18))), .set(.lineHeight(.multiple(264))),
    ]))
}

/// The inherited layers of a text's format that aren't part of the text.
package struct FormatContext: Equatable, Sendable {
  /// The application's defaults, the lowest layer.
  package var application: FormatDefaults
  /// The format that the text's source expresses, such as Markdown's emphasis and headings. It
  /// overrides paragraph styles and is overridden by direct attributes.
  package var semantics: FormatLayer

  package init(application: FormatDefaults = .standard, semantics: FormatLayer = FormatLayer()) {
    (self.application, self.semantics) = (application, semantics)
  }
}

/// The runs of character and paragraph attributes of a text.
package struct FormatLayer: Equatable, Sendable {
  /// The runs of character attributes.
  package var characters: FormatRuns<CharacterAttribute>
  /// The runs of paragraph attributes. Each run covers whole paragraphs, including terminators.
  package var paragraphs: FormatRuns<ParagraphAttribute>

  package init(
    characters: FormatRuns<CharacterAttribute> = FormatRuns(),
    paragraphs: FormatRuns<ParagraphAttribute> = FormatRuns()
  ) {
    (self.characters, self.paragraphs) = (characters, paragraphs)
  }
}
