package import Model

/// The lines that a command wrote for a front-end that shows them itself, such as the reader.
package struct Answer: Hashable, Sendable {
  /// A line with what it is about.
  package struct Row: Hashable, Sendable {
    package var text: String
    /// What the line is about; nil if it leads nowhere.
    package var destination: Destination?
  }

  /// What the lines of a command are.
  package enum Kind: Hashable, Sendable {
    /// Reports of what was done.
    case messages
    /// Things that were asked for, of which even one is worth a visit.
    case list
    /// The highlights of all documents.
    case allHighlights
  }

  package var kind: Kind
  package var rows: [Row] = []
}
