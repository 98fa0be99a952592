import Model
import Search

/// Finds matches of a compiled pattern in the normal form of a text. Matches that begin or end
/// inside a grapheme are skipped.
struct PatternSearcher: TextSearcher {
  let expression: RegularExpression
  let filter: TextFilter
  let wholeWords: Bool
  /// Whether a text that isn't in the normal form may have other matches than its normal form.
  var hasOtherForms = true
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
    text.withCanonical(from: start, if: hasOtherForms) { text, start, original in
      var borders = GraphemeBorders(text)
      func isWanted(_ range: Range<Int>) -> Bool {
        borders.surrounds(range) && (!wholeWords || WordBorder.surrounds(range, in: text))
      }
      guard ignoresDiacritics, !UnmarkedText.isSame(text) else {
        return expression.search(
          text, from: start, watch: watch, takesEmpty: takesEmpty, isWanted: isWanted,
          found: { match in found(original(match.range)) { match.group($0).map { original($0) } } })
      }
      let unmarked = UnmarkedText(text)
      return unmarked.utf8.withUnsafeBufferPointer { bytes in
        expression.search(
          bytes, from: unmarked.offset(ofPlace: start), watch: watch, takesEmpty: takesEmpty,
          isWanted: { isWanted(unmarked.range($0)) },
          found: { match in
            found(original(unmarked.range(match.range))) {
              match.group($0).map { original(unmarked.range($0)) }
            }
          })
      }
    }
  }
}
