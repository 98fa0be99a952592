package import Model

/// The subjects of a reader's effects.
extension Reader {
  /// The target of a line in a command's output.
  package enum Destination: Hashable, Sendable {
    /// A highlight, by its id as displayed.
    case highlight(String)
    /// A document, by its id as displayed.
    case document(String)
    /// A line and column, from 1, of a file, by its path in the library.
    case place(path: String, line: Int, column: Int)
  }

  /// The subject of a note or a tag.
  package enum Subject: Hashable, Sendable {
    /// An existing highlight.
    case highlight(Highlight.ID)
    /// A passage that becomes a highlight.
    case passage(TextRange)
  }

  /// The format for copying a passage.
  package enum Format: Hashable, Sendable {
    /// The configured format; the default is plain text.
    case usual
    /// Markdown.
    case markdown
    /// A quotation with its source.
    case cited
  }
}
