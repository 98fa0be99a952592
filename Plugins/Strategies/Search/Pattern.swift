import Model
public import Search

/// Finds matches of a regular expression.
public struct Pattern: CapturingStrategy {
  /// The id, which selects the strategy: `diple search --strategy regex`.
  public static let id = "regex"
  /// The description that `diple strategies` prints.
  public static let summary =
    "a regular expression (PCRE2); ^ and $ match at lines; characters stay whole"
  /// Examples, which are also the tests.
  public static let examples = [
    SearchExample("a class", query: "gr[ae]y", text: "«gray» or «Grey»"),
    SearchExample("lines", query: "^b.*$", text: "a\n«bcd»\nab"),
    SearchExample("lines that end in two characters", query: "^b.*$", text: "a\r\n«bcd»\r\nab"),
    SearchExample("properties of letters", query: "\\p{Lu}\\w+", text: "die «Größe» der «Äpfel»"),
    SearchExample("an empty match is skipped", query: "x*", text: "a«xx»b«x»"),
    SearchExample("looking around", query: "(?<=€ )\\d+", text: "€ «12», $ 13"),
    SearchExample("whole words", query: "f\\w", text: "«fo» fox «fa»", wholeWords: true),
    SearchExample("an escape is not a capital", query: "\\Sb", text: "«AB» «ab»"),
    SearchExample(
      "another encoding of a letter", query: "caf.\\b", text: "«café» «cafe\u{301}» cafés"),
    SearchExample(
      "characters stay whole", query: "e|🇩", text: "e\u{302}\u{308} ê̈ 🇩🇪 «e»"),
    SearchExample(
      "without diacritics", query: "c.f[éa]\\b", text: "«Café», «cafe\u{301}», «cafa»; cáfés",
      ignoresDiacritics: true),
  ]

  /// Creates the strategy, which has no state.
  public init() {}

  /// Compiles the pattern. Throws ``PatternError`` if it isn't valid.
  public func searcher(for query: SearchQuery) throws(PatternError) -> any TextSearcher {
    try pattern(for: query)
  }

  /// Compiles the pattern. If diacritics are ignored, they are removed from both the pattern and
  /// the text.
  private func pattern(for query: SearchQuery) throws(PatternError) -> PatternSearcher {
    let canonical = query.canonical.text
    let text = query.ignoresDiacritics ? UnmarkedText.string(canonical) : canonical
    guard !text.isEmpty else {
      throw PatternError(
        pattern: query.text, position: 0, cause: "the query has nothing but diacritics")
    }
    return PatternSearcher(
      expression: try RegularExpression(text, ignoresCase: query.ignoresCase),
      filter: RegularExpression.filter(for: text), wholeWords: query.wholeWords,
      ignoresDiacritics: query.ignoresDiacritics)
  }
}

extension Pattern {
  /// Returns the groups of the pattern. Throws ``PatternError`` if it isn't valid.
  public func groups(of query: SearchQuery) throws(PatternError)
    -> (count: Int, names: [String: Int])
  {
    let expression = try pattern(for: query).expression
    return (expression.groupCount, expression.groupNames)
  }

  /// Finds the pattern and the ranges of its groups. Throws ``PatternError`` if it isn't valid.
  public func capture(
    _ query: SearchQuery, in utf8: [UInt8], found: (CapturedMatch) -> Bool
  ) throws(PatternError) -> SearchOutcome {
    let pattern = try pattern(for: query)
    return utf8.withUnsafeBufferPointer { bytes in
      var units = UnitCounter()
      return pattern.matches(in: bytes, from: 0, watch: SearchWatch(), takesEmpty: true) {
        range, group in
        let start = units.units(before: range.lowerBound, in: bytes)
        // A group in a lookaround assertion may be before or after the match.
        func unit(_ byte: Int) -> Int {
          var counter = byte < range.lowerBound ? UnitCounter() : units
          return counter.units(before: byte, in: bytes)
        }
        let groups = (1..<pattern.expression.groupCount + 1).map { number in
          group(number).map { TextRange(utf16: unit($0.lowerBound)..<unit($0.upperBound)) }
        }
        let end = unit(range.upperBound)
        return found(CapturedMatch(range: TextRange(utf16: start..<end), groups: groups))
      }
    }
  }
}
