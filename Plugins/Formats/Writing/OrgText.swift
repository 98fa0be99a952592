import Interchange

/// Escapes text for Org files, so that none of it is syntax that runs a program or is a link.
enum OrgText {
  private static let space: Unicode.Scalar = "\u{200B}"

  /// Inserts a zero width space into signs with a meaning, as Org's manual recommends. `%%(` is a
  /// diary expression, which Org's agenda evaluates in headings, texts and timestamps. `'(` begins
  /// an expression in a table, which is evaluated when the table is edited, and `@@` a piece of
  /// another format.
  private static let breaker = SignBreaker(
    [
      "[[", "{{{", "<<", "src_", "call_", "%%(", "'(", "@@", "scheduled:", "deadline:", "closed:",
      "clock:",
    ] + SignBreaker.editorSigns, breaker: space)
  private static let commandsOfTeX = SignBreaker(
    SignBreaker.commandsOfTeX, breaker: space, breaksAfterFirst: true)

  /// The types of links that are kept. Those of Org run programs and open files.
  private static let types: Set = ["http", "https", "mailto", "urn", "diple"]

  /// Returns a text of several lines. A zero width space precedes each line that would be a
  /// heading, a keyword or a drawer. Org itself writes a comma, but pandoc removes it and reads
  /// the line. O(length).
  static func lines(_ text: String) -> String {
    inert(text).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map { line in
        let word = line.unicodeScalars.drop { $0 == " " || $0 == "\t" || $0 == "," }
        let begins =
          word.first == "*" || word.first == ":" || word.starts(with: "#+".unicodeScalars)
        return begins ? "\(space)" + line : String(line)
      }.joined(separator: "\n")
  }

  /// Returns a text on one line, for headings and properties. O(length).
  static func line(_ text: String) -> String {
    inert(text.split(whereSeparator: \.isNewline).joined(separator: " "))
  }

  private static func inert(_ text: String) -> String {
    breakingLinks(commandsOfTeX.broken(breaker.broken(text)))
  }

  /// Returns a text with a zero width space before each colon after which an address begins, as in
  /// `elisp:(…)`. Org makes links of them without further markup.
  private static func breakingLinks(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    var type = ""
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      if scalar == ":", type.contains(where: \.isLetter), !types.contains(type),
        rest.first?.properties.isWhitespace == false
      {
        result.append(space)
      }
      let isPart =
        scalar.isASCII
        && (scalar.properties.isAlphabetic || "0123456789+-.".unicodeScalars.contains(scalar))
      type = isPart ? type + scalar.properties.lowercaseMapping : ""
      result.append(scalar)
    }
    return String(result)
  }
}
