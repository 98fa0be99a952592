/// The contents of a word processor's file: a text with its notes, images and tables. All offsets
/// are UTF-16 units of the text.
///
/// ```swift
/// let text = AttributedText("A quick\u{FFFC} fox")
/// let note = RichDocument.Note(kind: .footnote, offset: 7, text: AttributedText("Or slow."))
/// let document = RichDocument(text: text, notes: [note])
/// ```
package struct RichDocument: Sendable, Equatable {
  /// A footnote, endnote or comment.
  package struct Note: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable { case footnote, endnote, comment }
    package var kind: Kind
    /// The offset of its mark, a U+FFFC.
    package var offset: Int
    /// The text of the note. Notes inside a note are part of its text.
    package var text: AttributedText
    /// The passage on which a comment is; nil if the file only has its mark. Always nil for a
    /// footnote or endnote.
    package var range: Range<Int>?
    package init(kind: Kind, offset: Int, text: AttributedText, range: Range<Int>? = nil) {
      (self.kind, self.offset, self.text, self.range) = (kind, offset, text, range)
    }
  }

  package struct Image: Sendable, Equatable {
    /// The file format of an image.
    package enum Format: String, Sendable, CaseIterable { case png, jpeg, emf, wmf, other }
    /// The file format of `bytes`.
    package var format: Format
    /// The offset of its mark, a U+FFFC.
    package var offset: Int
    /// The image data; empty if the image is a file next to the text.
    package var bytes: [UInt8]
    /// The name of the file next to the text, in an RTFD folder. It is untrusted input: never use
    /// it as a path.
    package var file: String?
    /// The displayed width, or nil if the file doesn't specify it.
    package var width: Twips?
    /// The displayed height, or nil if the file doesn't specify it.
    package var height: Twips?
    package init(
      format: Format, offset: Int, bytes: [UInt8], file: String? = nil, width: Twips? = nil,
      height: Twips? = nil
    ) {
      (self.format, self.offset, self.bytes, self.file) = (format, offset, bytes, file)
      (self.width, self.height) = (width, height)
    }
  }

  /// A range to which Scrivener applied a style of its project.
  package struct ScrivenerMark: Sendable, Hashable {
    /// Whether it is a paragraph style; otherwise a character style.
    package var isParagraphStyle: Bool
    /// The index of the style in the project's list of styles.
    package var style: Int
    /// The range of the text.
    package var range: Range<Int>
    package init(isParagraphStyle: Bool, style: Int, range: Range<Int>) {
      (self.isParagraphStyle, self.style, self.range) = (isParagraphStyle, style, range)
    }
  }

  /// The properties of a file that aren't part of its text.
  package struct Properties: Sendable, Equatable {
    /// The title; empty if the file has none.
    package var title = ""
    package var authors: [String] = []
    package var subject = ""
    package var keywords: [String] = []
    package init() {}
  }

  /// The text. A table row is a paragraph whose cells are separated by tabs. Images and notes are
  /// marked with U+FFFC.
  package var text: AttributedText
  /// The notes, in the order of their marks.
  package var notes: [Note] = []
  /// The highlights, by their start. They may overlap.
  package var highlights: [Highlight] = []
  /// The images, in the order of their marks.
  package var images: [Image] = []
  /// The paragraphs that are table rows.
  package var tableRows: [Range<Int>] = []
  /// The alignments of the columns of each table, by the start of its first row; nil for a column
  /// without one. Only pages show them.
  package var columns: [Int: [TextAlignment?]] = [:]
  /// The properties that another program stored.
  package var properties = Properties()
  /// The margins that Diple stored for the document; nil if none were set.
  package var margins: EditorMargins?
  /// The ranges with Scrivener styles.
  package var scrivenerMarks: [ScrivenerMark] = []
  /// Descriptions of the file's contents that were not imported, one line each.
  package var losses: [String] = []

  package init(text: AttributedText, notes: [Note] = [], images: [Image] = []) {
    (self.text, self.notes, self.images) = (text, notes, images)
  }
}
