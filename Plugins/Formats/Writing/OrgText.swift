import Interchange

/// Escapes text for Org files, so that none of it is syntax that runs a program or is a link.
enum OrgText {
  /// Inserts a zero width space into signs with a meaning, as Org's manual recommends. `%%(` is a
  /// diary expression, which Org's agenda evaluates in headings, texts and timestamps.
  private static let breaker = SignBreaker(
    [
      "[[", "{{{", "<<", "src_", "call_", "%%(", "elisp:", "shell:", "file:", "file+sys:",
      "file+emacs:", "scheduled:", "deadline:", "closed:", "clock:",
    ] + SignBreaker.editorSigns, breaker: "\u{200B}")

  /// Returns a text of several lines. A comma precedes each line that would be a heading, a keyword
  /// or a drawer, as Org itself writes it. O(length).
  static func lines(_ text: String) -> String {
    breaker.broken(text).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map { line in
        let word = line.unicodeScalars.drop { $0 == " " || $0 == "\t" || $0 == "," }
        let begins =
          word.first == "*" || word.first == ":" || word.starts(with: "#+".unicodeScalars)
        return begins ? "," + line : String(line)
      }.joined(separator: "\n")
  }

  /// Returns a text on one line, for headings and properties. O(length).
  static func line(_ text: String) -> String {
    breaker.broken(text.split(whereSeparator: \.isNewline).joined(separator: " "))
  }
}
