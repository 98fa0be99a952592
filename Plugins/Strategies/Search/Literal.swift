import Model
public import Search

/// Finds the exact characters of the query.
///
/// ```swift
/// let query = try SearchQuery("fox")
/// let matches = try Literal().matches(query, in: Array("Fox and fox".utf16))  // 0..<3 and 8..<11
/// ```
public struct Literal: SearchStrategy {
  /// The id, which selects the strategy: `diple search --strategy literal`.
  public static let id = "literal"
  /// The description that `diple strategies` prints.
  public static let summary = "the characters exactly as written"
  /// Examples, which are also the tests.
  public static let examples = [
    SearchExample("smart case", query: "fox", text: "«Fox» and «fox»"),
    SearchExample("a capital matches only itself", query: "Fox", text: "«Fox» and fox"),
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
    SearchExample("a raised digit matches only itself", query: "m²", text: "5 «m²», m2, m₂"),
    SearchExample(
      "other encodings of a letter", query: "éclair ế 각 Ω",
      text:
        "«éclair ế 각 Ω» «e\u{301}clair e\u{302}\u{301} \u{1100}\u{1161}\u{11A8} \u{2126}» eclair"),
    SearchExample(
      "characters stay whole", query: "👨", text: "«👨» 👨‍👩‍👧‍👦 👨🏽 «👨»"),
    SearchExample("a letter without its mark", query: "x", text: "x\u{302} e\u{301} «x»"),
    SearchExample("characters beyond the first plane", query: "X", text: "😀«X»😀«X»"),
  ]

  /// Creates the strategy, which has no state.
  public init() {}

  /// Prepares the query. Throws ``PatternError`` if its pattern cannot be compiled.
  public func searcher(for query: SearchQuery) throws(PatternError) -> any TextSearcher {
    let query = query.canonical
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
      hasOtherForms: query.ignoresDiacritics || Canonical.hasOtherForms(query.text),
      // A letter has at most four bytes in either case, and three times as many if it is decomposed.
      reach: query.ignoresDiacritics ? nil : query.text.unicodeScalars.count * 12)
  }
}
