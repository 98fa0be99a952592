import FoundationEssentials
import Model

/// A highlight as sent to pages.
struct HighlightAnswer: Encodable {
  var id: Highlight.ID
  var short: String
  var document: Document.ID
  var color: HighlightColor
  var label: String?
  var state: AnchorState
  var note: String
  var tags: [String]
  /// The ranges in the rendered text; empty for an orphan.
  var ranges: [WebRange]
  var quote: String
  var created: Date
  var updated: Date
  var score: Double
  /// Only set in lists of several documents.
  var documentTitle: String?

  init(_ highlight: Highlight, in document: Document? = nil) {
    id = highlight.id
    short = String(highlight.id.dot.sequence)
    self.document = highlight.document
    color = highlight.color
    label = highlight.label
    state = highlight.anchor.state
    note = highlight.note
    tags = highlight.tags
    ranges = highlight.anchor.range.map { [WebRange($0)] } ?? []
    quote = highlight.selector.exact
    created = highlight.created
    updated = highlight.updated
    score = highlight.anchor.score
    documentTitle = document?.title
  }
}

/// A colour and its label in the library.
struct ColorAnswer: Encodable {
  var name: HighlightColor
  var label: String?
  var letter: String

  static func all(_ labels: [HighlightColor: String]) -> [ColorAnswer] {
    HighlightColor.allCases.map {
      ColorAnswer(name: $0, label: labels[$0], letter: String($0.letter))
    }
  }
}
