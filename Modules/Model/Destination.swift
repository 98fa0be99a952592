/// The document, highlight or place that a front-end opens if the user chooses a line of an answer.
package enum Destination: Hashable, Sendable {
  case highlight(Highlight.ID)
  case document(Document.ID)
  /// The highlights with a tag.
  case tag(String)
  /// A position in the file of a document.
  case place(Document.ID, LinePosition)
}
