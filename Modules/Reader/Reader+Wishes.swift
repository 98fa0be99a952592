package import Model

/// What the things are about that a reader wants done.
extension Reader {
  /// What a line of an answer is about.
  package enum Destination: Hashable, Sendable {
    /// A highlight, by its id as the line has it.
    case highlight(String)
    /// A document, by its id as the line has it.
    case document(String)
    /// A line and column of a file, by its path as the library has it.
    case place(path: String, line: Int, column: Int)
  }

  /// What a note or a tag is for.
  package enum Subject: Hashable, Sendable {
    /// A highlight.
    case highlight(Highlight.ID)
    /// A passage.
    case passage(TextRange)
  }

  /// As what a passage is copied.
  package enum Format: Hashable, Sendable {
    /// As the person wants copies: its text, if nothing else is said.
    case usual
    /// As Markdown.
    case markdown
    /// As a quotation with its source.
    case cited
  }
}
