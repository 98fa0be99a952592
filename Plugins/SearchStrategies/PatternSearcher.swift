import Model
import Search

/// Finds what a compiled pattern matches.
struct PatternSearcher: TextSearcher {
  let expression: RegularExpression
  let filter: TextFilter
  let wholeWords: Bool
  var reach: Int?
  /// Whether the pattern is for texts without their diacritics.
  var ignoresDiacritics = false

  func search(
    _ text: UnsafeBufferPointer<UInt8>, from start: Int, watch: SearchWatch,
    found: (Range<Int>) -> Bool
  ) -> SearchOutcome {
    matches(in: text, from: start, watch: watch) { range, _ in found(range) }
  }

  /// Gives the matches with their groups, in bytes of the text as it is.
  ///
  /// - Parameter takesEmpty: whether matches of no text count too.
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
