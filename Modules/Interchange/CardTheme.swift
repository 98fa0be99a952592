import Model

/// The colours and fonts of a card, as data: what draws it knows no theme.
package struct CardTheme: Codable, Hashable, Sendable {
  /// A colour as CSS writes it: `#fbf7ee`.
  package typealias Color = String

  /// The paper.
  package var background: Color
  /// The words and the title.
  package var text: Color
  /// The author, the path and the number of a card; readable too.
  package var faint: Color
  /// The sign before the words, which nobody has to read.
  package var ornament: Color
  /// The marks behind the words, by the names of the highlight colours.
  package var marks: [String: Color]
  /// The families of the words' font, the best first, separated by commas.
  package var family: String
  /// The same for the title and what stands below.
  package var labelFamily: String

  /// Makes a theme of its parts.
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

/// What `diple-card` is asked to draw, as JSON.
package struct CardOrder: Codable, Hashable, Sendable {
  /// The words; line breaks divide paragraphs.
  package var quote: String
  /// The title of what they are from; empty for none.
  package var title: String
  /// Who wrote it; empty for none.
  package var author: String
  /// The name of its file or its address; empty for none.
  package var source: String
  /// The name of the highlight's colour.
  package var color: String
  /// The looks.
  package var theme: CardTheme
  /// The shape.
  package var size: CardForm.Size
  /// One of the formats that are pictures.
  package var format: CardForm.Format

  /// The order for a quote.
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

  /// The file with the order, in the folder that `diple-card` is given.
  package static let fileName = "order.json"
  /// The most bytes of it: far more words than fit on all the cards that one quote may have.
  package static let sizeLimit = 1 << 20
}

/// What `diple-card` says that it did, as JSON, beside the files.
package struct CardAnswer: Codable, Hashable, Sendable {
  /// The names of the files, in their order; none when it failed.
  package var files: [String]
  /// How many characters no font has: they are drawn as boxes.
  package var unknownGlyphs: Int
  /// Why there are no cards; nil when there are.
  package var problem: String?

  /// Makes an answer of its parts.
  package init(files: [String] = [], unknownGlyphs: Int = 0, problem: String? = nil) {
    self.files = files
    self.unknownGlyphs = unknownGlyphs
    self.problem = problem
  }

  /// The file with the answer, in the same folder.
  package static let fileName = "answer.json"
}
