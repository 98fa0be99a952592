import MarkdownParse

/// A text for plugins.
enum ParsedText {
  static var sample: ParsedDocument {
    ParsedDocument(parsing: MarkdownSource(Array("Some words of a text.\n".utf8)))
  }
}
