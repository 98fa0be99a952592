import Model
import Search

/// Finds matches of a compiled pattern.
struct PatternSearcher: TextSearcher {
  let expression: RegularExpression
  let filter: TextFilter
  let wholeWords: Bool
  var reach: Int?
  /// Whether the pattern is applied to the text without its diacritics.
  var ignoresDiacritics = false

  func search(
    _ text: UnsafeBufferPointer<UInt8>, from start: Int, watch: SearchWatch,
    found: (Range<Int>) -> Bool
  ) -> SearchOutcome {
    matches(in: text, from: start, watch: watch) { range, _ in found(range) }
  }

  /// Reports the matches and their groups, as ranges of the original text in bytes.
  ///
  /// - Parameter takesEmpty: whether empty matches are included.
  func matches(
    in text: UnsafeBufferPointer<UInt8>, from start: Int, watch: SearchWatch,
    takesEmpty: Bool = false,
    found: (_ range: Range<Int>, _ group: (Int) -> Range<Int>?) -> Bool
  ) -> SearchOutcome {
    guard ignoresDiacritics, !UnmarkedText.isSame(text) else {
      return expression.search(
        text, from: start, watch: watch, takesEmpty: takesEmpty,
        isWanted: { !wholeWords || WordBorder.surrounds($0, in: text) },
        found: { found($0.range, $0.group) })
    }
    let unmarked = UnmarkedText(text)
    return unmarked.utf8.withUnsafeBufferPointer { bytes in
      expression.search(
        bytes, from: unmarked.offset(ofPlace: start), watch: watch, takesEmpty: takesEmpty,
        isWanted: { !wholeWords || WordBorder.surrounds(unmarked.range($0), in: text) },
        found: { match in
          found(unmarked.range(match.range)) { match.group($0).map(unmarked.range) }
        })
    }
  }
}
