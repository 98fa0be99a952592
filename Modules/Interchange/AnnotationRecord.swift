public import FoundationEssentials
public import Model

/// A highlight in the form in which importers return it and exporters receive it.
///
/// ```swift
/// var record = AnnotationRecord(
///   id: "1", quote: "the quick fox", source: "fox.md", title: "Fox", color: .yellow)
/// record.location = "page 12"
/// ```
public struct AnnotationRecord: Hashable, Sendable {
  /// The highlight's id in the application it is from.
  public var id: String
  /// The texts of which each, together with ``id``, identifies the highlight, such as digests of its
  /// file; the most certain one is first. Empty if the id is unique among all highlights of the
  /// application.
  public var idScopes: [String] = []
  /// The highlighted text.
  public var quote: String
  /// The text before the quote; empty if unknown.
  public var prefix: String
  /// The text after the quote; empty if unknown.
  public var suffix: String
  /// The position in the text that the application had; nil if unknown.
  package var position: Position?
  /// The path or address of the document.
  public var source: String
  /// The title of the document.
  public var title: String
  /// The highlight's colour.
  public var color: HighlightColor
  /// The note; empty for none.
  public var note: String
  /// The tags, without a leading `#`.
  public var tags: [String]
  /// The time at which the highlight was created; nil if unknown.
  public var created: Date?
  /// The time at which the highlight was last changed; nil if unknown.
  public var updated: Date?
  /// Whether the time zone of the dates is unknown. Such dates contain the local time as if it were
  /// UTC.
  public var hasLocalDates = false
  /// The author of the document; empty if unknown.
  public var author = ""
  /// The work whose text the document is, as a CSL-JSON item; `null` if only title and author are
  /// known.
  public var work = JSONValue.null
  /// The author, the work and the location in one line, as a text cites its source; empty if
  /// nothing is known.
  public var citation = ""
  /// The location in the words of the application: "page 12 · location 340"; empty if unknown.
  public var location = ""
  /// The colour in the words of the application; empty if unknown.
  public var sourceColor = ""
  /// The highlight's whole JSON object in the source, which an export in the same format writes
  /// back with the changes made in Diple; `null` if the format has no objects.
  public var object = JSONValue.null
  /// Whether the words are those that an import found for ``object``, also if they differ from
  /// those in it.
  public var hasWordsOfObject = false
  /// Whether the words around the quote and its position are those of the text it is from, not of a
  /// file of imported quotes.
  public var isInOwnText = true
  /// Whether the source has the colour. If it does not, `color` is the default colour.
  public var isColorKnown = true
  /// The values with which Diple wrote the highlight into the file, where another program can have
  /// changed them; nil if they are unknown.
  public var written: WrittenValues?
  /// Earlier versions of the highlight in the same source, such as a shorter highlight at the same
  /// position.
  public var earlier: [AnnotationRecord] = []
  /// The state of the highlight's anchor.
  public var state = AnchorState.exact
  /// The line of the document's file in which the highlight begins, from 1; nil if unknown.
  public var line: Int?
  /// The column of that line, from 1; nil if unknown.
  package var column: Int?
  /// The user's name for the colour; nil if the user has not named it.
  public var colorLabel: String?
  /// The link that opens the highlight in Diple; nil if the user does not want links.
  public var link: String?
  /// The words that were marked, if they were edited since; `quote` contains the present ones. Nil
  /// if they are the same.
  public var marked: String?
  /// The number by which people name the highlight in its library, such as 42; nil if the record is
  /// not from a library.
  public var number: Int?
  /// The id of the document in its library; nil if the record is not from a library.
  public var documentID: String?
  /// The note on the document, as Markdown; empty if it has none or isn't in a library.
  public var documentNote = ""
  /// The origin of an imported highlight; nil if it was made in Diple.
  public var origin: RecordOrigin?
  /// The parts of the quote that are code, in UTF-16 units, in order. Only cards show them.
  package var code: [Range<Int>] = []

  /// The range in UTF-16 units of the rendered text; nil if the position is unknown or has another
  /// unit.
  public var textRange: Range<Int>? {
    if case .utf16(let range) = position { range.utf16 } else { nil }
  }

  /// A range in a text, in the unit that the application uses.
  public enum Position: Hashable, Sendable {
    /// A range in UTF-16 units of the rendered text.
    case utf16(TextRange)
    /// A half-open range in Unicode code points, as in the W3C's text position selector.
    case codePoints(Range<Int>)
  }

  /// Creates a record. The other properties have default values.
  public init(
    id: String, quote: String, prefix: String = "", suffix: String = "",
    position: Position? = nil, source: String, title: String, color: HighlightColor,
    note: String = "", tags: [String] = [], created: Date? = nil, updated: Date? = nil
  ) {
    self.id = id
    self.quote = quote
    self.prefix = prefix
    self.suffix = suffix
    self.position = position
    self.source = source
    self.title = title
    self.color = color
    self.note = note
    self.tags = tags
    self.created = created
    self.updated = updated
  }
}

/// The origin of an imported highlight, as of the last import. Values that the source did not
/// contain are nil.
public struct RecordOrigin: Hashable, Sendable {
  /// The id of the import format.
  public var format: String
  /// The highlight's id in the source.
  public var id: String?
  /// The path or address of the document in the source.
  public var source: String?
  /// The title of the document in the source.
  public var title: String?
  /// The author of the document.
  public var author: String?
  /// The location of the highlight in the document.
  public var location: String?
  /// The colour in the words of the source.
  public var color: String?

  /// Creates an origin of which only the format is known.
  public init(format: String) { self.format = format }
}

/// A property of highlights that an export format may not support. The raw value is its name in
/// messages.
public enum RecordPart: String, Hashable, Sendable, CaseIterable {
  case colors = "colours"
  case notes
  case tags
  case states
  case dates
  case context = "the words before and after"

  /// Returns whether a record has the property. The default colour and an exact position do not
  /// count.
  public func applies(in record: AnnotationRecord) -> Bool {
    switch self {
    case .colors: record.color != .yellow || record.colorLabel != nil
    case .notes: !record.note.isEmpty
    case .tags: !record.tags.isEmpty
    case .states: record.state != .exact
    case .dates: record.created != nil || record.updated != nil
    case .context: !record.prefix.isEmpty || !record.suffix.isEmpty
    }
  }
}

/// The values of a highlight that Diple wrote into a file.
public struct WrittenValues: Hashable, Sendable {
  /// The highlight's colour.
  public var color: HighlightColor
  /// The note; empty for none.
  public var note: String
  /// The tags, without a leading `#`.
  public var tags: [String]

  /// Creates the values of a highlight.
  public init(color: HighlightColor, note: String, tags: [String]) {
    (self.color, self.note, self.tags) = (color, note, tags)
  }
}
