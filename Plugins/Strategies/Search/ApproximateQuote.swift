import Model
public import Search

/// Finds text similar to a quote that is remembered incorrectly.
public struct ApproximateQuote: SearchStrategy {
  /// The id, which selects the strategy: `diple search --strategy fuzzy`.
  public static let id = "fuzzy"
  /// The description that `diple strategies` prints.
  public static let summary =
    "similar text: one character in five may differ, be missing, be added or change places"
  /// Examples, which are also the tests.
  public static let examples = [
    SearchExample("a wrong letter", query: "quick brwn fox", text: "the «quick brown fox» ran"),
    SearchExample("exchanged letters", query: "recieve", text: "to «receive» one"),
    SearchExample(
      "exchanged letters at the middle of a word", query: "govrenment",
      text: "the «government» of a «governmnet»"),
    SearchExample(
      "another word", query: "all happy families are alike",
      text: "He said: «All happy families look alike», or so. «all happy families are alike»"),
    SearchExample("case and diacritics", query: "deja vu", text: "a «Déjà-Vu»"),
    SearchExample("too many differences", query: "lorem ipsum", text: "nothing like it"),
  ]

  /// The maximum length of a quote, in characters.
  private static let longest = 1024

  /// Creates the strategy, which has no state.
  public init() {}

  /// Prepares the quote. Throws ``PatternError`` if it is empty without its marks, or too long.
  public func searcher(for query: SearchQuery) throws(PatternError) -> any TextSearcher {
    let folded = query.canonical.text.unicodeScalars.compactMap { scalar -> UInt32? in
      let (folded, kind) = TextFolding.fold(scalar.value)
      return kind == .mark ? nil : folded
    }
    guard !folded.isEmpty, folded.count <= Self.longest else {
      throw PatternError(
        pattern: query.text, position: 0,
        cause: folded.isEmpty
          ? "the query is empty" : "it is longer than \(Self.longest) characters")
    }
    return ApproximateSearcher(folded, query)
  }
}
