import Model
public import Search

/// Finds passages that contain all words in one paragraph, in any order.
public struct AllWords: SearchStrategy {
  /// The id, which selects the strategy: `diple search --strategy words`.
  public static let id = "words"
  /// The description that `diple strategies` prints.
  public static let summary =
    "all of the words in one paragraph, in any order; word* matches longer words"
  /// Examples, which are also the tests.
  public static let examples = [
    SearchExample("any order", query: "fox quick", text: "a «quick brown fox» ran\nquick\nfox"),
    SearchExample("the shortest passage", query: "a b", text: "a x «a b» x x «b x a»"),
    SearchExample("whole words", query: "fox", text: "«fox» foxes"),
    SearchExample("another encoding of a letter", query: "é", text: "«e\u{301}» e «é»"),
    SearchExample("beginnings", query: "fox*", text: "«fox» «foxes»"),
  ]

  /// Creates the strategy, which has no state.
  public init() {}

  /// Prepares the words. Throws ``PatternError`` unless there are 1 … 32.
  public func searcher(for query: SearchQuery) throws(PatternError) -> any TextSearcher {
    let query = query.canonical
    let words = try QueryWord.words(of: query)
    return try WordsSearcher(words, query, isWanted: { _, _ in true })
  }
}

/// Finds every occurrence of any of the words.
public struct AnyWord: SearchStrategy {
  /// The id, which selects the strategy: `diple search --strategy any-word`.
  public static let id = "any-word"
  /// The description that `diple strategies` prints.
  public static let summary = "each occurrence of any of the words; word* matches longer words"
  /// Examples, which are also the tests.
  public static let examples = [
    SearchExample("two words", query: "fox dog", text: "the «fox», the «dog», a cat"),
    SearchExample("the longer word", query: "fox foxes", text: "«foxes»"),
  ]

  /// Creates the strategy, which has no state.
  public init() {}

  /// Prepares the words. Throws ``PatternError`` unless there are 1 … 32.
  public func searcher(for query: SearchQuery) throws(PatternError) -> any TextSearcher {
    let query = query.canonical
    let words = try QueryWord.words(of: query)
    return PatternSearcher(
      expression: try QueryWord.expression(words, query),
      filter: TextFilter.any(words.map { .substring($0.text) }).simplified, wholeWords: true)
  }
}

/// Finds words that are near each other.
public struct NearWords: SearchStrategy {
  /// The id, which selects the strategy: `diple search --strategy near`.
  public static let id = "near"
  /// The description that `diple strategies` prints.
  public static let summary = "all of the words within ten words, or within ~N at the query's end"
  /// Examples, which are also the tests.
  public static let examples = [
    SearchExample("within the distance", query: "a b ~3", text: "«a x b» x\na x x b"),
    SearchExample("any order", query: "fox quick", text: "a «quick brown fox»"),
  ]

  /// Creates the strategy, which has no state.
  public init() {}

  /// Prepares the words. Throws ``PatternError`` unless there are 1 … 32, or if the number after
  /// `~` isn't valid.
  public func searcher(for query: SearchQuery) throws(PatternError) -> any TextSearcher {
    let query = query.canonical
    var words = try QueryWord.words(of: query)
    var distance = 10
    if let last = words.last, last.text.hasPrefix("~") {
      guard let number = Int(last.text.dropFirst()), number > 0, words.count > 1 else {
        throw PatternError(
          pattern: query.text, position: 0, cause: "~ takes a number of words, at the end")
      }
      distance = number
      words.removeLast()
    }
    return try WordsSearcher(words, query) { [distance] range, text in
      Self.wordCount(range, text, limit: distance) <= distance
    }
  }

  /// Returns the number of words in a range. Counting stops beyond the limit.
  private static func wordCount(
    _ range: Range<Int>, _ text: UnsafeBufferPointer<UInt8>, limit: Int
  ) -> Int {
    var count = 0
    var isInside = false
    for byte in text[range] {
      let isBlank = byte <= 32
      if !isBlank, !isInside { count += 1 }
      isInside = !isBlank
      if count > limit { break }
    }
    return count
  }
}

/// A word of a query. With `*` at its end, it is the beginning of a word.
struct QueryWord: Hashable {
  var text: String
  var isPrefix: Bool

  /// Divides a query at whitespace. Throws ``PatternError`` unless there are 1 … 32 words.
  static func words(of query: SearchQuery) throws(PatternError) -> [QueryWord] {
    var words: [QueryWord] = []
    for piece in query.text.split(whereSeparator: \.isWhitespace) {
      let isPrefix = piece.hasSuffix("*") && piece.count > 1
      let word = QueryWord(text: String(isPrefix ? piece.dropLast() : piece), isPrefix: isPrefix)
      if !words.contains(word) { words.append(word) }
    }
    guard !words.isEmpty, words.count <= 32 else {
      throw PatternError(
        pattern: query.text, position: 0,
        cause: words.isEmpty ? "the query has no word" : "there are more than 32 words")
    }
    return words
  }

  /// Returns an expression with one group for each word. Longer words are first, so that a shorter
  /// one doesn't match their beginning.
  static func expression(_ words: [QueryWord], _ query: SearchQuery) throws(PatternError)
    -> RegularExpression
  {
    let levels = LevelForms(query)
    let groups = words.map { word in
      "("
        + RegularExpression.pattern(
          for: word.text, ignoresDiacritics: query.ignoresDiacritics, levels: levels.forms(of:))
        + (word.isPrefix ? "[\\p{L}\\p{N}\\p{M}_]*" : "") + ")"
    }
    let sorted = zip(words, groups).sorted { $0.0.text.utf8.count > $1.0.text.utf8.count }
    return try RegularExpression(
      sorted.map(\.1).joined(separator: "|"), ignoresCase: query.ignoresCase)
  }
}

/// Finds the shortest passages in a paragraph that contain every word.
private struct WordsSearcher: TextSearcher {
  let expression: RegularExpression
  let filter: TextFilter
  let wordCount: Int
  let isWanted: @Sendable (Range<Int>, UnsafeBufferPointer<UInt8>) -> Bool

  init(
    _ words: [QueryWord], _ query: SearchQuery,
    isWanted: @escaping @Sendable (Range<Int>, UnsafeBufferPointer<UInt8>) -> Bool
  ) throws(PatternError) {
    expression = try QueryWord.expression(words, query)
    filter = TextFilter.all(words.map { .substring($0.text) }).simplified
    wordCount = words.count
    self.isWanted = isWanted
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
    var borders = GraphemeBorders(text)
    var places: [(word: Int, range: Range<Int>)] = []
    var paragraph = start..<start
    // Reports the passages of the current paragraph. Returns false to end the search.
    func finish() -> Bool {
      defer { places.removeAll(keepingCapacity: true) }
      return passages(of: places).allSatisfy { !isWanted($0, text) || found($0) }
    }
    let outcome = expression.search(
      text, from: start, watch: watch,
      isWanted: { borders.surrounds($0) && WordBorder.surrounds($0, in: text) }
    ) { match in
      let range = match.range
      if range.lowerBound >= paragraph.upperBound {
        guard finish() else { return false }
        let end = text[range.lowerBound...].firstIndex(of: 10) ?? text.count
        paragraph = range.lowerBound..<end
      }
      let word = (1...wordCount).first { match.group($0) != nil } ?? 1
      places.append((word, range))
      return true
    }
    guard outcome == .complete else { return outcome }
    return finish() ? .complete : .cancelled
  }

  /// Returns the shortest ranges that contain all words, leftmost first and disjoint. O(places).
  private func passages(of places: [(word: Int, range: Range<Int>)]) -> [Range<Int>] {
    guard places.count >= wordCount else { return [] }
    var passages: [Range<Int>] = []
    var counts = [Int](repeating: 0, count: wordCount + 1)
    var kinds = 0
    var first = 0
    for index in places.indices {
      counts[places[index].word] += 1
      if counts[places[index].word] == 1 { kinds += 1 }
      // A word at the front that occurs again later isn't needed there.
      while counts[places[first].word] > 1 {
        counts[places[first].word] -= 1
        first += 1
      }
      guard kinds == wordCount else { continue }
      passages.append(places[first].range.lowerBound..<places[index].range.upperBound)
      counts = [Int](repeating: 0, count: wordCount + 1)
      (kinds, first) = (0, index + 1)
    }
    return passages
  }
}
