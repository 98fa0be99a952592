import MarkdownParse
import Model

/// Finds out which of several replacements can be made together, and how each is written.
///
/// All are tried at once; where that fails, the halves one after the other, down to a single one,
/// which is written in its further ways and given up when none holds. For `n` replacements with `k`
/// such ones these are O(k · log n) trials.
/// Where these become many, neighbours are written alike, and only those that never hold count in `k`.
struct ReplaceSearch {
  /// How many bytes may still be parsed.
  private var budget: Int
  /// Below this, those that stand beside each other are first written alike.
  private let half: Int
  /// Those that were given up without being tried alone.
  private(set) var untried: Set<Int> = []

  /// Starts with so many bytes to parse, after which replacements are no longer tried alone.
  init(budget: Int) { (self.budget, half) = (budget, budget / 2) }

  /// Chooses a way for each replacement of a trial.
  ///
  /// - Parameters:
  ///   - ways: the writings of each, from the one that is preferred.
  ///   - chosen: the way of each that is tried first, nil for those that are not made; afterwards
  ///     those that hold together.
  ///   - first: the number of the trial's first replacement.
  mutating func settle(
    _ trial: ReplaceTrial, _ ways: ArraySlice<[Writing]>, _ chosen: inout ArraySlice<Int?>
  ) {
    let first = ways.startIndex
    var state = Round(
      trial: trial, ways: Array(ways), first: first, start: Array(chosen),
      chosen: Array(repeating: nil, count: ways.count))
    let all = state.start.indices.filter { state.start[$0] != nil }
    settle(all[...], &state, isKnownToFail: false)
    for (index, way) in state.chosen.enumerated() { chosen[chosen.startIndex + index] = way }
  }

  private struct Round {
    let trial: ReplaceTrial
    let ways: [[Writing]]
    let first: Int
    let start: [Int?]
    var chosen: [Int?]
  }

  private mutating func settle(
    _ part: ArraySlice<Int>, _ round: inout Round, isKnownToFail: Bool
  ) {
    guard let index = part.first else { return }
    if !isKnownToFail {
      for index in part { round.chosen[index] = round.start[index] }
      if holds(round) { return }
    }
    if part.count == 1 {
      for way in (round.start[index]! + 1)..<max(round.start[index]! + 1, round.ways[index].count) {
        round.chosen[index] = way
        if holds(round) { return }
      }
      round.chosen[index] = nil
      return
    }
    if budget <= half {
      // From here on all of a part are written alike.
      for level in 1..<max(2, part.map({ round.ways[$0].count }).max() ?? 1) {
        for index in part {
          round.chosen[index] = min(round.start[index]! + level, round.ways[index].count - 1)
        }
        if holds(round) { return }
      }
    }
    if budget <= 0 {
      for index in part {
        round.chosen[index] = nil
        untried.insert(round.first + index)
      }
      return
    }
    for index in part { round.chosen[index] = nil }
    let middle = part.startIndex + part.count / 2
    settle(part[..<middle], &round, isKnownToFail: false)
    let isUnchanged =
      budget > half
      && part[..<middle].allSatisfy { round.chosen[$0] == round.start[$0] }
    settle(part[middle...], &round, isKnownToFail: isUnchanged)
  }

  private mutating func holds(_ round: Round) -> Bool {
    budget -= round.trial.document.source.bytes.count
    let writings = zip(round.ways, round.chosen).map { ways, way in way.map { ways[$0] } }
    return round.trial.outcome(writings).failure == nil
  }
}
