/// Distinguishes places of the quote from places of the text that surrounded the quote.
extension QuoteSearch {
  /// The maximum length, in tokens, of a passage and of each side of its context that are compared.
  private static let mostTokens = 200

  /// Returns whether a place belongs to the stored context. All of the place must be in the
  /// context, and the context must have more of the place's line than the quote has. Without this
  /// check, a line that was beside a deleted quote and differs from the quote in one word would be
  /// found instead of the quote. O(query · place), and O(context) for nearly all places.
  ///
  /// - Parameters:
  ///   - times: the minimum ratio of the context's common tokens to the quote's.
  ///   - copies: the tokens at which the quote is verbatim. The context may match one of these
  ///     places better than this one.
  func isOfContext(
    _ place: Range<Int>, _ query: QuoteQuery, times: Int = 1, copies: [Int] = []
  ) -> Bool {
    let found = tokens.touched(by: place)
    guard let first = found.first, max(found.count, query.quote.count) <= Self.mostTokens else {
      return false
    }
    let before = (query.known.lowerBound..<query.quote.lowerBound).suffix(Self.mostTokens)
    let after = (query.quote.upperBound..<query.known.upperBound).prefix(Self.mostTokens)
    var best: (index: Int, context: Range<Int>, run: Range<Int>, evidenceWeight: Int)?
    let line = self.line(around: found)
    for context in [before, after] {
      for index in context where query.tokens[index].hash == tokens[first].hash {
        let run = run(of: query, in: context, shiftedBy: first - index, through: first, in: line)
        let evidenceWeight = evidenceWeight(run)
        if run.upperBound >= found.upperBound, evidenceWeight > best?.evidenceWeight ?? 0 {
          best = (index, context, run, evidenceWeight)
        }
      }
    }
    guard let best else { return false }
    let known = before.lowerBound..<after.upperBound
    for index in query.quote {
      for token in found where query.tokens[index].hash == tokens[token].hash {
        let run = run(of: query, in: known, shiftedBy: token - index, through: token, in: line)
        if times * evidenceWeight(run) >= best.evidenceWeight || !best.run.contains(run) {
          return false
        }
      }
    }
    return !copies.contains { copy in
      copy != first
        && evidenceWeight(
          run(
            of: query, in: best.context, shiftedBy: copy - best.index, through: copy,
            in: self.line(around: copy..<copy + found.count))) > best.evidenceWeight
    }
  }

  /// Returns the tokens around a place up to the borders of its line, limited to `mostTokens`.
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

  /// Returns the longest run of a line's tokens around `token` that equals a part of the query.
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

  private func evidenceWeight(_ run: Range<Int>) -> Int {
    run.reduce(0) { $0 + tokens[$1].evidenceWeight }
  }

  /// At a place from which the quote was cut, at least this share of each side of the context
  /// remains.
  private static let leastShareOfSide = 0.25
  /// The minimum length of a run that counts, in tokens. Shorter runs are in any text.
  private static let leastRun = 4
  /// The maximum distance between the two sides in tokens, beyond the length of the context.
  private static let mostBetween = 200

  /// Returns whether the quote was cut from its context. That is the case if parts of both sides of
  /// the context are still near each other in the text, in their order, and the quote isn't between
  /// them. O(windows · query²).
  func isCutOut(_ query: QuoteQuery, standingAt place: Range<Int>) -> Bool {
    let before = (query.known.lowerBound..<query.quote.lowerBound).suffix(Self.mostTokens)
    let after = (query.quote.upperBound..<query.known.upperBound).prefix(Self.mostTokens)
    guard !before.isEmpty, !after.isEmpty, query.quote.count <= Self.mostTokens else {
      return false
    }
    // The quote occurred several times, and another occurrence may be at the place.
    if query.isRepeated { return true }
    let context = Array(query.tokens[before] + query.tokens[after])
    var (starts, ends): ([Int], [Int]) = ([], [])
    for window in windows(for: query) {
      let map = TokenMap(passage: context, Array(tokens[window]))
      /// Returns the middle of the rest of a side; nil if the rest is too small.
      func middle(_ side: Range<Int>) -> Int? {
        let kept = map.runs().map { $0.clamped(to: side) }.filter { $0.count >= Self.leastRun }
          .flatMap { $0 }
        let evidenceWeight = kept.reduce(0) { $0 + context[$1].evidenceWeight }
        let all = side.reduce(0) { $0 + context[$1].evidenceWeight }
        guard !kept.isEmpty, Double(evidenceWeight) >= Self.leastShareOfSide * Double(all) else {
          return nil
        }
        return window.lowerBound + Int(map.target[kept[kept.count / 2]])
      }
      if let start = middle(0..<before.count) { starts.append(start) }
      if let end = middle(before.count..<context.count) { ends.append(end) }
    }
    let found = tokens.touched(by: place)
    if isExchanged(found, query) { return false }
    let pairs = starts.flatMap { start in
      ends.filter { start...start + context.count + Self.mostBetween ~= $0 }.map { start...$0 }
    }
    return !pairs.isEmpty && !pairs.contains { $0.contains(found.lowerBound) }
  }

  /// Returns whether the sides of the context are exchanged at a place, as some programs store
  /// them. Then the end of the suffix precedes the place, or the start of the prefix follows it.
  private func isExchanged(_ place: Range<Int>, _ query: QuoteQuery) -> Bool {
    func matches(_ first: Int, in side: ArraySlice<Token>) -> Bool {
      tokens.indices.contains(first) && first + 1 < tokens.count
        && zip(side, side.dropFirst()).contains {
          $0.hash == tokens[first].hash && $1.hash == tokens[first + 1].hash
        }
    }
    let before = query.tokens[..<query.quote.lowerBound].prefix(4)
    let after = query.tokens[query.quote.upperBound...].suffix(4)
    // The outermost token of each side may be cut.
    return [2, 3].contains { matches(place.lowerBound - $0, in: after) }
      || [0, 1].contains { matches(place.upperBound + $0, in: before) }
  }
}
