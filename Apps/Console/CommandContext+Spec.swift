package import Configuration
package import Editing
package import Model
package import Rendering
package import SystemSupport
package import Workspace

extension CommandContext {
  /// Splits the words `[DOC] SPEC`. DOC is nil if only one word is passed, which is only allowed in
  /// the REPL. Throws ``UserError`` with the code `usage` for another number of words or an invalid
  /// SPEC.
  package func documentAndSpec(_ words: [String]) throws -> (doc: String?, spec: SelectionSpec) {
    guard (1...2).contains(words.count), terminal.isInteractive || words.count == 2 else {
      throw UserError(
        .usage,
        "expected DOC and SPEC, got \(words.count.counted("word"))",
        hint:
          """
          put a quote in quotation marks, for example \(words: "essay.md", .spec("\"some words\"")); \
          all is the whole document
          """
      )
    }
    return (
      words.count == 2 ? unquoted(words[0]) : nil, try selectionSpec(words[words.count - 1])
    )
  }

  /// Parses a SPEC. `-` reads a quote from standard input. Throws ``UserError`` with the code
  /// `usage` if the SPEC is invalid.
  package func selectionSpec(_ text: String) throws -> SelectionSpec {
    var text = text
    if text == "-" {
      let quote = String(decoding: try terminal.readInput(), as: UTF8.self)
      let escaped = quote.trimmed.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      text = "\"\(escaped)\""
    }
    if text != TextUnit.all.rawValue, let unit = TextUnit(name: text) {
      throw UserError(
        .usage, "'\(text)' is a unit without a number",
        hint: """
          write a unit with a number, such as \(unit.numberedSpec), or for the word itself \
          type \(words: .spec("\"\(text)\""))
          """)
    }
    do { return try SelectionSpec(parsing: text) } catch {
      throw UserError(.usage, error.description.sanitizedForTerminal)
    }
  }

  /// Removes the quotation marks around a word that isn't a SPEC. The REPL keeps them in every
  /// argument that accepts a SPEC.
  package func unquoted(_ word: String) -> String {
    let isQuoted =
      terminal.isInteractive && word.count > 2 && word.hasPrefix("\"") && word.hasSuffix("\"")
    return isQuoted ? String(word.dropFirst().dropLast()) : word
  }

  /// Prints the paragraphs around a highlight. Prints nothing for a highlight without a position.
  ///
  /// - Throws: ``UserError`` with the code `usage` if the theme is invalid or cannot be read.
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

  /// Prints a page in the format of this terminal. If the page is for a range of its text, prints
  /// only the lines near the range.
  package func write(_ page: Page) {
    let writer = ANSIWriter(page.options)
    var text = ""
    if let range = page.options.range {
      var window = LineWindow(around: range) { line in
        if let line { writer.write(line, to: &text) } else { text += "…\n" }
      }
      PageLayout.forEachLine(of: page) { window.add($0) }
      window.finish()
    } else {
      for line in PageLayout.lines(of: page) { writer.write(line, to: &text) }
    }
    terminal.output.write(text)
  }
}

extension TextUnit {
  /// Creates the unit with a name, in the singular or plural. `char` and `para` are accepted as
  /// abbreviations. Returns nil for an unknown name.
  package init?(name: String) {
    let singular = name.hasSuffix("s") && name != "s" ? String(name.dropLast()) : name
    let known = ["char": TextUnit.character, "para": .paragraph]
    guard let unit = TextUnit(rawValue: singular) ?? known[singular] else { return nil }
    self = unit
  }

  /// An example of a SPEC for this unit, as shown in a hint.
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
