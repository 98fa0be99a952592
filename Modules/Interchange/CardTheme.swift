import Model

/// The colours and fonts of a card.
package struct CardTheme: Codable, Hashable, Sendable {
  /// A colour in CSS notation: `#fbf7ee`.
  package typealias Color = String

  package var background: Color
  /// The colour of the quote and the title.
  package var text: Color
  /// The colour of the author, the path and the card's number. It must still be readable on the
  /// background.
  package var faint: Color
  /// The colour of the decorative quotation mark. It may have low contrast.
  package var ornament: Color
  /// The colours behind highlighted text, by the names of the highlight colours.
  package var marks: [String: Color]
  /// The font families of the quote, separated by commas, preferred first.
  package var family: String
  /// The font families of the title and the source, separated by commas, preferred first.
  package var labelFamily: String

  package init(
    background: Color, text: Color, faint: Color, ornament: Color, marks: [String: Color],
    family: String, labelFamily: String
  ) {
    self.background = background
    self.text = text
    self.faint = faint
    self.ornament = ornament
    self.marks = marks
    self.family = family
    self.labelFamily = labelFamily
  }
}

/// The input of `diple-card`, as JSON.
package struct CardOrder: Codable, Hashable, Sendable {
  /// The quote. Line breaks separate paragraphs.
  package var quote: String
  /// The title of the work; empty for none.
  package var title: String
  /// The author; empty if unknown.
  package var author: String
  /// The file name or address of the document; empty for none.
  package var source: String
  /// The name of the highlight's colour.
  package var color: String
  package var theme: CardTheme
  package var size: CardForm.Size
  /// The file format, one of the picture formats.
  package var format: CardForm.Format

  /// Creates the order for a quote. The source is omitted if it equals the title.
  package init(_ record: AnnotationRecord, in theme: CardTheme, as form: CardForm) {
    quote = record.quote
    title = record.title
    author = record.author
    source = record.source == record.title ? "" : record.source
    color = record.color.rawValue
    self.theme = theme
    size = form.size
    format = form.format
  }

  /// The name of the order's file in the folder that is passed to `diple-card`.
  package static let fileName = "order.json"
  /// The maximum size of the file in bytes. It allows far more text than fits on the cards of one
  /// quote.
  package static let sizeLimit = 1 << 20
}

/// The output of `diple-card`, as JSON, in a file beside the cards.
package struct CardAnswer: Codable, Hashable, Sendable {
  /// The names of the cards' files, in order; empty if it failed.
  package var files: [String]
  /// The number of characters that no installed font contains. They are drawn as boxes.
  package var unknownGlyphs: Int
  /// The error; nil if the cards were created.
  package var problem: String?

  package init(files: [String] = [], unknownGlyphs: Int = 0, problem: String? = nil) {
    self.files = files
    self.unknownGlyphs = unknownGlyphs
    self.problem = problem
  }

  /// The name of the answer's file in the same folder.
  package static let fileName = "answer.json"
}
