package import MarkdownParse
package import Model
package import RichText

/// Converts a word-processor text to Markdown: to a source, and to a layer over its rendered text
/// with the attributes that Markdown can't express.
///
/// ```swift
/// let conversion = MarkdownConversion(AttributedText("A quick fox"))
/// conversion.markdown  // "A quick fox\n"
/// ```
///
/// Markdown expresses bold, italic, struck-through and marked words, code, links, footnotes,
/// images, headings, quotes, code blocks, lists and tables. `layer` contains all other attributes,
/// and those for which no markup is possible at their position. The rendered text equals the
/// original, except for these differences, which `losses` counts:
///
/// - A paragraph that contains only spaces is omitted, or becomes a no-break space if
///   `keepsBlankParagraphs` is true.
/// - Spaces at the ends of paragraphs, cells and lines are removed; repeated line breaks become
///   one.
/// - Control characters are removed; an unpaired surrogate becomes U+FFFD.
/// - A footnote's mark becomes its number in brackets, and its text is at the end. Comments aren't
///   part of the text.
/// - An image becomes its file name. A table's first row is extended to the length of its longest
///   row.
/// - An address in the text becomes a link.
package struct MarkdownConversion: Sendable {
  /// The settings of a conversion.
  package struct Options: Sendable {
    /// The dialect in which the source is parsed.
    package var dialect = MarkdownOptions.standard
    /// Whether to put underlined words between `<u>` and `</u>`, for other programs.
    package var underlineAsHTML = false
    /// Whether to use tags for bold, italic and struck-through words that delimiters can't express.
    package var stylesAsHTML = false
    /// Whether to keep an empty paragraph as a no-break space.
    package var keepsBlankParagraphs = false
    /// The text before the names of images in the source: a relative folder such as `pictures/`,
    /// the beginning of the file names such as `report-`, or both, without percent-encoding.
    /// Images are omitted if nil.
    package var imagePrefix: String? = ""
    /// The front matter with which the source begins, including its delimiters and an empty line.
    /// It isn't part of the rendered text.
    package var frontMatter = ""
    package init() {}
  }

  /// An image that the source refers to, to be stored next to it.
  package struct Image: Sendable, Equatable {
    /// The file name without the prefix: ASCII letters, digits, a hyphen and a dot.
    package var name: String
    /// The contents of the file.
    package var bytes: [UInt8]
  }

  /// A highlighted or commented passage. Highlights and comments aren't part of the source.
  package struct Highlight: Sendable, Equatable {
    /// The range of the rendered text. For a comment whose passage is unknown, it is the word before
    /// the comment's mark.
    package var range: TextRange
    /// The colour; yellow for a comment.
    package var color: HighlightColor
    /// The note of the highlight, or the text of the comment; may be empty.
    package var note: String
    package var tags: [String]
    package init(
      range: TextRange, color: HighlightColor = .yellow, note: String = "", tags: [String] = []
    ) {
      (self.range, self.color, self.note, self.tags) = (range, color, note, tags)
    }
  }

  /// The source. Ends with a line feed unless it is empty.
  package let markdown: String
  /// The parsed source.
  package let document: ParsedDocument
  /// The attributes that Markdown doesn't express, on ranges of the rendered text.
  package let layer: FormatLayer
  /// The styles of the text.
  package let styles: StyleSheet
  /// The defaults of the text.
  package let defaults: FormatDefaults
  /// The margins that Diple stored for the document; nil if none were set.
  package let margins: EditorMargins?
  /// The images that the source refers to.
  package let images: [Image]
  /// The highlights and comments, in the order of their ranges.
  package let highlights: [Highlight]
  /// The differences between the rendered text and the original.
  package let losses: [ConversionLoss]
  let segments: [ExpectedText.Segment]

  /// Converts a text. If the rendered text isn't as expected, converts again with more
  /// characters escaped, at most three times in all. O(text + runs) for each time.
  package init(_ text: AttributedText, _ options: Options = Options()) {
    self.init(RichDocument(text: text), options)
  }

  /// Converts a document. If the rendered text isn't as expected, converts again with more
  /// characters escaped, at most three times in all. O(text + runs) for each time.
  package init(_ document: RichDocument, _ options: Options = Options()) {
    var plan = ConversionPlan(document, options)
    plan.make()
    let writer = BlockMarkdown(plan, options)
    var written = writer.write(.usual)
    for care in [BlockMarkdown.Care.escaped, .references] where !written.isAsExpected {
      written = writer.write(care)
    }
    let leftover = ResidualLayer(plan, written)
    markdown = written.markdown
    self.document = written.document
    (styles, defaults) = (document.text.styles, document.text.defaults)
    margins = document.margins
    layer = leftover.layer
    images = plan.images
    segments = written.expected.segments
    highlights = written.expected.highlights(plan)
    var losses = plan.losses
    losses.add(contentsOf: leftover.losses)
    if !written.isAsExpected { losses.add(.text, at: 0) }
    self.losses = losses.list
  }

  /// Returns the rendered range for a range of the original text, or nil if none of it is rendered.
  /// O(segments).
  package func renderedRange(of range: Range<Int>) -> TextRange? {
    var found: Range<Int>?
    for segment in segments where segment.source == 0 {
      guard let part = segment.rendered(range) else { continue }
      found = (found?.lowerBound ?? part.lowerBound)..<part.upperBound
    }
    return found.map { TextRange(utf16: $0) }
  }
}

extension AttributedText {
  /// The text as Markdown, without line breaks around it.
  package var markdown: String {
    let lines = MarkdownConversion(self).markdown.drop(while: \.isNewline)
    return String(lines.reversed().drop(while: \.isNewline).reversed())
  }
}

/// A difference between a converted text and the original.
package struct ConversionLoss: Sendable, Hashable, CustomStringConvertible {
  /// The kind of difference. The raw value is its description.
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
    case attributes = "attributes that Markdown adds"
    case text = "text that could not be written exactly"
  }
  /// The kind of difference.
  package let kind: Kind
  /// The number of occurrences.
  package let count: Int
  /// The offset of the first occurrence, in UTF-16 units of the original text. For a note, the
  /// offset is in the note's text.
  package let first: Int
  /// The first occurrences, if they have names: an attribute and the words that get it.
  package var names: [String] = []

  /// The description and the number of occurrences, on one line, with the names of the first ones.
  package var description: String {
    let named = names.isEmpty ? "" : " (\(names.joined(separator: ", "))"
    let end = names.isEmpty ? "" : names.count < count ? ", …)" : ")"
    return "\(kind.rawValue): \(count)\(named)\(end)"
  }
}

/// Counts losses by kind.
struct LossCounter {
  private var losses: [ConversionLoss.Kind: ConversionLoss] = [:]
  /// The maximum number of occurrences of a kind that are named.
  private static let named = 3

  mutating func add(
    _ kind: ConversionLoss.Kind, at offset: Int, count: Int = 1, names: [String] = []
  ) {
    if count == 0 { return }
    let old = losses[kind]
    losses[kind] = ConversionLoss(
      kind: kind, count: (old?.count ?? 0) + count, first: old?.first ?? offset,
      names: Array(((old?.names ?? []) + names).prefix(Self.named)))
  }

  mutating func add(contentsOf other: LossCounter) {
    for (kind, loss) in other.losses {
      add(kind, at: loss.first, count: loss.count, names: loss.names)
    }
  }

  var list: [ConversionLoss] { ConversionLoss.Kind.allCases.compactMap { losses[$0] } }
}
