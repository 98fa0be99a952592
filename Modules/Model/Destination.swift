/// The document, highlight or place that a front-end opens if the user chooses a line of an answer.
package enum Destination: Hashable, Sendable {
  case highlight(Highlight.ID)
  case document(Document.ID)
  /// A position in the file of a document.
  case place(Document.ID, LinePosition)
}
