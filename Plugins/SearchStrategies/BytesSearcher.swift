import Model
import Search

/// Finds characters as they are, or letters of ASCII in either case, by their bytes.
struct BytesSearcher: TextSearcher {
  private let finder: ByteFinder
  private let wholeWords: Bool
  let filter: TextFilter
  let reach: Int?
  /// What finds more where one of some letters stands.
  private let special: (letters: [ByteFinder], searcher: PatternSearcher)?

  /// How many bytes go by between two looks at the watch.
  private static let stride = 32 << 20

  /// Makes ready to look for the query's bytes. In a text with a raised or lowered character that it stands
  /// for a pattern looks for both.
  init(
    _ query: SearchQuery, levels: LevelForms,
    otherwise pattern: (SearchQuery) throws(PatternError) -> PatternSearcher
  ) throws(PatternError) {
    finder = ByteFinder(query.text.utf8)
    wholeWords = query.wholeWords
    filter = .substring(query.text)
    let forms = levels.all
    special =
      forms.isEmpty
      ? nil : (forms.map { ByteFinder(String($0).utf8) }, try pattern(query))
    reach = special?.searcher.reach ?? query.text.utf8.count
  }

  /// Makes ready to look for letters of ASCII in either case. Two letters beyond it are other cases of
  /// its own: ſ of s, and the kelvin sign of k. In a text with one of them, or with a raised or lowered
  /// character that the query stands for, a pattern looks for both.
  init(
    ofAnyCase query: SearchQuery, levels: LevelForms,
    otherwise pattern: (SearchQuery) throws(PatternError) -> PatternSearcher
  ) throws(PatternError) {
    finder = ByteFinder(query.text.utf8, ignoresCase: true)
    wholeWords = query.wholeWords
    filter = .substring(query.text)
    let others = [("s", "ſ"), ("k", "\u{212A}")].filter { ascii, _ in
      query.text.lowercased().contains(ascii)
    }
    let letters = others.map(\.1) + levels.all.map { String($0) }
    special = letters.isEmpty ? nil : (letters.map { ByteFinder($0.utf8) }, try pattern(query))
    reach = special?.searcher.reach ?? query.text.utf8.count
  }

  func search(
    _ text: UnsafeBufferPointer<UInt8>, from start: Int, watch: SearchWatch,
    found: (Range<Int>) -> Bool
  ) -> SearchOutcome {
    if let special,
      special.letters.contains(where: {
        $0.first(in: text, from: start, before: text.count) != nil
      })
    {
      return special.searcher.search(text, from: start, watch: watch, found: found)
    }
    var place = start
    while place < text.count {
      let end = min(text.count, place + Self.stride)
      while let lower = finder.first(in: text, from: place, before: end) {
        let range = lower..<lower + finder.count
        place = lower + 1
        if wholeWords, !WordBorder.surrounds(range, in: text) { continue }
        guard found(range) else { return .cancelled }
        place = range.upperBound
      }
      place = max(place, end)
      if let reason = watch.reasonToStop { return reason }
    }
    return .complete
  }
}
