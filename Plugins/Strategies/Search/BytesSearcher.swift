import Model
import Search

/// Finds a text by its bytes, exactly or with ASCII letters in either case.
struct BytesSearcher: TextSearcher {
  private let finder: ByteFinder
  private let wholeWords: Bool
  /// Whether the query may be encoded differently in a text that isn't in the normal form.
  private let hasOtherForms: Bool
  let filter: TextFilter
  let reach: Int?
  /// The searcher for texts that contain certain letters, which the byte finder would miss.
  private let special: (letters: [ByteFinder], searcher: PatternSearcher)?

  /// The number of bytes between two checks of the watch.
  private static let stride = 32 << 20

  /// Prepares an exact search. A text that contains a superscript or subscript form of the query is
  /// searched with a pattern that matches both.
  init(
    _ query: SearchQuery, levels: LevelForms,
    otherwise pattern: (SearchQuery) throws(PatternError) -> PatternSearcher
  ) throws(PatternError) {
    finder = ByteFinder(query.text.utf8)
    wholeWords = query.wholeWords
    hasOtherForms = Canonical.hasOtherForms(query.text)
    filter = .substring(query.text)
    let forms = levels.all
    special =
      forms.isEmpty
      ? nil : (forms.map { ByteFinder(String($0).utf8) }, try pattern(query))
    reach = special?.searcher.reach ?? query.text.utf8.count * 3
  }

  /// Prepares a search for ASCII letters in either case. Two letters beyond ASCII are case variants
  /// of ASCII letters: ſ of s, and the Kelvin sign of k. A text that contains one of them, or a
  /// superscript or subscript form of the query, is searched with a pattern that matches both.
  init(
    ofAnyCase query: SearchQuery, levels: LevelForms,
    otherwise pattern: (SearchQuery) throws(PatternError) -> PatternSearcher
  ) throws(PatternError) {
    finder = ByteFinder(query.text.utf8, ignoresCase: true)
    wholeWords = query.wholeWords
    hasOtherForms = Canonical.hasOtherForms(query.text)
    filter = .substring(query.text)
    let others = [("s", "ſ"), ("k", "\u{212A}")].filter { ascii, _ in
      query.text.lowercased().contains(ascii)
    }
    let letters = others.map(\.1) + levels.all.map { String($0) }
    special = letters.isEmpty ? nil : (letters.map { ByteFinder($0.utf8) }, try pattern(query))
    reach = special?.searcher.reach ?? query.text.utf8.count * 3
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
    return text.withCanonical(from: start, if: hasOtherForms) { text, start, original in
      find(in: text, from: start, watch: watch) { found(original($0)) }
    }
  }

  private func find(
    in text: UnsafeBufferPointer<UInt8>, from start: Int, watch: SearchWatch,
    found: (Range<Int>) -> Bool
  ) -> SearchOutcome {
    var borders = GraphemeBorders(text)
    var place = start
    while place < text.count {
      let end = min(text.count, place + Self.stride)
      while let lower = finder.first(in: text, from: place, before: end) {
        let range = lower..<lower + finder.count
        place = lower + 1
        guard borders.surrounds(range) else { continue }
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
