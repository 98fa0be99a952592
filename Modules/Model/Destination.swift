/// What a line of an answer is about: where a front-end goes when the line is chosen.
package enum Destination: Hashable, Sendable {
  case highlight(Highlight.ID)
  case document(Document.ID)
  /// A position in the file of a document.
  case place(Document.ID, LinePosition)
}
