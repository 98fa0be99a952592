public import MarkdownParse
public import Model

extension ParsedDocument {
  /// A passage as a quotation in plain text: in quotation marks, with the title below it.
  public func citation(of range: TextRange, title: String) -> String {
    "“\(text.substring(range))”\n— \(title)"
  }

  /// A passage as a quotation in Markdown: a block quote that ends with the title.
  public func citedMarkdown(of range: TextRange, title: String) -> String {
    let lines = markdown(of: range).split(separator: "\n", omittingEmptySubsequences: false)
    let quoted = lines.map { $0.isEmpty ? ">" : "> \($0)" }.joined(separator: "\n")
    var name: [UInt8] = []
    for byte in title.utf8 {
      if byte.isMarkByte { name.append(UInt8(ascii: "\\")) }
      name.append(byte)
    }
    return "\(quoted)\n>\n> — \(String(decoding: name, as: UTF8.self))"
  }

  /// A passage as a quotation in HTML: a block quote with the title in its footer.
  public func citedHTML(of range: TextRange, title: String) -> String {
    """
    <blockquote>
    \(html(of: range))<footer>— <cite>\(PassageHTML.escaped(title))</cite></footer>
    </blockquote>

    """
  }
}
