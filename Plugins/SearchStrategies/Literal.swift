import Model
public import Search

/// Finds the very characters of the query.
public struct Literal: SearchStrategy {
  /// The name by which it is chosen.
  public static let id = "literal"
  /// What it does, in one line.
  public static let summary = "the characters as they are written"
  /// What it must do; these are its tests.
  public static let examples = [
    SearchExample("smart case", query: "fox", text: "«Fox» and «fox»"),
    SearchExample("a capital means itself", query: "Fox", text: "«Fox» and fox"),
    SearchExample("beyond ASCII", query: "größe", text: "die «GRÖßE» der «größe»"),
    SearchExample("punctuation is literal", query: "a.c", text: "abc «a.c»"),
    SearchExample("whole words", query: "the", text: "«the» other, «The» end", wholeWords: true),
    SearchExample(
      "a whole word has its apostrophe", query: "Don", text: "«Don», Don't", wholeWords: true),
    SearchExample("no overlap", query: "aa", text: "«aa»«aa»a"),
    SearchExample(
      "without diacritics", query: "cafe", text: "«Café», «cafe\u{301}», «cafe»",
      ignoresDiacritics: true),
    SearchExample("raised and lowered digits", query: "H2O", text: "«H2O» and «H₂O», H³O, h₂o"),
    SearchExample("raised letters", query: "1st", text: "the «1st», «1ˢᵗ» and «1ST»"),
    SearchExample("a raised digit means itself", query: "m²", text: "5 «m²», m2, m₂"),
    SearchExample("signs beyond the first plane", query: "X", text: "😀«X»😀«X»"),
  ]

  /// Makes the strategy.
  public init() {}

  /// Makes ready to look for the characters.
  public func searcher(for query: SearchQuery) throws(PatternError) -> any TextSearcher {
    guard query.ignoresCase || query.ignoresDiacritics else {
      return try BytesSearcher(query, levels: LevelForms(query), otherwise: patternSearcher)
    }
    if !query.ignoresDiacritics, query.text.utf8.allSatisfy({ $0 < 0x80 }) {
      return try BytesSearcher(
        ofAnyCase: query, levels: LevelForms(query), otherwise: patternSearcher)
    }
    return try patternSearcher(for: query)
  }

  private func patternSearcher(for query: SearchQuery) throws(PatternError) -> PatternSearcher {
    let levels = LevelForms(query)
    let pattern = RegularExpression.pattern(
      for: query.text, ignoresDiacritics: query.ignoresDiacritics, levels: levels.forms(of:))
    return PatternSearcher(
      expression: try RegularExpression(pattern, ignoresCase: query.ignoresCase),
      filter: .substring(query.text), wholeWords: query.wholeWords,
      // A letter's other case takes at most three bytes more than the shortest.
      reach: query.ignoresDiacritics ? nil : query.text.unicodeScalars.count * 4)
  }
}
