public import FoundationEssentials
public import Model

/// A highlight as it travels between programs: what importers give and exporters take.
public struct AnnotationRecord: Hashable, Sendable {
  /// The name that it has where it comes from.
  public var id: String
  /// The words.
  public var quote: String
  /// The words before.
  public var prefix: String
  /// The words after.
  public var suffix: String
  /// Where it stands in the text that its program saw; nil when that is not known.
  package var position: Position?
  /// The document's path or address.
  public var source: String
  /// The document's title.
  public var title: String
  /// The colour.
  public var color: HighlightColor
  /// The note.
  public var note: String
  /// The tags.
  public var tags: [String]
  /// When it was made; nil when that is not known.
  public var created: Date?
  /// When it was last changed; nil when that is not known.
  public var updated: Date?
  /// Whether the dates are those of a clock whose time zone is not known: they are given as if it
  /// were UTC.
  public var hasLocalDates = false
  /// Who wrote the document.
  public var author = ""
  /// The work that the document is the text of, as an item of CSL-JSON; `null` when nothing is known of
  /// it but title and author.
  public var work = JSONValue.null
  /// The author, the work and the place in it in one line, as a text names its source; empty when
  /// nothing is known.
  public var citation = ""
  /// Where it stands in the document, as its program says it: "page 12 · location 340".
  public var location = ""
  /// Its colour in its program's own words.
  public var sourceColor = ""
  /// Earlier versions of it that the same source holds, such as a shorter highlight of the same place.
  public var earlier: [AnnotationRecord] = []
  /// How sure its place is.
  public var state = AnchorState.exact
  /// The line of its document's file that it begins in, from 1; nil when that is not known.
  public var line: Int?
  /// What the person calls its colour; nil for its plain name.
  public var colorLabel: String?
  /// The address that leads back to it in Diple; nil where the person wants none.
  public var link: String?
  /// The document's name in its library; nil outside of one.
  public var documentID: String?
  /// Where it was imported from; nil for one that was made here.
  public var origin: RecordOrigin?

  /// Its place in UTF-16 units of the rendered text; nil when it is not known in these.
  public var textRange: Range<Int>? {
    if case .utf16(let range) = position { range.utf16 } else { nil }
  }

  /// A place in a text, in the units of the program that says it.
  public enum Position: Hashable, Sendable {
    /// UTF-16 units of the rendered text.
    case utf16(TextRange)
    /// Unicode code points, as in the W3C's text position selector; half-open.
    case codePoints(Range<Int>)
  }

  /// Makes a record of its parts.
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

/// Where a highlight was imported from, as its source said it last; what it did not say is nil.
public struct RecordOrigin: Hashable, Sendable {
  /// The id of the import format.
  public var format: String
  /// Its name there.
  public var id: String?
  /// The path or address of its document there.
  public var source: String?
  /// What that is called.
  public var title: String?
  /// Who wrote it.
  public var author: String?
  /// Where in it the highlight stands.
  public var location: String?
  /// Its colour in the source's own words.
  public var color: String?

  /// Makes an origin that says only its format.
  public init(format: String) { self.format = format }
}

/// What of a highlight a form may have no place for. The raw value is what a person is told.
public enum RecordPart: String, Hashable, Sendable, CaseIterable {
  case colors = "colours"
  case notes
  case tags
  case states
  case dates
  case context = "the words before and after"

  /// Whether a highlight has it. The usual colour, and a place that is sure, say nothing.
  public func stands(in record: AnnotationRecord) -> Bool {
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
