/// The words that replaced a passage and are spelled similarly: "margins" for "margin", "color of
/// the seas" for "colour of the sea", "e-mail" for "email".
///
/// A comparison of whole words loses such a passage, because at most its frequent words remain. But
/// its neighbours still enclose its place.
struct Respelling {
  /// The place in the new text.
  let range: Range<Int>
  /// The confidence in the place, 0 … 1. It is below `Anchorer.doubtfulScore` if the passage was
  /// replaced by different words.
  let score: Double

  /// The maximum number of neighbours on each side that may have changed too. Up to twice as many
  /// neighbours are compared.
  private static let reach = 3
  /// The maximum number of changed tokens on each side that are compared again.
  private static let mostInGap = 24
  /// The maximum length of a passage, in UTF-16 units and in letters.
  static let mostUnits = 64
  private static let mostLetters = 32
  /// The maximum number of compared pairs of letters for one passage.
  private static let mostPairs = 100_000

  /// The minimum values for a certain place, and its confidence. `likeness` is the share of equal
  /// letters; `neighbours` is the share of neighbours on each side that remain.
  private static let sure = (likeness: 0.7, neighbours: 0.5, score: 0.88)
  /// The minimum values for a doubtful place, and its confidence.
  private static let doubtful = (likeness: 0.6, neighbours: 0.3, score: 0.6)
  /// The confidence in a place without any equal letter.
  private static let replaced = 0.2

  /// Finds the words between the neighbours of a passage of one line. Nil if the neighbours were
  /// deleted, moved apart, or are adjacent. O(tokens · letters²), limited by `mostPairs`.
  ///
  /// - Parameters:
  ///   - passage: the passage's units in the old text.
  ///   - tokens: the old tokens that the passage touches.
  ///   - known: the old tokens that are certainly whole.
  ///   - budget: the remaining number of compared pairs of letters and of words. The work is
  ///     subtracted from it.
  init?(
    of passage: Range<Int>, tokens: Range<Int>, known: Range<Int>, in map: TokenMap,
    from old: [UInt16], to new: [UInt16], budget: inout Int
  ) {
    guard passage.count <= Self.mostUnits, !tokens.isEmpty, known.contains(tokens),
      tokens.dropFirst().allSatisfy({ map.old[$0].boundary < .line })
    else { return nil }
    let letters = FoldedText(Array(old[Self.units(of: tokens, map.old)])).letters
    guard 1...Self.mostLetters ~= letters.count else { return nil }
    let targetsOfTokens = Set(tokens.map { map.target[$0] })
    let target = Self.targets(around: tokens, known, targetsOfTokens, in: map, budget: &budget)
    func isKept(_ index: Int) -> Bool { target[index] ?? -1 >= 0 }
    let preceding = known.lowerBound..<tokens.lowerBound
    let following = tokens.upperBound..<known.upperBound
    let before = preceding.suffix(Self.reach).last(where: isKept)
    let after = following.prefix(Self.reach).first(where: isKept)
    // The start and the end of a text count as neighbours that survived.
    guard before != nil || (preceding.count <= Self.reach && known.lowerBound == 0),
      after != nil || (following.count <= Self.reach && known.upperBound == map.old.count)
    else { return nil }
    let start = before.map { target[$0]! + 1 } ?? 0
    let end = after.map { target[$0]! } ?? map.new.count
    guard start < end, end - start <= 2 * tokens.count + 8 * Self.reach else { return nil }

    let gap = (start..<end).map { index in
      map.isClaimed[index] && !targetsOfTokens.contains(Int32(index))
        ? nil : FoldedText(Array(new[map.new[index].range])).letters
    }
    let pairs = gap.count * letters.count * gap.reduce(0) { $0 + ($1?.count ?? 0) }
    guard pairs <= min(Self.mostPairs, budget) else { return nil }
    budget -= pairs
    guard let best = Self.likest(letters, among: gap) else { return nil }
    let place = start + best.words.lowerBound..<start + best.words.upperBound

    let near = start - 4 * Self.reach...end + 4 * Self.reach
    func share(_ side: Range<Int>) -> Double {
      let left = side.count { isKept($0) && near ~= target[$0]! }
      return side.isEmpty ? 1 : Double(left) / Double(side.count)
    }
    let neighbours = min(
      share(preceding.suffix(2 * Self.reach)), share(following.prefix(2 * Self.reach)))
    let isEnclosed =
      (before.map { $0 + 1 == tokens.lowerBound } ?? preceding.isEmpty)
      && (after.map { $0 == tokens.upperBound } ?? following.isEmpty)
    range = Self.units(of: place, for: passage, tokens, in: map, old, new)
    guard !range.isEmpty else { return nil }
    score =
      if isEnclosed, best.likeness >= Self.sure.likeness, neighbours >= Self.sure.neighbours {
        Self.sure.score
      } else if best.likeness >= Self.doubtful.likeness, neighbours >= Self.doubtful.neighbours {
        Self.doubtful.score
      } else {
        Self.replaced + (Self.doubtful.score - Self.replaced) / 2 * best.likeness
      }
  }

  /// Returns the places of the tokens around a passage, by their indices; -1 for deleted tokens.
  ///
  /// Between the nearest neighbours in the map, words are compared once more. The map omits short
  /// runs among many changed words, because they may be equal by chance.
  private static func targets(
    around tokens: Range<Int>, _ known: Range<Int>, _ targetsOfTokens: Set<Int32>, in map: TokenMap,
    budget: inout Int
  ) -> [Int: Int] {
    let window = (tokens.lowerBound - mostInGap..<tokens.upperBound + mostInGap).clamped(to: known)
    var targets = Dictionary(uniqueKeysWithValues: window.map { ($0, Int(map.target[$0])) })
    func isKept(_ index: Int) -> Bool { map.target[index] >= 0 }
    guard let before = (window.lowerBound..<tokens.lowerBound).last(where: isKept),
      let after = (tokens.upperBound..<window.upperBound).first(where: isKept),
      map.isMoved[before] == map.isMoved[after], map.target[before] < map.target[after]
    else { return targets }
    let gap = before + 1..<after
    let free = (map.target[before] + 1..<map.target[after]).filter {
      !map.isClaimed[Int($0)] || targetsOfTokens.contains($0)
    }
    let cells = gap.count * free.count
    guard gap.count > tokens.count, free.count <= 2 * mostInGap, cells <= budget else {
      return targets
    }
    budget -= cells
    var steps = cells
    let found = GapAlignment(
      Array(map.old[gap]), free.map { map.new[Int($0)] }, .table, budget: &steps
    ).target
    for (index, place) in zip(gap, found) where place >= 0 && !tokens.contains(index) {
      targets[index] = Int(free[Int(place)])
    }
    return targets
  }

  /// Returns the run of words whose letters are most similar to those of a passage, with the share
  /// of equal letters. Of equally similar runs, the shortest is returned. Nil if all words belong
  /// to other passages.
  ///
  /// - Parameter words: the letters of each word; nil for a word of another passage.
  private static func likest(_ letters: [UInt32], among words: [[UInt32]?])
    -> (words: Range<Int>, likeness: Double)?
  {
    var best: (words: Range<Int>, likeness: Double)?
    for start in words.indices where words[start]?.isEmpty == false {
      // The edit distance of each prefix of the passage to the words so far (after Wagner and
      // Fischer 1974).
      var errors = Array(0...letters.count)
      var count = 0
      for end in start..<words.count {
        guard let word = words[end] else { break }
        for letter in word {
          count += 1
          var diagonal = errors[0]
          errors[0] = count
          for index in letters.indices {
            let change = diagonal + (letters[index] == letter ? 0 : 1)
            diagonal = errors[index + 1]
            errors[index + 1] = min(change, diagonal + 1, errors[index] + 1)
          }
        }
        let likeness = 1 - Double(errors[letters.count]) / Double(max(letters.count, count))
        if likeness > best?.likeness ?? -1 { best = (start..<end + 1, likeness) }
      }
    }
    return best
  }

  private static func units(of range: Range<Int>, _ tokens: [Token]) -> Range<Int> {
    Int(tokens[range.lowerBound].start)..<Int(tokens[range.upperBound - 1].end)
  }

  /// Returns the units of new tokens. A part of the first or last word that the passage excluded is
  /// excluded here too, if it is the same in both texts.
  private static func units(
    of place: Range<Int>, for passage: Range<Int>, _ tokens: Range<Int>, in map: TokenMap,
    _ old: [UInt16], _ new: [UInt16]
  ) -> Range<Int> {
    let (was, now) = (units(of: tokens, map.old), units(of: place, map.new))
    let before = old[was.lowerBound..<max(was.lowerBound, passage.lowerBound)]
    let after = old[min(was.upperBound, passage.upperBound)..<was.upperBound]
    let words = new[now]
    let start = words.starts(with: before) ? before.count : 0
    let end = words.reversed().starts(with: after.reversed()) ? after.count : 0
    return start + end < now.count ? now.lowerBound + start..<now.upperBound - end : now
  }
}
