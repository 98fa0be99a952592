import MarkdownParse
import Model

/// Determines which replacements can be made together, and how to write each.
///
/// All replacements are tried together. If that fails, each half is tried in turn, down to single
/// replacements. A single replacement is tried in its other forms, and dropped if none succeeds.
///
/// For `n` replacements of which `k` need another form, this takes O(k · log n) trials. If the
/// budget becomes low, adjacent replacements are tried in the same form, so that only replacements
/// without any possible form count in `k`.
struct ReplaceSearch {
  /// The number of bytes that may still be parsed.
  private var budget: Int
  /// The remaining budget, in bytes, below which adjacent replacements are first tried in the same
  /// form.
  private let half: Int
  /// The replacements that were dropped together with others, without a separate trial.
  private(set) var untried: Set<Int> = []

  /// Creates a search with a budget in bytes to parse. When it is used up, replacements are no
  /// longer tried separately.
  init(budget: Int) { (self.budget, half) = (budget, budget / 2) }

  /// Chooses a form for each replacement of a trial.
  ///
  /// - Parameters:
  ///   - ways: the possible forms of each replacement, preferred forms first.
  ///   - chosen: on entry, the index of the form to try first for each replacement, or nil for
  ///     replacements to skip. On return, a combination that succeeds.
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
      // From here on, try all replacements of a part in the same form.
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
