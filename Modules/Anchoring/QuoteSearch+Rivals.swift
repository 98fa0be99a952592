/// Decides whether another place explains the quote as well as the best one.
extension QuoteSearch {
  /// Returns whether another verbatim place is as good as this one. It has as much of the text next
  /// to the quote, and nearly as much of the quote's surroundings.
  func isEqual(_ best: Finding, to other: Finding) -> Bool {
    let (evidence, rival) = (best.evidence, other.evidence)
    return best.range != other.range && evidence.isVerbatim && rival.isVerbatim
      && rival.farBefore + rival.farAfter >= evidence.farBefore + evidence.farAfter - Self.fewTokens
      && rival.surroundings >= evidence.surroundings - Self.fewSurroundings
  }

  /// The maximum differences between equal places: of the neighbouring tokens, as a share of 48,
  /// and of the surroundings.
  private static let fewTokens = 0.05
  private static let fewSurroundings = 0.25

  /// Returns whether an edited place has more of the text next to the quote, on both sides, than a
  /// verbatim place. Then a copy of the quote was inserted, or the quote moved. O(query).
  func isContested(_ best: Finding, byEdited other: Finding, _ query: QuoteQuery) -> Bool {
    guard best.evidence.isVerbatim, !other.evidence.isVerbatim,
      !best.range.overlaps(other.range), other.evidence.survival >= Self.editedShare
    else { return false }
    let (exact, edited) = (
      neighbours(of: best.range, in: query), neighbours(of: other.range, in: query)
    )
    return min(edited.before, edited.after) >= Self.leastNeighbours && edited.before > exact.before
      && edited.after > exact.after
  }

  /// An edited place is preferred to a copy if it has at least this share of the quote's words, and
  /// at least `leastNeighbours` neighbouring tokens on each side.
  private static let editedShare = 0.5
  private static let leastNeighbours = 3

  /// Returns the numbers of tokens of the context that are next to a place without a gap.
  func neighbours(of place: Range<Int>, in query: QuoteQuery) -> (before: Int, after: Int) {
    let found = tokens.touched(by: place)
    let before = query.tokens[query.known.lowerBound..<query.quote.lowerBound].reversed()
    let after = query.tokens[query.quote.upperBound..<query.known.upperBound]
    return (
      zip(before, tokens[..<found.lowerBound].reversed()).prefix { $0.hash == $1.hash }.count,
      zip(after, tokens[found.upperBound...]).prefix { $0.hash == $1.hash }.count
    )
  }

  /// `mostPlaces` is the maximum number of compared places of the tokens next to the quote.
  /// `mostBetween` is the maximum length of the text between these tokens, as a multiple of the
  /// quote's length.
  private static let mostPlaces = 24
  private static let mostBetween = 2

  /// A place between the quote's neighbours at which the quote may have been edited.
  struct EditedRival {
    /// The offset of its first UTF-16 unit.
    var start: Int
    /// Whether more of the context is next to it than to the best place, on both sides.
    var isCloser: Bool
  }

  /// Returns the places at which the quote may have been edited, so that `best` is only a copy of
  /// it. At such a place, the text between the quote's neighbours has at least half of the quote's
  /// words. On each side of it is at least as much of the context as at `best`. O(places · query)
  /// expected.
  ///
  /// The windows of `places(for:near:)` do not contain such a place if it is next to a copy.
  func editedRivals(of best: Range<Int>, _ query: QuoteQuery) -> [EditedRival] {
    let quote = query.quote
    let known = query.known
    let before = query.tokens[known.lowerBound..<quote.lowerBound].suffix(Self.leastNeighbours)
    let after = query.tokens[quote.upperBound..<known.upperBound].prefix(Self.leastNeighbours)
    // At the start and the end of a text the quote has neighbours on one side only.
    guard max(before.count, after.count) == Self.leastNeighbours else { return [] }
    func places(_ side: ArraySlice<Token>) -> [Int] {
      side.isEmpty ? [] : index.occurrences(of: side, limit: Self.mostPlaces) ?? []
    }
    let ends = places(after)
    let starts =
      before.isEmpty
      ? ends.map { max(0, $0 - quote.count) } : places(before).map { $0 + before.count }
    let neighboursOfBest = neighbours(of: best, in: query)
    return starts.compactMap { first in
      let end =
        after.isEmpty
        ? min(tokens.count, first + quote.count) : ends.first { $0 > first }
      guard let end, first < end,
        end - first <= Self.mostBetween * quote.count + Self.leastNeighbours
      else { return nil }
      let place = Int(tokens[first].start)..<Int(tokens[end - 1].end)
      guard !place.overlaps(best), !isVerbatim(first..<end, query),
        survival(of: query, in: first..<end) >= Self.editedShare
      else { return nil }
      let found = neighbours(of: place, in: query)
      guard found.before >= neighboursOfBest.before, found.after >= neighboursOfBest.after else {
        return nil
      }
      return EditedRival(
        start: place.lowerBound,
        isCloser: found.before > neighboursOfBest.before && found.after > neighboursOfBest.after)
    }
  }

  private func isVerbatim(_ place: Range<Int>, _ query: QuoteQuery) -> Bool {
    tokens[place].lazy.map(\.hash).elementsEqual(query.tokens[query.quote].lazy.map(\.hash))
  }

  /// Returns the share of the quote's words that are at a place, in any order. O(place + quote).
  private func survival(of query: QuoteQuery, in place: Range<Int>) -> Double {
    var counts: [UInt64: Int] = [:]
    for token in tokens[place] { counts[token.hash, default: 0] += 1 }
    var (kept, all) = (0, 0)
    for token in query.tokens[query.quote] {
      all += token.evidenceWeight
      guard let count = counts[token.hash], count > 0 else { continue }
      counts[token.hash] = count - 1
      kept += token.evidenceWeight
    }
    return Double(kept) / Double(max(1, all))
  }

  /// Returns whether a place is edited while the quote is verbatim elsewhere, between its
  /// neighbours on both sides. O(query).
  func isContested(_ best: Finding, byCopy other: Finding, _ query: QuoteQuery) -> Bool {
    guard !best.evidence.isVerbatim, other.evidence.isVerbatim, !other.isOfContext,
      !best.range.overlaps(other.range)
    else { return false }
    let copy = neighbours(of: other.range, in: query)
    return min(copy.before, copy.after) >= Self.leastNeighbours
  }
}
