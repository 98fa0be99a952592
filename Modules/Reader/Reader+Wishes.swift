package import Model

/// The subjects of a reader's effects.
extension Reader {
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
    case markdown
    /// A quotation with its source.
    case cited
  }
}
