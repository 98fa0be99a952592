package import MarkdownParse
package import Model

extension ParsedDocument {
  /// A passage as a quotation in plain text: in quotation marks, with what it is from below it.
  package func citation(of range: TextRange, source: String) -> String {
    "“\(text.substring(range))”\n— \(source)"
  }

  /// A passage as a quotation in Markdown: a block quote that ends with what it is from.
  package func citedMarkdown(of range: TextRange, source: String) -> String {
    let lines = markdown(of: range).split(separator: "\n", omittingEmptySubsequences: false)
    let quoted = lines.map { $0.isEmpty ? ">" : "> \($0)" }.joined(separator: "\n")
    return "\(quoted)\n>\n> — \(literal(source, after: "— "))"
  }

  /// A text as Markdown that shows it letter for letter: no mark is escaped unless one has a
  /// meaning there, then those that may have one, and all of them only where that is not enough.
  private func literal(_ text: String, after start: String) -> String {
    let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
    let ways = [
      { line }, { MarkdownEscaping.escapingMeaning(line) }, { MarkdownEscaping.escapingAll(line) },
    ]
    for way in ways {
      let written = way()
      let reading = ParsedDocument(parsing: MarkdownSource(start + written), options: options)
      if reading.text.string == start + line, reading.inlines.isEmpty { return written }
    }
    return MarkdownEscaping.escapingAll(line)
  }

  /// A passage as a quotation in HTML: a block quote with what it is from in its footer.
  package func citedHTML(of range: TextRange, source: String) -> String {
    """
    <blockquote>
    \(html(of: range))<footer>— <cite>\(source.escapedForHTML)</cite></footer>
    </blockquote>

    """
  }
}
