import Model

/// The colours and fonts of a card.
package struct CardTheme: Codable, Hashable, Sendable {
  /// A colour in CSS notation: `#fbf7ee`.
  package typealias Color = String

  /// The colours of a card with a highlight of one colour.
  package struct Look: Codable, Hashable, Sendable {
    package var background: Color
    /// The colour of the quote and the title.
    package var text: Color
    /// The colour of the author, the source and the card's number. It must still be readable on the
    /// background.
    package var faint: Color
    /// The highlight's colour, for a bar, lines under the quote and the quotation mark.
    package var accent: Color
    /// The colour of boxes behind the quote.
    package var box: Color
    /// The colour of the quote on boxes.
    package var boxText: Color

    package init(
      background: Color, text: Color, faint: Color, accent: Color, box: Color, boxText: Color
    ) {
      self.background = background
      self.text = text
      self.faint = faint
      self.accent = accent
      self.box = box
      self.boxText = boxText
    }
  }

  /// The colours, by the names of the highlight colours.
  package var looks: [String: Look]
  /// The mark of cards for which none is requested.
  package var mark: CardForm.Mark
  /// The font families of the quote, separated by commas, preferred first.
  package var family: String
  /// The font families of code.
  package var codeFamily: String
  /// The font families of the title and the source.
  package var labelFamily: String
  /// Whether scripts that `family` does not have get fonts with serifs.
  package var hasSerifs: Bool
  /// The weight of the quote's letters.
  package var weight: Weight
  /// Whether a bar is a band at the edge of the card, as high as the card, instead of beside the
  /// quote.
  package var hasBand: Bool

  /// How thick letters are. Medium is drawn from regular letters, because few families have it.
  package enum Weight: String, Codable, Hashable, Sendable {
    case regular, medium, bold
  }

  package init(
    looks: [String: Look], mark: CardForm.Mark, family: String, codeFamily: String,
    labelFamily: String, hasSerifs: Bool, weight: Weight = .regular, hasBand: Bool = false
  ) {
    self.looks = looks
    self.mark = mark
    self.family = family
    self.codeFamily = codeFamily
    self.labelFamily = labelFamily
    self.hasSerifs = hasSerifs
    self.weight = weight
    self.hasBand = hasBand
  }
}

/// The input of `diple-card`, as JSON.
package struct CardOrder: Codable, Hashable, Sendable {
  /// The quote. Line breaks separate paragraphs.
  package var quote: String
  /// The parts of the quote that are code, in UTF-16 units, in order.
  package var code: [Range<Int>]
  /// The title of the work; empty for none.
  package var title: String
  /// The author; empty if unknown.
  package var author: String
  /// The file name of the document, or the host of its address; empty for none.
  package var source: String
  /// The name of the highlight's colour.
  package var color: String
  package var theme: CardTheme
  package var mark: CardForm.Mark
  package var size: CardForm.Size
  /// The file format, one of the picture formats.
  package var format: CardForm.Format

  /// Creates the order for a quote.
  package init(_ record: AnnotationRecord, in theme: CardTheme, as form: CardForm) {
    quote = record.quote
    code = record.code
    title = record.title
    author = record.author
    source = form.source(of: record)
    color = record.color.rawValue
    self.theme = theme
    mark = form.mark ?? theme.mark
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
