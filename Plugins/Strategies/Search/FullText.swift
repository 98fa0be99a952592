import Model
public import Search

/// Ranks texts by their words, and finds the words in them.
public struct FullText: SearchStrategy {
  /// The id, which selects the strategy: `diple search --strategy text`.
  public static let id = "text"
  /// The description that `diple strategies` prints.
  public static let summary =
    "ranked: words anywhere in a document, \"phrases\", begin*, OR and -without"
  /// Examples, which are also the tests.
  public static let examples = [
    SearchExample("anywhere", query: "fox dog", text: "a «fox»\n\nthe «Dog»"),
    SearchExample("all words are required", query: "fox cat", text: "a fox\n\nthe dog"),
    SearchExample("one of two", query: "cat OR dog", text: "a fox\n\nthe «dog»"),
    SearchExample("an excluded word", query: "fox -dog", text: "a fox\n\nthe dog"),
    SearchExample("phrase", query: "\"red fox\"", text: "a «red, fox» and a fox red"),
    SearchExample("beginning", query: "high*", text: "a «highlighter» «high» up"),
    SearchExample("diacritics are folded", query: "cafe", text: "a «Café» «CAFE\u{301}»"),
    SearchExample("no blanks between words", query: "北京", text: "我在«北京»工作。"),
    SearchExample("another encoding", query: "각", text: "«각» «\u{1100}\u{1161}\u{11A8}» 가"),
    SearchExample("parts of words do not match", query: "fox", text: "foxes firefox"),
  ]

  /// Creates the strategy, which has no state.
  public init() {}

  /// Parses the query. Throws ``PatternError`` if it isn't valid.
  public func searcher(for query: SearchQuery) throws(PatternError) -> any TextSearcher {
    let filter = try FullTextQuery(query.text).filter
    return try FullTextSearcher(filter)
  }
}

/// A parsed query for ranked texts.
private struct FullTextQuery {
  var filter: WordFilter

  init(_ text: String) throws(PatternError) {
    func fail(_ cause: String) -> PatternError {
      PatternError(pattern: text, position: 0, cause: cause)
    }
    var alternatives: [WordFilter.Alternative] = [.init(wanted: [])]
    var rest = text[...]
    while let first = rest.first {
      if first.isWhitespace {
        rest.removeFirst()
        continue
      }
      var isUnwanted = false
      if first == "-", rest.count > 1, rest.dropFirst().first?.isWhitespace == false {
        isUnwanted = true
        rest.removeFirst()
      }
      let piece: Substring
      if rest.first == "\"" {
        rest.removeFirst()
        guard let end = rest.firstIndex(of: "\"") else { throw fail("a phrase is not closed") }
        piece = rest[..<end]
        rest = rest[end...].dropFirst()
      } else {
        piece = rest.prefix { !$0.isWhitespace && $0 != "\"" }
        rest = rest[piece.endIndex...]
        if piece == "OR" {
          alternatives.append(.init(wanted: []))
          continue
        }
      }
      var isPrefix = piece.hasSuffix("*")
      if rest.first == "*" {
        isPrefix = true
        rest.removeFirst()
      }
      let phrase = WordFilter.Phrase(dividing: String(piece), isPrefix: isPrefix)
      guard !phrase.words.isEmpty else { continue }
      if isUnwanted {
        alternatives[alternatives.count - 1].unwanted.append(phrase)
      } else {
        alternatives[alternatives.count - 1].wanted.append(phrase)
      }
    }
    guard alternatives.allSatisfy({ !$0.wanted.isEmpty }) else {
      throw fail(
        alternatives.count > 1
          ? "OR needs words on both sides" : "the query has no word to match")
    }
    filter = WordFilter(alternatives: alternatives)
  }
}

/// Finds the wanted phrases in texts that match the query.
private struct FullTextSearcher: TextSearcher {
  /// The alternatives of the query. Each wanted phrase has an expression; all unwanted phrases of
  /// an alternative share one.
  private let alternatives: [(wanted: [RegularExpression], unwanted: RegularExpression?)]
  /// An expression for all wanted phrases.
  private let places: RegularExpression
  let filter: TextFilter

  init(_ words: WordFilter) throws(PatternError) {
    filter = .words(words)
    var alternatives: [(wanted: [RegularExpression], unwanted: RegularExpression?)] = []
    for part in words.alternatives {
      var wanted: [RegularExpression] = []
      for phrase in part.wanted { wanted.append(try Self.expression([phrase])) }
      alternatives.append(
        (wanted, part.unwanted.isEmpty ? nil : try Self.expression(part.unwanted)))
    }
    self.alternatives = alternatives
    places = try Self.expression(words.alternatives.flatMap(\.wanted))
  }

  /// Returns an expression for phrases, with the index's definition of words: letters and digits
  /// form words, and characters of scripts without spaces are separate words.
  private static func expression(_ phrases: [WordFilter.Phrase]) throws(PatternError)
    -> RegularExpression
  {
    let longestFirst = phrases.sorted { $0.words.joined().count > $1.words.joined().count }
    let patterns = longestFirst.map { phrase in
      phrase.words.enumerated().map { index, word in
        let scalar = word.unicodeScalars.first!
        var pattern = RegularExpression.pattern(for: word, ignoresDiacritics: true)
        if TextFolding.fold(scalar.value).kind == .word {
          let continues = phrase.isPrefix && index == phrase.words.count - 1
          pattern =
            "(?<![\\p{L}\\p{N}_])" + pattern
            + (continues ? "[\\p{L}\\p{N}\\p{M}_]*+" : "(?![\\p{L}\\p{N}_])")
        }
        return pattern
      }.joined(separator: "[^\\p{L}\\p{N}_]*+")
    }
    return try RegularExpression(patterns.joined(separator: "|"), ignoresCase: true)
  }

  func search(
    _ text: UnsafeBufferPointer<UInt8>, from start: Int, watch: SearchWatch,
    found: (Range<Int>) -> Bool
  ) -> SearchOutcome {
    text.withCanonical(from: start) { text, start, original in
      find(in: text, from: start, watch: watch) { found(original($0)) }
    }
  }

  private func find(
    in text: UnsafeBufferPointer<UInt8>, from start: Int, watch: SearchWatch,
    found: (Range<Int>) -> Bool
  ) -> SearchOutcome {
    var failure: SearchOutcome?
    // Whether an expression matches anywhere, even before `start`, because a long text is searched
    // in parts.
    func holds(_ expression: RegularExpression) -> Bool {
      var isThere = false
      var borders = GraphemeBorders(text)
      let outcome = expression.search(
        text, from: 0, watch: watch, isWanted: { borders.surrounds($0) }
      ) { _ in
        isThere = true
        return false
      }
      if !isThere, outcome != .complete { failure = failure ?? outcome }
      return isThere
    }
    let fits = alternatives.contains { part in
      part.wanted.allSatisfy(holds) && !(part.unwanted.map(holds) ?? false)
    }
    if let failure { return failure }
    guard fits else { return .complete }
    var borders = GraphemeBorders(text)
    return places.search(
      text, from: start, watch: watch, isWanted: { borders.surrounds($0) },
      found: { found($0.range) })
  }
}
