package import MarkdownParse
package import Model
package import Rendering

/// What is read: a text with its highlights.
package struct ReaderText: Sendable {
  /// The text.
  package var document: ParsedDocument
  /// Its highlights, orphans too.
  package var highlights: [ReaderHighlight]
  /// What a library holds of its format beside the Markdown; nil for none.
  package var format: ShownFormat?
  /// What it is called.
  package var title: String
  /// Whether highlights can be made: not for a text that is in no library.
  package var canMark: Bool
  /// Whether it is in no library and can be brought into one, so that highlights can be made.
  package var canAdd: Bool
  /// What stands above it and is no part of it: title, author and date.
  package var head: [String]

  /// Makes a text of its parts.
  package init(
    document: ParsedDocument, highlights: [ReaderHighlight] = [], format: ShownFormat? = nil,
    title: String, canMark: Bool = false, canAdd: Bool = false, head: [String] = []
  ) {
    self.document = document
    self.format = format
    self.highlights = highlights
    self.title = title
    self.canMark = canMark
    self.canAdd = canAdd
    self.head = head
  }

  /// What is painted over it.
  var overlays: [Overlay] {
    highlights.compactMap { highlight in
      highlight.range.map {
        Overlay(
          range: $0, color: highlight.color, state: highlight.state, id: highlight.shortID,
          hasNote: !highlight.note.isEmpty)
      }
    }
  }
}

/// A highlight as a reader needs it.
package struct ReaderHighlight: Hashable, Sendable {
  /// Which it is.
  package var id: Highlight.ID
  /// Where it stands; nil for an orphan.
  package var range: TextRange?
  /// Its colour.
  package var color: HighlightColor
  /// How sure its place is.
  package var state: AnchorState
  /// What the person wrote about it.
  package var note: String
  /// Its tags.
  package var tags: [String]
  /// The words that were marked.
  package var quote: String
  /// The short name by which a person calls it.
  package var shortID: String

  /// Makes a highlight of its parts.
  package init(
    id: Highlight.ID, range: TextRange?, color: HighlightColor, state: AnchorState = .exact,
    note: String = "", tags: [String] = [], quote: String = "", name: String? = nil
  ) {
    self.id = id
    shortID = name ?? id.dot.shortName(withReplica: false)
    self.range = range
    self.color = color
    self.state = state
    self.note = note
    self.tags = tags
    self.quote = quote
  }
}
