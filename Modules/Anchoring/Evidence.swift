/// The evidence for the place of a passage according to a map of tokens.
struct Evidence {
  /// The share of the passage's words that survive at the place, 0 … 1.
  var survival: Double
  /// The shares, 0 … 1, of the eight neighbours before the passage and of the eight after it that
  /// are still near.
  var before: Double
  var after: Double
  /// The share of the passage's two adjacent neighbours that are still adjacent, 0 … 1.
  var touch: Double
  /// The share of the words in the wider surroundings that are still near, 0 … 1.
  var surroundings: Double
  /// The new length divided by the old one, in tokens.
  var spread: Double
  /// The passage's length divided by 80 UTF-16 units, at most 1.
  var length: Double

  /// Whether the whole passage moved as one run, with a line, a sentence or a block. That part must
  /// be verbatim at the new place and have no other explanation.
  var isCarried: Bool

  /// Whether the passage's parts changed their order, so that its new borders are unknown.
  var isTorn = false

  /// The probability of this place if several places explain the texts, 0 … 1.
  var likelihood = 1.0

  /// The shares, 0 … 1, of the eight neighbours before the passage and of the eight after it that
  /// are adjacent without a gap.
  var runBefore = 0.0
  var runAfter = 0.0
  /// The numbers of neighbours before and after the passage that are adjacent without a gap, each
  /// divided by 48, at most 1.
  var farBefore = 0.0
  var farAfter = 0.0
  /// The letters of the line or sentence around the passage divided by 40, at most 1; 0 if the line
  /// or sentence isn't verbatim at the place.
  var part = 0.0
  /// The letters of the unbroken run that contains most of the passage divided by 80, at most 1.
  var block = 0.0
  /// The number of the passage's letters that survive. A punctuation mark counts as a quarter of a
  /// letter.
  var letters = 0.0
  /// The share of the passage's words that are before its first surviving word or after its last.
  var lostEdges = 0.0
  /// The share of the passage's words in its longest unbroken run.
  var unbroken = 0.0

  /// The remains of the sentence, the line and the known surroundings around the passage.
  var sentence = Whole()
  var line = Whole()
  var query = Whole()
  /// Whether all known text before the passage is adjacent without a gap. The next property is the
  /// same for the text after it.
  var isWholeBefore = false
  var isWholeAfter = false

  /// A stretch of the old text around the passage.
  struct Whole {
    /// The share of the stretch's words that are near the passage. `share` includes the passage's
    /// words; `restShare` excludes them, and is 1 if the stretch has no other words.
    var share = 1.0
    var restShare = 1.0
    /// The number of letters of the other words that are near.
    var restLetters = 0.0
  }

  /// Whether the whole passage is verbatim at the place.
  var isVerbatim: Bool { survival == 1 && spread == 1 }

  /// One of several places is proposed only if it has at least this likelihood.
  static let possible = 0.35

  /// Whether at least half of the passage survives, much of it unbroken, at a place of similar
  /// size. The user then decides, even if the surroundings are deleted.
  var isRewritten: Bool {
    survival >= 0.5 && unbroken >= 0.3 && length >= 0.3 && (0.5...2).contains(spread)
      && likelihood >= Self.possible
  }

  /// The share of the passage's sixteen neighbours that are still near, 0 … 1.
  var context: Double { (before + after) / 2 }

  private static let neighbours = 8
  /// The maximum distance of a near neighbour, in tokens.
  private static let reach = 24
  private static let wide = 80
  static let far = 48

  /// Collects the evidence for the place of a passage's surviving tokens.
  ///
  /// - Parameter known: the old tokens that are certainly whole, not cut at the end of a context.
  init(
    of tokens: Range<Int>, keeping kept: [Int], at place: ClosedRange<Int>, length: Int,
    known: Range<Int>, in map: TokenMap
  ) {
    let all = tokens.reduce(0) { $0 + map.old[$1].evidenceWeight }
    let keptWeight = kept.reduce(0) { $0 + map.old[$1].evidenceWeight }
    survival = Double(keptWeight) / Double(all)
    letters = Double(keptWeight) / 4
    spread = Double(place.count) / Double(tokens.count)
    self.length = min(1, Double(length) / 80)

    isCarried =
      kept.count == tokens.count && place.count == tokens.count
      && kept.allSatisfy { map.isCertain[$0] }

    likelihood = kept.reduce(0) { $0 + Double(map.likelihood[$1]) } / Double(kept.count)

    let near = Int32(place.lowerBound - Self.reach)...Int32(place.upperBound + Self.reach)
    let isNear = { (index: Int) in map.target[index] >= 0 && near.contains(map.target[index]) }
    func share(_ side: Range<Int>) -> Double? {
      side.isEmpty ? nil : Double(side.count(where: isNear)) / Double(side.count)
    }
    let left = share(max(0, tokens.lowerBound - Self.neighbours)..<tokens.lowerBound)
    let right = share(
      tokens.upperBound..<min(map.old.count, tokens.upperBound + Self.neighbours))
    // At the start and the end of a text there is only one side. It counts for both.
    before = left ?? right ?? 1
    after = right ?? left ?? 1

    var touching = 0.0
    if tokens.lowerBound == 0 {
      touching += place.lowerBound == 0 ? 1 : 0
    } else if Int(map.target[tokens.lowerBound - 1]) == place.lowerBound - 1, place.lowerBound > 0 {
      touching += 1
    }
    if tokens.upperBound == map.old.count {
      touching += place.upperBound + 1 == map.new.count ? 1 : 0
    } else if Int(map.target[tokens.upperBound]) == place.upperBound + 1 {
      touching += 1
    }
    touch = touching / 2

    let around = [
      max(0, tokens.lowerBound - Self.wide)..<tokens.lowerBound,
      tokens.upperBound..<min(map.old.count, tokens.upperBound + Self.wide),
    ]
    let far = Int32(place.lowerBound - 2 * Self.wide)...Int32(place.upperBound + 2 * Self.wide)
    var (found, sum) = (0, 0)
    for index in around.joined() {
      sum += map.old[index].evidenceWeight
      if map.target[index] >= 0, far.contains(map.target[index]) {
        found += map.old[index].evidenceWeight
      }
    }
    surroundings = sum == 0 ? 1 : Double(found) / Double(sum)
    let edges = [tokens.lowerBound..<kept[0], kept[kept.count - 1] + 1..<tokens.upperBound]
    lostEdges = Double(edges.joined().reduce(0) { $0 + map.old[$1].evidenceWeight }) / Double(all)
    (block, unbroken) = Self.runs(kept, all: all, known: known, in: map)
    func whole(_ least: Token.Boundary?) -> Whole {
      Self.whole(least, around: tokens, known: known, in: map, isNear: isNear)
    }
    (sentence, line, query) = (whole(.sentence), whole(.line), whole(nil))
    guard isVerbatim else { return }
    let shift = place.lowerBound - tokens.lowerBound
    func follows(_ index: Int) -> Bool { Int(map.target[index]) == index + shift }
    let beyond = (known.lowerBound..<tokens.lowerBound).suffix(Self.far).reversed()
    let countBefore = beyond.prefix(while: follows).count
    farBefore = Double(countBefore) / Double(Self.far)
    isWholeBefore = countBefore == beyond.count
    let following = (tokens.upperBound..<known.upperBound).prefix(Self.far)
    let countAfter = following.prefix(while: follows).count
    farAfter = Double(countAfter) / Double(Self.far)
    isWholeAfter = countAfter == following.count
    let nextBefore = max(known.lowerBound, tokens.lowerBound - Self.neighbours)..<tokens.lowerBound
    let nextAfter = tokens.upperBound..<min(known.upperBound, tokens.upperBound + Self.neighbours)
    runBefore =
      nextBefore.isEmpty
      ? 1 : Double(nextBefore.reversed().prefix(while: follows).count) / Double(nextBefore.count)
    runAfter =
      nextAfter.isEmpty
      ? 1 : Double(nextAfter.prefix(while: follows).count) / Double(nextAfter.count)
    part = Self.part(around: tokens, known: known, in: map, follows: follows)
  }

  /// Returns the letters of the run around the heaviest unbroken part of a passage, divided by 80,
  /// and the share of the passage that is in that part.
  private static func runs(
    _ kept: [Int], all: Int, known: Range<Int>, in map: TokenMap
  ) -> (block: Double, unbroken: Double) {
    var (best, bestWeight) = (kept[0]..<kept[0], 0)
    var (start, evidenceWeight) = (kept[0], 0)
    for (position, index) in kept.enumerated() {
      evidenceWeight += map.old[index].evidenceWeight
      let isLast = position + 1 == kept.count
      if isLast || kept[position + 1] != index + 1 || map.target[index + 1] != map.target[index] + 1
      {
        if evidenceWeight > bestWeight { (best, bestWeight) = (start..<index + 1, evidenceWeight) }
        evidenceWeight = 0
        if !isLast { start = kept[position + 1] }
      }
    }
    let shift = map.target[best.lowerBound] - Int32(best.lowerBound)
    func follows(_ index: Int) -> Bool { map.target[index] == Int32(index) + shift }
    var letters = best.reduce(0) { $0 + Int(map.old[$1].weight) }
    var index = best.lowerBound - 1
    while index >= known.lowerBound, letters < lettersOfBlock, follows(index) {
      letters += Int(map.old[index].weight)
      index -= 1
    }
    index = best.upperBound
    while index < known.upperBound, letters < lettersOfBlock, follows(index) {
      letters += Int(map.old[index].weight)
      index += 1
    }
    return (
      min(1, Double(letters) / Double(lettersOfBlock)), Double(bestWeight) / Double(all)
    )
  }

  private static let lettersOfBlock = 80

  private static func part(
    around tokens: Range<Int>, known: Range<Int>, in map: TokenMap, follows: (Int) -> Bool
  ) -> Double {
    var (start, end) = (tokens.lowerBound, tokens.upperBound)
    while start > known.lowerBound, map.old[start].boundary == .none {
      start -= 1
      guard follows(start) else { return 0 }
    }
    while end < known.upperBound, map.old[end].boundary == .none {
      guard follows(end) else { return 0 }
      end += 1
    }
    let letters = (start..<end).reduce(0) { $0 + Int(map.old[$1].weight) }
    return min(1, Double(letters) / lettersOfPart)
  }

  private static let lettersOfPart = 40.0
}
