/// Which token of a new text each token of an old one became.
///
/// Common runs are found from long to short: grams that occur once on both sides (or equally often,
/// paired in order) are anchors, the longest increasing chain of them is kept and grown, and the
/// gaps between are divided again with shorter grams; what is left is compared by a heaviest common
/// subsequence, or, where that is too long, by the shortest edit. (The idea of anchors is that of patience diff, B. Cohen.) Expected O(tokens); the
/// work on gaps is bounded by `budget`.
struct TokenMap {
  let old: [Token]
  let new: [Token]
  /// For each old token the new one, or -1.
  private(set) var target: [Int32]
  /// For each new token whether an old one became it.
  private(set) var isClaimed: [Bool]
  /// For each old token whether it moved across others.
  private(set) var isMoved: [Bool]

  /// Cells of subsequence tables that may still be filled.
  private var budget = 60_000_000
  private static let mostCellsPerGap = 4_000_000
  /// Larger gaps are followed when so few tokens were taken out and put in.
  private static let mostEdits = 64
  /// Gaps of so few cells are compared at once.
  private static let fewCells = 64
  private static let gramLengths = [16, 8, 4, 2, 1]

  /// Compares two texts.
  init(_ old: [Token], _ new: [Token]) {
    self.init(unmapped: old, new)
    align(0..<old.count, 0..<new.count, level: 0)
    finish()
  }

  /// Compares two short passages, by one table as long as that is not too large.
  init(passage old: [Token], _ new: [Token]) {
    self.init(unmapped: old, new)
    let isSmall = old.count * new.count <= 100_000
    align(0..<old.count, 0..<new.count, level: isSmall ? Self.gramLengths.count : 0)
    finish()
  }

  private init(unmapped old: [Token], _ new: [Token]) {
    self.old = old
    self.new = new
    target = Array(repeating: -1, count: old.count)
    isClaimed = Array(repeating: false, count: new.count)
    isMoved = Array(repeating: false, count: old.count)
  }

  private mutating func finish() {
    dropAccidents()
    dropAccidents()
    dropLoneSigns()
    for index in old.indices where target[index] >= 0 { isClaimed[Int(target[index])] = true }
    growRuns()
  }

  // MARK: - In order

  private mutating func align(_ oldRange: Range<Int>, _ newRange: Range<Int>, level: Int) {
    var (i, j) = (oldRange.lowerBound, newRange.lowerBound)
    var (oldEnd, newEnd) = (oldRange.upperBound, newRange.upperBound)
    while i < oldEnd, j < newEnd, old[i].hash == new[j].hash {
      target[i] = Int32(j)
      (i, j) = (i + 1, j + 1)
    }
    while i < oldEnd, j < newEnd, old[oldEnd - 1].hash == new[newEnd - 1].hash {
      (oldEnd, newEnd) = (oldEnd - 1, newEnd - 1)
      target[oldEnd] = Int32(newEnd)
    }
    guard i < oldEnd, j < newEnd else { return }
    guard level < Self.gramLengths.count, (oldEnd - i) * (newEnd - j) > Self.fewCells else {
      alignBySubsequence(i..<oldEnd, j..<newEnd)
      return
    }
    let chain = GramAnchors.chain(
      old, i..<oldEnd, new, j..<newEnd, length: Self.gramLengths[level])
    for anchor in chain where anchor.old >= i && anchor.new >= j {
      var end = 0
      while anchor.old + end < oldEnd, anchor.new + end < newEnd,
        old[anchor.old + end].hash == new[anchor.new + end].hash
      {
        target[anchor.old + end] = Int32(anchor.new + end)
        end += 1
      }
      align(i..<anchor.old, j..<anchor.new, level: level + 1)
      (i, j) = (anchor.old + end, anchor.new + end)
    }
    align(i..<oldEnd, j..<newEnd, level: level + 1)
  }

  private mutating func alignBySubsequence(_ a: Range<Int>, _ b: Range<Int>) {
    let cells = a.count * b.count
    guard cells <= Self.mostCellsPerGap, cells <= budget else {
      let steps = (a.count + b.count) * Self.mostEdits
      guard steps <= budget else { return }
      budget -= steps
      ShortestEdit.align(old, a, new, b, limit: Self.mostEdits) { target[$0] = Int32($1) }
      return
    }
    budget -= cells
    Subsequence.align(old, a, new, b) { target[$0] = Int32($1) }
  }

  // MARK: - Cleaning

  /// Forgets short equal runs in the midst of larger changes: they are accidents, like the "the" of
  /// a sentence that was written anew.
  private mutating func dropAccidents() {
    struct Run { var start: Int; var end: Int }
    var runs: [Run] = []
    for index in old.indices where target[index] >= 0 {
      if let last = runs.last, last.end == index, target[index] == target[index - 1] + 1 {
        runs[runs.count - 1].end = index + 1
      } else {
        runs.append(Run(start: index, end: index + 1))
      }
    }
    func changed(_ before: Run?, _ after: Run?) -> Int {
      let oldGap = length(old, (before?.end ?? 0)..<(after?.start ?? old.count))
      let newStart = before.map { Int(target[$0.end - 1]) + 1 } ?? 0
      let newEnd = after.map { Int(target[$0.start]) } ?? new.count
      return max(oldGap, newStart <= newEnd ? length(new, newStart..<newEnd) : 0)
    }
    var dropped: [Run] = []
    for (index, run) in runs.enumerated() where run.end - run.start < 8 {
      let own = length(old, run.start..<run.end)
      let before = changed(index > 0 ? runs[index - 1] : nil, run)
      let after = changed(run, index + 1 < runs.count ? runs[index + 1] : nil)
      if own < before, own < after { dropped.append(run) }
    }
    for run in dropped { for index in run.start..<run.end { target[index] = -1 } }
  }

  /// Forgets pairs of single signs: a full stop that stands alone belongs to no text in particular.
  private mutating func dropLoneSigns() {
    for index in old.indices where target[index] >= 0 && old[index].weight == 0 {
      let before = index > 0 && target[index - 1] >= 0 && target[index - 1] == target[index] - 1
      let after = index + 1 < old.count && target[index + 1] == target[index] + 1
      if !before && !after { target[index] = -1 }
    }
  }

  /// Lets each run take the free tokens beside it that are equal on both sides.
  private mutating func growRuns() {
    func join(_ index: Int, _ place: Int, _ map: inout TokenMap) {
      guard map.target[index] < 0, map.new.indices.contains(place), !map.isClaimed[place],
        map.old[index].hash == map.new[place].hash
      else { return }
      map.target[index] = Int32(place)
      map.isClaimed[place] = true
    }
    for index in old.indices.dropFirst() where target[index - 1] >= 0 {
      join(index, Int(target[index - 1]) + 1, &self)
    }
    for index in old.indices.dropLast().reversed() where target[index + 1] >= 0 {
      join(index, Int(target[index + 1]) - 1, &self)
    }
  }

  private func length(_ tokens: [Token], _ range: Range<Int>) -> Int {
    range.isEmpty ? 0 : Int(tokens[range.upperBound - 1].end - tokens[range.lowerBound].start)
  }

  // MARK: - Moves

  /// Takes a run of free tokens for a block that moved.
  mutating func move(_ run: Range<Int>, to place: Int) {
    for (offset, index) in run.enumerated() {
      target[index] = Int32(place + offset)
      isClaimed[place + offset] = true
      isMoved[index] = true
    }
  }

  /// Finds blocks that were taken out at one place and put in at another.
  mutating func findMoves() {
    for move in BlockMove.all(in: self) {
      let place = move.new..<move.new + move.old.count
      guard move.old.allSatisfy({ target[$0] < 0 }), !isClaimed[place].contains(true) else {
        continue
      }
      self.move(move.old, to: move.new)
    }
    growRuns()
  }
}
