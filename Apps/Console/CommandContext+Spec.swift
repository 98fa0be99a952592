package import Configuration
package import Editing
package import Model
package import Rendering
package import SystemSupport
package import Workspace

extension CommandContext {
  /// Divides `[DOC] SPEC`.
  package func documentAndSpec(_ words: [String]) throws -> (doc: String?, spec: SelectionSpec) {
    guard (1...2).contains(words.count), terminal.isInteractive || words.count == 2 else {
      throw UserError(
        .usage,
        "expected DOC and SPEC, got \(words.count.counted("word"))",
        hint:
          "put a quote in quotation marks, for example \(words: "essay.md", .spec("\"some words\""))"
      )
    }
    return (
      words.count == 2 ? unquoted(words[0]) : nil, try selectionSpec(words[words.count - 1])
    )
  }

  /// Reads a SPEC. One of `-` is a quote on standard input.
  package func selectionSpec(_ text: String) throws -> SelectionSpec {
    var text = text
    if text == "-" {
      let quote = String(decoding: try terminal.readInput(), as: UTF8.self)
      let escaped = quote.trimmed.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      text = "\"\(escaped)\""
    }
    if text != TextUnit.all.rawValue, let unit = TextUnit(name: text) {
      throw UserError(
        .usage, "'\(text)' alone is a unit, and needs a selection",
        hint: """
          name one, such as \(unit.numberedSpec), or for the text itself type \
          \(words: .spec("\"\(text)\""))
          """)
    }
    do { return try SelectionSpec(parsing: text) } catch {
      throw UserError(.usage, error.description.sanitizedForTerminal)
    }
  }

  /// A word beside a SPEC. In the line editor all words of an argument that may be a SPEC keep their
  /// quotation marks.
  package func unquoted(_ word: String) -> String {
    let isQuoted =
      terminal.isInteractive && word.count > 2 && word.hasPrefix("\"") && word.hasSuffix("\"")
    return isQuoted ? String(word.dropFirst().dropLast()) : word
  }

  /// Draws the paragraphs around a highlight.
  package func draw(
    _ open: OpenDocument, around highlight: Highlight, width asked: Int?, _ settings: Settings
  ) throws(UserError) {
    guard let range = highlight.anchor.range else { return }
    let options = try terminal.pageOptions(width: asked, settings, around: range)
    write(
      Page(
        document: open.parsed, overlays: open.overlays, format: open.format, options: options,
        lexers: libraries.plugins.lexers.all))
  }

  /// Writes a page as it is drawn here.
  package func write(_ page: Page) {
    let writer = ANSIWriter(page.options)
    var text = ""
    for line in PageLayout.lines(of: page) { writer.write(line, to: &text) }
    terminal.output.write(text)
  }
}

extension String {
  fileprivate var trimmed: String {
    var text = self[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}

extension TextUnit {
  /// The unit of a name, in the singular or plural; `char` and `para` are short.
  package init?(name: String) {
    let singular = name.hasSuffix("s") && name != "s" ? String(name.dropLast()) : name
    let known = ["char": TextUnit.character, "para": .paragraph]
    guard let unit = TextUnit(rawValue: singular) ?? known[singular] else { return nil }
    self = unit
  }

  /// A SPEC that says which of these units is meant.
  fileprivate var numberedSpec: String {
    switch self {
    case .character: "u16:120-121"
    case .word, .sentence, .all: "word:12"
    case .line: "line:4"
    case .paragraph, .block: "para:3"
    case .section: "section:\"Intro\""
    }
  }
}
