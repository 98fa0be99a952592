package import MarkdownParse
package import Model
package import RichText

/// A text of a word processor as Markdown: the source, and what Markdown cannot say as a layer over the
/// rendered text of that source.
///
/// Markdown says bold, italic, struck and marked words, code, links, footnotes, pictures, headings, quotes,
/// blocks of code, lists and tables; all else, and what of these no mark can say where it stands, is in
/// `layer`. The rendered text is the text, but for this, of which `losses` tells:
///
/// - A paragraph of blanks alone is omitted, unless `keepsBlankParagraphs` makes it a no-break space.
/// - Blanks at the ends of a paragraph, a cell and a line within one go; several line breaks are one.
/// - Control characters go; half of a surrogate pair is U+FFFD.
/// - A footnote's mark is its number in brackets, and its text stands at the end; a comment is no text.
/// - A picture is its file's name. A row that is shorter than a later one is as long as it, if it is the first.
/// - An address that stands as text is a link.
package struct MarkdownConversion: Sendable {
  /// How it is done.
  package struct Options: Sendable {
    /// The dialect that the source is read in.
    package var dialect = MarkdownOptions.standard
    /// Whether underlined words are also put between `<u>` and `</u>`, for other programs.
    package var underlineAsHTML = false
    /// Whether bold, italic and struck words that no mark can say are put between tags.
    package var stylesAsHTML = false
    /// Whether an empty paragraph is kept as one with a no-break space.
    package var keepsBlankParagraphs = false
    /// What stands before the names of pictures' files: a relative folder, a part of their names, or both,
    /// without percent signs; nil leaves pictures out.
    package var imagePrefix: String? = ""
    /// The usual ones.
    package init() {}
  }

  /// A picture that the source names, to be stored beside it.
  package struct Image: Sendable, Equatable {
    /// The name that the source has after the prefix: ASCII letters, digits and a dot.
    package var name: String
    /// Its bytes.
    package var bytes: [UInt8]
  }

  /// A comment, which is not in the source.
  package struct Comment: Sendable, Equatable {
    /// What it is about, in the rendered text: the word before its mark.
    package var range: TextRange
    /// What it says.
    package var text: String
  }

  /// The source; ends with a line feed unless it is empty.
  package let markdown: String
  /// The source, parsed.
  package let document: ParsedDocument
  /// What Markdown does not say, over the rendered text.
  package let layer: FormatLayer
  /// The styles of the text.
  package let styles: StyleSheet
  /// The defaults of the text.
  package let defaults: FormatDefaults
  /// The pictures that the source names.
  package let images: [Image]
  /// The comments, in the order of their places.
  package let comments: [Comment]
  /// What is otherwise than in the text.
  package let losses: [ConversionLoss]
  let segments: [ExpectedText.Segment]

  /// Converts a text. O(text + runs), as often as it takes to write what is read as it should be.
  package init(_ text: AttributedText, _ options: Options = Options()) {
    self.init(RichDocument(text: text), options)
  }

  /// Converts a document. O(text + runs), as often as it takes to write what is read as it should be.
  package init(_ document: RichDocument, _ options: Options = Options()) {
    var plan = ConversionPlan(document, options)
    plan.make()
    let writer = BlockMarkdown(plan, options)
    var written = writer.write(.usual)
    for care in [BlockMarkdown.Care.escaped, .references] where !written.isAsExpected {
      written = writer.write(care)
    }
    let leftover = LeftoverLayer(plan, written)
    markdown = written.markdown
    self.document = written.document
    (styles, defaults) = (document.text.styles, document.text.defaults)
    layer = leftover.layer
    images = plan.images
    segments = written.expected.segments
    comments = written.expected.comments(plan)
    var losses = plan.losses
    losses.add(contentsOf: leftover.losses)
    if !written.isAsExpected { losses.add(.text, at: 0) }
    self.losses = losses.list
  }

  /// Where a range of the converted text stands in the rendered text; nil when none of it does. O(segments).
  package func renderedRange(of range: Range<Int>) -> TextRange? {
    var found: Range<Int>?
    for segment in segments where segment.source == 0 {
      guard let part = segment.rendered(range) else { continue }
      found = (found?.lowerBound ?? part.lowerBound)..<part.upperBound
    }
    return found.map { TextRange(utf16: $0) }
  }
}

/// What a converted text has not, or otherwise.
package struct ConversionLoss: Sendable, Hashable, CustomStringConvertible {
  /// What it is.
  package enum Kind: String, Sendable, CaseIterable {
    case blankParagraphs = "empty paragraphs omitted"
    case blanks = "blanks at the ends of lines omitted"
    case lineBreaks = "repeated line breaks omitted"
    case controls = "control characters omitted"
    case emptyNotes = "notes without text omitted"
    case images = "pictures omitted"
    case nestedNotes = "notes and pictures inside of notes omitted"
    case cells = "cells added to the first row of a table"
    case addresses = "addresses that became links"
    case attributes = "attributes that Markdown overrides"
    case text = "text that could not be written exactly"
  }
  /// What it is.
  package let kind: Kind
  /// How often.
  package let count: Int
  /// Where the first one is, in UTF-16 units of the text that was converted; in a note, of its text.
  package let first: Int

  /// One line: what, how often.
  package var description: String { "\(kind.rawValue): \(count)" }
}

/// Losses, counted.
struct LossCounter {
  private var counts: [ConversionLoss.Kind: (count: Int, first: Int)] = [:]

  mutating func add(_ kind: ConversionLoss.Kind, at offset: Int, count: Int = 1) {
    if count == 0 { return }
    counts[kind, default: (0, offset)].count += count
  }

  mutating func add(contentsOf other: LossCounter) {
    for (kind, loss) in other.counts { add(kind, at: loss.first, count: loss.count) }
  }

  var list: [ConversionLoss] {
    ConversionLoss.Kind.allCases.compactMap { kind in
      counts[kind].map { ConversionLoss(kind: kind, count: $0.count, first: $0.first) }
    }
  }
}
