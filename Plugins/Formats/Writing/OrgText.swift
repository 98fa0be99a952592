import Interchange

/// Text in an Org file, in which nothing of it is syntax that runs or leads somewhere.
enum OrgText {
  /// `%%(` is a diary expression, which Org's agenda evaluates in headings, texts and timestamps. A
  /// zero width space is what Org's manual names for breaking syntax.
  private static let breaker = SignBreaker(
    [
      "[[", "{{{", "<<", "src_", "call_", "%%(", "elisp:", "shell:", "file:", "file+sys:",
      "file+emacs:", "scheduled:", "deadline:", "closed:", "clock:",
    ] + SignBreaker.editorSigns, breaker: "\u{200B}")

  /// A text of several lines. A line that would be a heading, a keyword or a drawer has a comma
  /// before it, as Org writes it. O(length).
  static func lines(_ text: String) -> String {
    breaker.broken(text).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map { line in
        let word = line.unicodeScalars.drop { $0 == " " || $0 == "\t" || $0 == "," }
        let begins =
          word.first == "*" || word.first == ":" || word.starts(with: "#+".unicodeScalars)
        return begins ? "," + line : String(line)
      }.joined(separator: "\n")
  }

  /// A text on one line, for headings and properties. O(length).
  static func line(_ text: String) -> String {
    breaker.broken(text.split(whereSeparator: \.isNewline).joined(separator: " "))
  }
}
