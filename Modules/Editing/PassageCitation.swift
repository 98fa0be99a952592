package import MarkdownParse
package import Model

extension ParsedDocument {
  /// A passage as a quotation in plain text: in quotation marks, with the title below it.
  package func citation(of range: TextRange, title: String) -> String {
    "“\(text.substring(range))”\n— \(title)"
  }

  /// A passage as a quotation in Markdown: a block quote that ends with the title.
  package func citedMarkdown(of range: TextRange, title: String) -> String {
    let lines = markdown(of: range).split(separator: "\n", omittingEmptySubsequences: false)
    let quoted = lines.map { $0.isEmpty ? ">" : "> \($0)" }.joined(separator: "\n")
    return "\(quoted)\n>\n> — \(literal(title, after: "— "))"
  }

  /// A text as Markdown that shows it letter for letter: no mark is escaped unless one has a
  /// meaning there, then those that may have one, and all of them only where that is not enough.
  private func literal(_ text: String, after start: String) -> String {
    let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
    let ways = [{ line }, { TextEscaper.escapingMeaning(line) }, { TextEscaper.escapingAll(line) }]
    for way in ways {
      let written = way()
      let reading = ParsedDocument(parsing: MarkdownSource(start + written), options: options)
      if reading.text.string == start + line, reading.inlines.isEmpty { return written }
    }
    return TextEscaper.escapingAll(line)
  }

  /// A passage as a quotation in HTML: a block quote with the title in its footer.
  package func citedHTML(of range: TextRange, title: String) -> String {
    """
    <blockquote>
    \(html(of: range))<footer>— <cite>\(title.escapedForHTML)</cite></footer>
    </blockquote>

    """
  }
}
