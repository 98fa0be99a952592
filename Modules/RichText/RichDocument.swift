/// What a word processor's file holds: a text, and what stands in it beside letters. All offsets are
/// UTF-16 units of the text.
package struct RichDocument: Sendable, Equatable {
  /// A note that stands off a text.
  package struct Note: Sendable, Equatable {
    /// What a note is for.
    package enum Kind: String, Sendable, CaseIterable { case footnote, endnote, comment }
    /// What it is for.
    package var kind: Kind
    /// Where its mark U+FFFC stands.
    package var offset: Int
    /// What it says. A note inside of a note stands in its text.
    package var text: AttributedText
    /// Makes a note of its parts.
    package init(kind: Kind, offset: Int, text: AttributedText) {
      (self.kind, self.offset, self.text) = (kind, offset, text)
    }
  }

  /// A picture.
  package struct Image: Sendable, Equatable {
    /// How its bytes are to be read.
    package enum Format: String, Sendable, CaseIterable { case png, jpeg, emf, wmf, other }
    /// How its bytes are to be read.
    package var format: Format
    /// Where its mark U+FFFC stands.
    package var offset: Int
    /// Its bytes; none for one that is a file beside the text.
    package var bytes: [UInt8]
    /// The name of the file beside the text, in an RTFD folder. It is what a document says: never a
    /// path to be followed.
    package var file: String?
    /// How wide it is shown; nil when nothing says it.
    package var width: Twips?
    /// How high it is shown; nil when nothing says it.
    package var height: Twips?
    /// Makes a picture of its parts.
    package init(
      format: Format, offset: Int, bytes: [UInt8], file: String? = nil, width: Twips? = nil,
      height: Twips? = nil
    ) {
      (self.format, self.offset, self.bytes, self.file) = (format, offset, bytes, file)
      (self.width, self.height) = (width, height)
    }
  }

  /// A range that Scrivener marked with a style of its project.
  package struct ScrivenerMark: Sendable, Hashable {
    /// Whether it is a style of paragraphs; else of characters.
    package var isParagraphStyle: Bool
    /// Which style, as the project's list of styles counts them.
    package var style: Int
    /// What it covers.
    package var range: Range<Int>
    /// Makes a mark of its parts.
    package init(isParagraphStyle: Bool, style: Int, range: Range<Int>) {
      (self.isParagraphStyle, self.style, self.range) = (isParagraphStyle, style, range)
    }
  }

  /// The text. A row of a table is a paragraph, its cells are divided by tabs; a picture and a note are
  /// U+FFFC each.
  package var text: AttributedText
  /// The notes, in the order of their marks.
  package var notes: [Note] = []
  /// The pictures, in the order of their marks.
  package var images: [Image] = []
  /// The paragraphs that are rows of tables.
  package var tableRows: [Range<Int>] = []
  /// Scrivener's styles.
  package var scrivenerMarks: [ScrivenerMark] = []
  /// What the file has and the text has not, each in a line.
  package var losses: [String] = []

  /// Makes a document of its parts.
  package init(text: AttributedText, notes: [Note] = [], images: [Image] = []) {
    (self.text, self.notes, self.images) = (text, notes, images)
  }
}
