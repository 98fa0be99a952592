extension Evidence {
  /// The maximum distance to the ends of a sentence or line, in tokens.
  private static let reachOfWhole = 200

  /// Returns how much is left of the sentence or line around a passage.
  ///
  /// - Parameters:
  ///   - least: the lowest kind of boundary that ends the sentence or line; nil to use all known
  ///     tokens.
  ///   - known: the tokens whose position is known.
  ///   - isNear: whether a token still occurs near the passage.
  static func whole(
    _ least: Token.Boundary?, around tokens: Range<Int>, known: Range<Int>, in map: TokenMap,
    isNear: (Int) -> Bool
  ) -> Whole {
    let first = max(known.lowerBound, tokens.lowerBound - reachOfWhole)
    let limit = min(known.upperBound, tokens.upperBound + reachOfWhole)
    func isBorder(_ index: Int) -> Bool { least.map { map.old[index].boundary >= $0 } ?? false }
    var (start, end) = (min(first, tokens.lowerBound), max(limit, tokens.upperBound))
    if let border = (start...tokens.lowerBound).last(where: isBorder) { start = border }
    if let border = (tokens.upperBound..<end).first(where: isBorder) { end = border }
    func count(_ range: Range<Int>) -> (all: Int, near: Int) {
      range.reduce(into: (0, 0)) { sum, index in
        sum.0 += map.old[index].evidenceWeight
        if isNear(index) { sum.1 += map.old[index].evidenceWeight }
      }
    }
    let passage = count(tokens)
    let sides = [count(start..<tokens.lowerBound), count(tokens.upperBound..<end)]
    let rest = (all: sides[0].all + sides[1].all, near: sides[0].near + sides[1].near)
    return Whole(
      share: Double(passage.near + rest.near) / Double(max(1, passage.all + rest.all)),
      restShare: rest.all == 0 ? 1 : Double(rest.near) / Double(rest.all),
      restLetters: Double(rest.near) / 4)
  }
}
