import Model
public import Search

/// Finds what a regular expression matches.
public struct Pattern: SearchStrategy {
  /// The name by which it is chosen.
  public static let id = "regex"
  /// What it does, in one line.
  public static let summary = "a regular expression (PCRE2); ^ and $ stand at lines"
  /// What it must do; these are its tests.
  public static let examples = [
    SearchExample("a class", query: "gr[ae]y", text: "«gray» or «Grey»"),
    SearchExample("lines", query: "^b.*$", text: "a\n«bcd»\nab"),
    SearchExample("properties of letters", query: "\\p{Lu}\\w+", text: "die «Größe» der «Äpfel»"),
    SearchExample("what is empty is no match", query: "x*", text: "a«xx»b«x»"),
    SearchExample("looking around", query: "(?<=€ )\\d+", text: "€ «12», $ 13"),
    SearchExample("whole words", query: "f\\w", text: "«fo» fox «fa»", wholeWords: true),
    SearchExample("an escape is no capital", query: "\\Sb", text: "«AB» «ab»"),
  ]

  /// Makes the strategy.
  public init() {}

  /// Compiles the pattern.
  public func searcher(for query: SearchQuery) throws(PatternError) -> any TextSearcher {
    guard !query.ignoresDiacritics else {
      throw PatternError(
        pattern: query.text, position: 0,
        cause: "a regular expression cannot leave diacritics out of account")
    }
    return PatternSearcher(
      expression: try RegularExpression(query.text, ignoresCase: query.ignoresCase),
      filter: RegularExpression.filter(for: query.text), wholeWords: query.wholeWords)
  }
}
