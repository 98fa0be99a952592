package import Model

/// The lines that a command wrote for a front-end that shows them itself, such as the reader.
package struct Answer: Hashable, Sendable {
  package struct Row: Hashable, Sendable {
    package var text: String
    /// The document, highlight or place that a front-end opens for the line; nil for none.
    package var destination: Destination?
  }

  /// The kind of a command's lines.
  package enum Kind: Hashable, Sendable {
    /// Reports of changes.
    case messages
    /// Results of a query. Even a single one is shown in a list, so that the user can open it.
    case list
    /// The highlights of all documents.
    case allHighlights
    /// A help text, with a line for each paragraph. Empty lines are kept.
    case help
  }

  package var kind: Kind
  package var rows: [Row] = []
}
