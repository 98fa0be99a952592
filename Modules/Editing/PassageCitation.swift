package import MarkdownParse
package import Model

extension ParsedDocument {
  /// Returns a passage as a quotation in plain text: in quotation marks, with its source on the
  /// line below.
  package func citation(of range: TextRange, source: String) -> String {
    "“\(text.substring(range))”\n— \(source)"
  }

  /// Returns a passage as a quotation in Markdown: a block quote that ends with its source.
  package func citedMarkdown(of range: TextRange, source: String) -> String {
    let lines = markdown(of: range).split(separator: "\n", omittingEmptySubsequences: false)
    let quoted = lines.map { $0.isEmpty ? ">" : "> \($0)" }.joined(separator: "\n")
    return "\(quoted)\n>\n> — \(literal(source, after: "— "))"
  }

  /// Returns Markdown that renders a text literally. It tries three forms and returns the first
  /// that parses back to the text: without escapes, with escapes for marks that could be syntax,
  /// and with all marks escaped. Line ends become spaces.
  ///
  /// - Parameter start: the text before it on the line, which can change how the text is parsed.
  private func literal(_ text: String, after start: String) -> String {
    let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
    let ways = [
      { line }, { MarkdownEscaping.escapingMeaning(line) }, { MarkdownEscaping.escapingAll(line) },
    ]
    for way in ways {
      let written = way()
      let parsed = ParsedDocument(parsing: MarkdownSource(start + written), options: options)
      if parsed.text.string == start + line, parsed.inlines.isEmpty { return written }
    }
    return MarkdownEscaping.escapingAll(line)
  }

  /// Returns a passage as a quotation in HTML: a block quote with its source in the footer.
  package func citedHTML(of range: TextRange, source: String) -> String {
    """
    <blockquote>
    \(html(of: range))<footer>— <cite>\(source.escapedForHTML)</cite></footer>
    </blockquote>

    """
  }
}
