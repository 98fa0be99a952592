import Model
public import Search

/// Finds what a regular expression matches.
public struct Pattern: CapturingStrategy {
  /// The name by which it is chosen.
  public static let id = "regex"
  /// What it does, in one line.
  public static let summary = "a regular expression (PCRE2); ^ and $ stand at lines"
  /// What it must do; these are its tests.
  public static let examples = [
    SearchExample("a class", query: "gr[ae]y", text: "«gray» or «Grey»"),
    SearchExample("lines", query: "^b.*$", text: "a\n«bcd»\nab"),
    SearchExample("properties of letters", query: "\\p{Lu}\\w+", text: "die «Größe» der «Äpfel»"),
    SearchExample("an empty match is skipped", query: "x*", text: "a«xx»b«x»"),
    SearchExample("looking around", query: "(?<=€ )\\d+", text: "€ «12», $ 13"),
    SearchExample("whole words", query: "f\\w", text: "«fo» fox «fa»", wholeWords: true),
    SearchExample("an escape is not a capital", query: "\\Sb", text: "«AB» «ab»"),
    SearchExample(
      "without diacritics", query: "c.f[éa]\\b", text: "«Café», «cafe\u{301}», «cafa»; cáfés",
      ignoresDiacritics: true),
  ]

  /// Makes the strategy.
  public init() {}

  /// Compiles the pattern.
  public func searcher(for query: SearchQuery) throws(PatternError) -> any TextSearcher {
    try pattern(for: query)
  }

  /// Without regard to diacritics, the pattern's and the text's are both taken out.
  private func pattern(for query: SearchQuery) throws(PatternError) -> PatternSearcher {
    let text = query.ignoresDiacritics ? UnmarkedText.string(query.text) : query.text
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
  /// The groups of the pattern.
  public func groups(of query: SearchQuery) throws(PatternError)
    -> (count: Int, names: [String: Int])
  {
    let expression = try pattern(for: query).expression
    return (expression.groupCount, expression.groupNames)
  }

  /// Looks for the pattern, and says what each group matched.
  public func capture(
    _ query: SearchQuery, in utf8: [UInt8], found: (CapturedMatch) -> Bool
  ) throws(PatternError) -> SearchOutcome {
    let pattern = try pattern(for: query)
    return utf8.withUnsafeBufferPointer { bytes in
      var units = UnitCounter()
      return pattern.matches(in: bytes, from: 0, watch: SearchWatch(), takesEmpty: true) {
        range, group in
        let start = units.units(before: range.lowerBound, in: bytes)
        // What a group in a look around the match has seen may lie before it or behind it.
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
