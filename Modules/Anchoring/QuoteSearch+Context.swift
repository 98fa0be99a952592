/// Tells a place of the quote from a place of the words beside it.
extension QuoteSearch {
  /// Longer passages, and more of the context on either side, are not compared, in tokens.
  private static let mostTokens = 200

  /// Whether a place is that of something else: all of it stands in the stored context, with more of its
  /// line than the quote has in common with it. A line that differs from the quote in one word and stood
  /// beside it stays where the quote was deleted. O(query · place), and O(context) for nearly all places.
  func isOfContext(_ place: Range<Int>, _ query: QuoteQuery) -> Bool {
    let found = tokens.touched(by: place)
    guard let first = found.first, max(found.count, query.quote.count) <= Self.mostTokens else {
      return false
    }
    let before = (query.known.lowerBound..<query.quote.lowerBound).suffix(Self.mostTokens)
    let after = (query.quote.upperBound..<query.known.upperBound).prefix(Self.mostTokens)
    let line = self.line(around: found)
    var most = 0
    for context in [before, after] {
      for index in context where query.tokens[index].hash == tokens[first].hash {
        let run = run(of: query, in: context, shiftedBy: first - index, through: first, in: line)
        if run.upperBound >= found.upperBound { most = max(most, worth(run)) }
      }
    }
    guard most > 0 else { return false }
    let known = before.lowerBound..<after.upperBound
    for index in query.quote {
      for token in found where query.tokens[index].hash == tokens[token].hash {
        let run = run(of: query, in: known, shiftedBy: token - index, through: token, in: line)
        if worth(run) >= most { return false }
      }
    }
    return true
  }

  /// The tokens around a place up to the borders of its line, as far as they may be compared.
  private func line(around found: Range<Int>) -> Range<Int> {
    var (start, end) = (found.lowerBound, found.upperBound)
    while start > 0, found.lowerBound - start < Self.mostTokens, tokens[start].boundary < .line {
      start -= 1
    }
    while end < tokens.count, end - found.upperBound < Self.mostTokens,
      tokens[end].boundary < .line
    {
      end += 1
    }
    return start..<end
  }

  /// The longest run of a line's tokens around one of them that part of the query has, too.
  private func run(
    of query: QuoteQuery, in part: Range<Int>, shiftedBy shift: Int, through token: Int,
    in line: Range<Int>
  ) -> Range<Int> {
    func isEqual(_ token: Int) -> Bool {
      line.contains(token) && part.contains(token - shift)
        && tokens[token].hash == query.tokens[token - shift].hash
    }
    var (start, end) = (token, token + 1)
    while isEqual(start - 1) { start -= 1 }
    while isEqual(end) { end += 1 }
    return start..<end
  }

  private func worth(_ run: Range<Int>) -> Int { run.reduce(0) { $0 + tokens[$1].worth } }
}
