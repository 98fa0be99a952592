package import MarkdownParse
package import Model
package import Rendering

/// A text to read, with its highlights.
package struct ReaderText: Sendable {
  /// The parsed document that is displayed.
  package var document: ParsedDocument
  /// The highlights, including orphans.
  package var highlights: [ReaderHighlight]
  /// The format that the library stores in addition to the Markdown, or nil if there is none.
  package var format: ShownFormat?
  /// The displayed title.
  package var title: String
  /// Whether highlights can be created. False for a text outside a library.
  package var canMark: Bool
  /// Whether the text is outside a library and can be added to one.
  package var canAdd: Bool
  /// The reason why highlights can't be created, to be shown with the menu; nil if there is nothing
  /// to explain.
  package var refusal: String?
  /// The lines above the text that aren't part of it: title, author and date.
  package var head: [String]
  /// The content of the embedded notes; nil to draw none.
  package var embeds: PageEmbeds?

  package init(
    document: ParsedDocument, highlights: [ReaderHighlight] = [], format: ShownFormat? = nil,
    title: String, canMark: Bool = false, canAdd: Bool = false, head: [String] = [],
    embeds: PageEmbeds? = nil
  ) {
    self.document = document
    self.format = format
    self.highlights = highlights
    self.title = title
    self.canMark = canMark
    self.canAdd = canAdd
    self.head = head
    self.embeds = embeds
  }

  /// The highlights to draw over the text.
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

/// A highlight as the reader displays it.
package struct ReaderHighlight: Hashable, Sendable {
  /// The highlight's identity.
  package var id: Highlight.ID
  /// The range in the rendered text, or nil for an orphan.
  package var range: TextRange?
  /// The colour.
  package var color: HighlightColor
  /// The certainty of the range.
  package var state: AnchorState
  /// Whether the user should confirm or reject the range.
  package var needsReview: Bool { !isDetached && (state == .doubtful || state == .orphaned) }
  /// Whether the user declared the passage deleted.
  package var isDetached: Bool
  /// The user's note; may be empty.
  package var note: String
  /// The tags, without `#`.
  package var tags: [String]
  /// The highlighted words.
  package var quote: String
  /// The short name for display and commands.
  package var shortID: String

  /// Creates a highlight. Without a name, the short name is the id.
  package init(
    id: Highlight.ID, range: TextRange?, color: HighlightColor, state: AnchorState = .exact,
    note: String = "", tags: [String] = [], quote: String = "", name: String? = nil,
    isDetached: Bool = false
  ) {
    self.id = id
    shortID = name ?? id.description
    self.range = range
    self.color = color
    self.state = state
    self.note = note
    self.tags = tags
    self.quote = quote
    self.isDetached = isDetached
  }
}
