import Model
import Search

/// A search strategy: the letters of the query in either direction.
struct Palindromes: SearchStrategy {
  static let id = "palindromes"
  static let summary = "the characters of the query forwards or backwards"
  static let examples = [SearchExample("both ways", query: "abc", text: "«abc» x «cba»")]

  func searcher(for query: SearchQuery) throws(PatternError) -> any TextSearcher {
    guard query.text.utf8.allSatisfy({ $0 < 0x80 }) else {
      throw PatternError(pattern: query.text, position: 0, cause: "only ASCII can be reversed")
    }
    return Searcher(text: query.text, ignoresCase: query.ignoresCase)
  }

  private struct Searcher: TextSearcher {
    let finders: [ByteFinder]
    let filter: TextFilter
    let reach: Int?

    init(text: String, ignoresCase: Bool) {
      let backwards = String(text.reversed())
      finders = [text, backwards].map { ByteFinder($0.utf8, ignoresCase: ignoresCase) }
      filter = TextFilter.any([.substring(text), .substring(backwards)])
      reach = text.utf8.count
    }

    func search(
      _ text: UnsafeBufferPointer<UInt8>, from start: Int, watch: SearchWatch,
      found: (Range<Int>) -> Bool
    ) -> SearchOutcome {
      var place = start
      while true {
        if let reason = watch.reasonToStop { return reason }
        let next = finders.compactMap { $0.first(in: text, from: place, before: text.count) }.min()
        guard let next else { return .complete }
        place = next + finders[0].count
        if !found(next..<place) { return .cancelled }
      }
    }
  }
}
