package import Model

/// The format of text for which nothing else says one: the application's or a document's defaults.
package struct FormatDefaults: Hashable, Sendable {
  /// What holds for characters.
  package var characters: AttributeSet<CharacterAttribute>
  /// What holds for paragraphs.
  package var paragraphs: AttributeSet<ParagraphAttribute>
  /// What a newer version stored here; kept and written again.
  package var other: [String: JSONValue] = [:]

  /// Makes defaults of their parts.
  package init(
    characters: AttributeSet<CharacterAttribute> = [],
    paragraphs: AttributeSet<ParagraphAttribute> = []
  ) {
    (self.characters, self.paragraphs) = (characters, paragraphs)
  }

  /// Diple's own: Palatino 13 pt, lines 1.2 apart, the first one indented by 36 pt.
  package static let standard = FormatDefaults(
    characters: [.family("Palatino"), .size(26)],
    paragraphs: [
      .alignment(.left), .firstLineIndent(.points(36)), .headIndent(.points(0)),
      .tailIndent(.points(0)), .lineHeight(.multiple(288)), .lineSpacing(.points(0)),
      .spaceBefore(.points(0)), .spaceAfter(.points(0)),
    ])

  /// What new projects of Scrivener 3 have: Palatino 13 pt, lines 1.1 apart, the first one indented
  /// by 18 pt.
  package static let scrivener3 = FormatDefaults(
    characters: standard.characters,
    paragraphs: standard.paragraphs.applying([
      .set(.firstLineIndent(.points(18))), .set(.lineHeight(.multiple(264))),
    ]))
}

/// What a text is shown with, beside the attributes that it has of its own: the lowest and the middle
/// layers of what counts.
package struct FormatContext: Equatable, Sendable {
  /// What holds where nothing else says anything.
  package var application: FormatDefaults
  /// What the source of the text says of it, such as Markdown's emphasis and headings; counts more
  /// than the style of a paragraph, and less than attributes of its own.
  package var semantics: FormatLayer

  /// Makes a context of its parts.
  package init(application: FormatDefaults = .standard, semantics: FormatLayer = FormatLayer()) {
    (self.application, self.semantics) = (application, semantics)
  }
}

/// Runs of both kinds of attribute over one text.
package struct FormatLayer: Equatable, Sendable {
  /// The attributes of characters.
  package var characters: FormatRuns<CharacterAttribute>
  /// The attributes of paragraphs; a run covers whole paragraphs with their terminators.
  package var paragraphs: FormatRuns<ParagraphAttribute>

  /// Makes a layer of its parts.
  package init(
    characters: FormatRuns<CharacterAttribute> = FormatRuns(),
    paragraphs: FormatRuns<ParagraphAttribute> = FormatRuns()
  ) {
    (self.characters, self.paragraphs) = (characters, paragraphs)
  }
}
