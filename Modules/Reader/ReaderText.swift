public import MarkdownParse
public import Model
import Rendering

/// What is read: a text with its highlights.
public struct ReaderText: Sendable {
  /// The text.
  public var document: ParsedDocument
  /// Its highlights, orphans too.
  public var highlights: [ReaderHighlight]
  /// What it is called.
  public var title: String
  /// Whether highlights can be made: not for a text that is in no library.
  public var canMark: Bool

  /// Makes a text of its parts.
  public init(
    document: ParsedDocument, highlights: [ReaderHighlight] = [], title: String,
    canMark: Bool = false
  ) {
    self.document = document
    self.highlights = highlights
    self.title = title
    self.canMark = canMark
  }

  /// What is painted over it.
  var overlays: [Overlay] {
    highlights.compactMap { highlight in
      highlight.range.map {
        Overlay(
          range: $0, color: highlight.color, state: highlight.state, id: highlight.id,
          hasNote: !highlight.note.isEmpty)
      }
    }
  }
}

/// A highlight as a reader needs it.
public struct ReaderHighlight: Hashable, Sendable {
  /// The name by which the front-end knows it.
  public var id: String
  /// Where it stands; nil for an orphan.
  public var range: TextRange?
  /// Its colour.
  public var color: HighlightColor
  /// How sure its place is.
  public var state: AnchorState
  /// What the person wrote about it.
  public var note: String
  /// Its tags.
  public var tags: [String]
  /// The words that were marked.
  public var quote: String

  /// Makes a highlight of its parts.
  public init(
    id: String, range: TextRange?, color: HighlightColor, state: AnchorState = .exact,
    note: String = "", tags: [String] = [], quote: String = ""
  ) {
    self.id = id
    self.range = range
    self.color = color
    self.state = state
    self.note = note
    self.tags = tags
    self.quote = quote
  }
}
