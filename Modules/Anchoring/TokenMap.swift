/// An alignment of the tokens of two texts: for each token of the old text, the token of the new
/// text that it became.
///
/// Larger parts are matched before smaller ones, and equal parts before edited ones:
///
/// 1. lines in the same order;
/// 2. lines, then sentences, that moved: each occurs exactly once among the unmatched parts of both
///    texts;
/// 3. long runs in the same order;
/// 4. blocks of tokens that moved;
/// 5. the rest between them.
struct TokenMap {
  let old: [Token]
  let new: [Token]
  /// For each old token, the index of the new token that it became, or -1.
  var target: [Int32]
  /// For each new token, whether an old token became it.
  var isClaimed: [Bool]
  /// For each old token, whether it moved across others.
  var isMoved: [Bool]
  /// For each old token, whether its match has other evidence besides equal text: its line is
  /// unique, or a long block moved with it.
  private(set) var isCertain: [Bool]
  /// For each old token, whether it is a word of a line that moved and was changed.
  private var isOfLine: [Bool]

  /// For each old token, the probability that its match is right, from 0 to 1. It is below 1 only
  /// if several matches explain the change.
  private(set) var likelihood: [Float]

  /// The run of old tokens whose place the caller has fixed; empty if none.
  private var pinned = 0..<0

  /// The remaining number of comparison steps.
  private var budget = 60_000_000

  /// Compares two texts.
  ///
  /// - Parameter texts: the UTF-16 units of the two texts.
  init(_ old: [Token], _ new: [Token], of texts: (old: [UInt16], new: [UInt16])) {
    self.init(unmapped: old, new)
    if !old.isEmpty, !new.isEmpty {
      matchParts(texts)
      fillGaps(.grams)
      moveBlocks()
      fillMovedBlocks()
      fillGaps(.rest)
    }
    clean()
    growRuns()
    slide()
  }

  /// Compares two short passages with a single table, or like long texts if the table would be too
  /// large.
  init(passage old: [Token], _ new: [Token]) {
    self.init(unmapped: old, new)
    let isSmall = old.count * new.count <= 100_000
    target = GapAlignment(old, new, isSmall ? .table : .full, budget: &budget).target
    clean()
    growRuns()
  }

  /// Compares two short passages. First finds the place of a part of the old passage, then compares
  /// the tokens before and after the part with those before and after its place.
  init(passage old: [Token], _ new: [Token], first part: Range<Int>) {
    self.init(unmapped: old, new)
    fill(part, new.indices, .table)
    let places = target.filter { $0 >= 0 }.map(Int.init)
    if let first = places.min(), let last = places.max() {
      fill(0..<part.lowerBound, 0..<first, .table)
      fill(part.upperBound..<old.count, last + 1..<new.count, .table)
    }
    clean()
    growRuns()
  }

  /// Compares the tokens around a run of old tokens with those around its given place.
  init(passage old: [Token], _ new: [Token], pinning run: Range<Int>, to place: Int) {
    self.init(unmapped: old, new)
    pinned = run
    for (offset, index) in run.enumerated() { claim(index, place + offset) }
    fill(0..<run.lowerBound, 0..<place, .table)
    fill(run.upperBound..<old.count, place + run.count..<new.count, .table)
    clean()
    growRuns()
  }

  private init(unmapped old: [Token], _ new: [Token]) {
    self.old = old
    self.new = new
    target = Array(repeating: -1, count: old.count)
    isClaimed = Array(repeating: false, count: new.count)
    isMoved = Array(repeating: false, count: old.count)
    (isCertain, isOfLine) = (isMoved, isMoved)
    likelihood = Array(repeating: 1, count: old.count)
  }

  // MARK: - Claiming

  /// Matches an old token with a new one.
  private mutating func claim(_ index: Int, _ place: Int, isMoved moved: Bool = false) {
    target[index] = Int32(place)
    isClaimed[place] = true
    isMoved[index] = moved
  }

  /// Matches a run of unmatched tokens with an equal run elsewhere.
  mutating func move(_ run: Range<Int>, to place: Int, isCertain certain: Bool = true) {
    for (offset, index) in run.enumerated() {
      claim(index, place + offset, isMoved: true)
      isCertain[index] = certain
    }
  }

  private func isFree(_ run: Range<Int>, at place: Int) -> Bool {
    place >= 0 && place + run.count <= new.count && run.allSatisfy { target[$0] < 0 }
      && !isClaimed[place..<place + run.count].contains(true)
  }

  // MARK: - Lines and sentences

  private mutating func matchParts(_ texts: (old: [UInt16], new: [UInt16])) {
    let lines = (old: Parts(old, .line).all, new: Parts(new, .line).all)
    var edit: (pairs: [(old: Int, new: Int)], likelihood: [Int: Double])?
    if PartMatching.isRepetitive(lines.old) {
      if alignByFewEdits() {
        moveLines(texts)
        return
      }
      edit = PartMatching.shortestEdit(lines.old, lines.new, budget: &budget)
    }
    for (index, value) in edit?.likelihood ?? [:] {
      for token in lines.old[index].tokens { likelihood[token] = Float(value) }
    }
    for pair in edit?.pairs ?? PartMatching.inOrder(lines.old, lines.new) {
      let (part, place) = (lines.old[pair.old].tokens, lines.new[pair.new].tokens)
      guard part.count == place.count else { continue }
      for (index, place) in zip(part, place) {
        claim(index, place)
        // A line of at least `leastWeight` letters that is unique on both sides isn't equal by
        // chance.
        isCertain[index] = edit == nil && lines.old[pair.old].weight >= PartMatching.leastWeight
      }
    }
    moveParts(lines.old, lines.new)
    moveLines(texts)
    moveParts(Parts(old, .sentence).all, Parts(new, .sentence).all)
  }

  /// Matches the tokens by a shortest edit if that edit has at most `fewEdits` insertions and
  /// deletions. Returns false if there is no such edit.
  private mutating func alignByFewEdits() -> Bool {
    let (a, b) = (old.map(\.hash), new.map(\.hash))
    let pairs = a.withUnsafeBufferPointer { a in
      b.withUnsafeBufferPointer { b in
        ShortestEdit.pairs(a, b, mostEdits: Self.fewEdits, budget: &budget)
      }
    }
    for (index, place) in pairs ?? [] { claim(index, place) }
    return pairs != nil
  }

  /// The maximum number of inserted and deleted tokens for `alignByFewEdits`.
  private static let fewEdits = 32

  /// Matches parts that occur exactly once among the unmatched parts of both texts.
  private mutating func moveParts(_ a: [Parts.Part], _ b: [Parts.Part]) {
    let moves = MovedParts(a, b, in: self).pairs
    for move in moves { self.move(a[move.old].tokens, to: b[move.new].tokens.lowerBound) }
    if !moves.isEmpty { settleOrder() }
  }

  /// Matches lines with equal or similar contents, whatever markup they begin with.
  private mutating func moveLines(_ texts: (old: [UInt16], new: [UInt16])) {
    guard target.contains(where: { $0 < 0 }), isClaimed.contains(false) else { return }
    let (a, b) = (LineContents(old, of: texts.old), LineContents(new, of: texts.new))
    let moves = MovedLines(a, b, in: self).pairs
    for move in moves {
      if move.isEqual {
        self.move(move.old.tokens, to: move.new.tokens.lowerBound)
        continue
      }
      // Match the words in their order. `growRuns` later matches the punctuation between them.
      let (words, places) = (
        move.old.tokens.filter { old[$0].weight > 0 },
        move.new.tokens.filter { new[$0].weight > 0 }
      )
      let pairs = Self.commonWords(words.map(a.hashOfWord), places.map(b.hashOfWord))
      let hasEqualWords = a.hashOfWords(move.old) == b.hashOfWords(move.new)
      for pair in pairs {
        claim(words[pair.0], places[pair.1], isMoved: true)
        isCertain[words[pair.0]] = hasEqualWords
        isOfLine[words[pair.0]] = true
      }
    }
    if !moves.isEmpty { settleOrder() }
  }

  /// Returns the pairs of a longest common subsequence; empty if computing it would be too
  /// expensive. O(a · b).
  private static func commonWords(_ a: [UInt64], _ b: [UInt64]) -> [(Int, Int)] {
    if a == b { return Array(zip(a.indices, b.indices)) }
    guard a.count * b.count <= 40_000 else { return [] }
    var lengths = [[Int]](repeating: [Int](repeating: 0, count: b.count + 1), count: a.count + 1)
    for i in a.indices.reversed() {
      for j in b.indices.reversed() {
        lengths[i][j] =
          a[i] == b[j] ? lengths[i + 1][j + 1] + 1 : max(lengths[i + 1][j], lengths[i][j + 1])
      }
    }
    var pairs: [(Int, Int)] = []
    var (i, j) = (0, 0)
    while i < a.count, j < b.count {
      if a[i] == b[j] {
        pairs.append((i, j))
        (i, j) = (i + 1, j + 1)
      } else if lengths[i + 1][j] >= lengths[i][j + 1] {
        i += 1
      } else {
        j += 1
      }
    }
    return pairs
  }

  // MARK: - Gaps

  /// Compares the unmatched tokens between runs that kept their order.
  private mutating func fillGaps(_ depth: GapAlignment.Depth) {
    var (start, place) = (0, 0)
    for index in 0...old.count {
      guard index == old.count || (target[index] >= 0 && !isMoved[index]) else { continue }
      let end = index == old.count ? new.count : Int(target[index])
      if index > start, end > place { fill(start..<index, place..<end, depth) }
      (start, place) = (index + 1, end + 1)
    }
  }

  private mutating func fill(
    _ a: Range<Int>, _ b: Range<Int>, _ depth: GapAlignment.Depth, isMoved moved: Bool = false
  ) {
    let oldFree = a.filter { target[$0] < 0 }
    let newFree = b.filter { !isClaimed[$0] }
    guard !oldFree.isEmpty, !newFree.isEmpty else { return }
    let found = GapAlignment(
      oldFree.map { old[$0] }, newFree.map { new[$0] }, depth, budget: &budget
    ).target
    for (index, place) in found.enumerated() where place >= 0 {
      claim(oldFree[index], newFree[Int(place)], isMoved: moved)
    }
  }

  // MARK: - Moves

  /// The minimum number of letters of a block that isn't equal by chance.
  private static let certainWeight = 40

  /// Matches blocks that were deleted at one place and inserted at another, heaviest first.
  private mutating func moveBlocks() {
    var light: [BlockMove] = []
    for block in BlockMove.all(in: self) where isFree(block.old, at: block.new) {
      let isCertain = block.weight >= Self.certainWeight
      move(block.old, to: block.new, isCertain: isCertain)
      if !isCertain { light.append(block) }
    }
    // A few words from the middle of one sentence that are also in another sentence are a common
    // phrase.
    let stray = light.filter { !isAtBorder($0) && !hasMovedNeighbours($0) }
    for block in stray {
      for (offset, index) in block.old.enumerated() {
        target[index] = -1
        isClaimed[block.new + offset] = false
      }
    }
    growRuns()
  }

  /// The maximum distance between blocks that moved together, in tokens of either text.
  private static let neighbourDistance = 40

  /// Returns whether a block begins or ends with a line or sentence in both texts, ignoring
  /// punctuation.
  private func isAtBorder(_ block: BlockMove) -> Bool {
    let shift = block.new - block.old.lowerBound
    func isBorder(_ index: Int) -> Bool {
      (index >= old.count || old[index].boundary != .none)
        && (index + shift >= new.count || new[index + shift].boundary != .none)
    }
    guard let first = block.old.first(where: { old[$0].weight > 0 }),
      let last = block.old.last(where: { old[$0].weight > 0 })
    else { return false }
    return (block.old.lowerBound...first).contains(where: isBorder)
      || (last + 1...block.old.upperBound).contains(where: isBorder)
  }

  /// Returns whether enough other text moved with a light block, so that the block isn't equal by
  /// chance.
  private func hasMovedNeighbours(_ block: BlockMove) -> Bool {
    let shift = block.new - block.old.lowerBound
    let around =
      max(
        0, block.old.lowerBound - Self.neighbourDistance)..<min(
        old.count, block.old.upperBound + Self.neighbourDistance)
    var letters = 0
    for index in around where target[index] >= 0 && isMoved[index] {
      if abs(Int(target[index]) - index - shift) <= Self.neighbourDistance {
        letters += Int(old[index].weight)
      }
    }
    return letters >= Self.certainWeight
  }

  /// Compares the unmatched tokens inside moved blocks and at their edges.
  private mutating func fillMovedBlocks() {
    var before: Int?
    for index in old.indices where target[index] >= 0 {
      defer { before = index }
      guard let before, isMoved[before], isMoved[index], index > before + 1 else { continue }
      let start = Int(target[before]) + 1
      let (a, b) = (before + 1..<index, start..<max(start, Int(target[index])))
      guard !b.isEmpty, b.count <= 4 * a.count + 24, !isClaimed[b].contains(true) else { continue }
      fill(a, b, .full, isMoved: true)
    }
    for index in old.indices where target[index] >= 0 && isMoved[index] {
      fillEdge(of: index, step: -1)
      fillEdge(of: index, step: 1)
    }
  }

  /// The maximum number of compared tokens next to a moved block. They moved with the block if at
  /// least the share `edgeShare` of them is equal.
  private static let edgeTokens = 120
  private static let edgeShare = 0.4

  /// Matches the rest of a paragraph if a part of it moved and the rest is similar.
  private mutating func fillEdge(of index: Int, step: Int) {
    func free(_ tokens: [Token], _ start: Int, _ isFree: (Int) -> Bool) -> Range<Int> {
      var next = start + step
      while tokens.indices.contains(next), abs(next - start) <= Self.edgeTokens, isFree(next),
        !tokens[max(next, next - step)].beginsBlock
      {
        next += step
      }
      return step > 0 ? start + 1..<next : next + 1..<start
    }
    let a = free(old, index) { target[$0] < 0 }
    guard !a.isEmpty else { return }
    let b = free(new, Int(target[index])) { !isClaimed[$0] }
    guard !b.isEmpty else { return }
    let found = GapAlignment(Array(old[a]), Array(new[b]), .table, budget: &budget).target
    let equal = found.indices.reduce(0) {
      $0 + (found[$1] >= 0 ? old[a.lowerBound + $1].evidenceWeight : 0)
    }
    let least = min(weight(of: a), b.reduce(0) { $0 + new[$1].evidenceWeight })
    guard Double(equal) >= Self.edgeShare * Double(least) else { return }
    for (offset, place) in found.enumerated() where place >= 0 {
      claim(a.lowerBound + offset, b.lowerBound + Int(place), isMoved: true)
    }
  }

  /// Determines which runs kept their order: those of the heaviest chain. All others moved.
  private mutating func settleOrder() {
    let runs = self.runs()
    let kept = Runs.heaviestChain(runs.map { (Int(target[$0.lowerBound]), weight(of: $0)) })
    var next = 0
    for (index, run) in runs.enumerated() {
      let isKept = next < kept.count && kept[next] == index
      if isKept { next += 1 }
      for token in run { isMoved[token] = !isKept }
    }
  }

  /// Returns the longest runs of old tokens that are matched with consecutive new tokens.
  func runs() -> [Range<Int>] {
    var runs: [Range<Int>] = []
    for index in old.indices where target[index] >= 0 {
      if let last = runs.last, last.upperBound == index, target[index] == target[index - 1] + 1 {
        runs[runs.count - 1] = last.lowerBound..<index + 1
      } else {
        runs.append(index..<index + 1)
      }
    }
    return runs
  }

  private func weight(of run: Range<Int>) -> Int { run.reduce(0) { $0 + old[$1].evidenceWeight } }

  // MARK: - Cleaning

  private mutating func clean() {
    dropAccidents()
    dropAccidents()
    dropLonePunctuation()
    updateClaims()
  }

  /// Updates `isClaimed` from `target`.
  mutating func updateClaims() {
    isClaimed = Array(repeating: false, count: new.count)
    for index in old.indices where target[index] >= 0 { isClaimed[Int(target[index])] = true }
  }

  /// Removes matches of short runs inside larger changes. They are equal by chance, like the "the"
  /// of a rewritten sentence.
  private mutating func dropAccidents() {
    let runs = self.runs()
    func changed(_ before: Range<Int>?, _ after: Range<Int>?) -> Int {
      let oldGap = lengthWithoutMoved((before?.upperBound ?? 0)..<(after?.lowerBound ?? old.count))
      let newStart = before.map { Int(target[$0.upperBound - 1]) + 1 } ?? 0
      let newEnd = after.map { Int(target[$0.lowerBound]) } ?? new.count
      return max(oldGap, newStart <= newEnd ? length(new, newStart..<newEnd) : 0)
    }
    // A run that kept its order is compared with the text up to the neighbouring runs that kept
    // their order. Text between these runs that moved away counts as deleted.
    let (previous, next) = neighbours(runs)
    var dropped: [Range<Int>] = []
    for (index, run) in runs.enumerated()
    where run.count < 8 && !isCertain[run].contains(true) && !isOfLine[run].contains(true) {
      guard !run.overlaps(pinned) else { continue }
      let runLength = length(old, run)
      let before = changed(previous[index].map { runs[$0] }, run)
      let after = changed(run, next[index].map { runs[$0] })
      if runLength < before, runLength < after { dropped.append(run) }
    }
    for run in dropped { for index in run { target[index] = -1 } }
  }

  /// Returns for each run the runs before and after it; nil at the ends. For a run that kept its
  /// order, only runs that kept their order count. O(runs).
  private func neighbours(_ runs: [Range<Int>]) -> (before: [Int?], after: [Int?]) {
    func scan(_ order: some Sequence<Int>) -> [Int?] {
      var found = [Int?](repeating: nil, count: runs.count)
      var (last, lastKept): (Int?, Int?)
      for index in order {
        let isMoved = isMoved[runs[index].lowerBound]
        found[index] = isMoved ? last : lastKept
        last = index
        if !isMoved { lastKept = index }
      }
      return found
    }
    return (scan(runs.indices), scan(runs.indices.reversed()))
  }

  /// Removes matches of single punctuation marks without a matched neighbour, which are equal by
  /// chance.
  private mutating func dropLonePunctuation() {
    for index in old.indices where target[index] >= 0 && old[index].weight == 0 {
      let before = index > 0 && target[index - 1] >= 0 && target[index - 1] == target[index] - 1
      let after = index + 1 < old.count && target[index + 1] == target[index] + 1
      if !before && !after { target[index] = -1 }
    }
  }

  /// Extends each run by the unmatched tokens next to it that are equal on both sides.
  private mutating func growRuns() {
    func join(_ index: Int, _ place: Int, of neighbour: Int, _ map: inout TokenMap) {
      guard map.target[index] < 0, map.new.indices.contains(place), !map.isClaimed[place],
        map.old[index].hash == map.new[place].hash
      else { return }
      map.claim(index, place, isMoved: map.isMoved[neighbour])
    }
    for index in old.indices.dropFirst() where target[index - 1] >= 0 {
      join(index, Int(target[index - 1]) + 1, of: index - 1, &self)
    }
    for index in old.indices.dropLast().reversed() where target[index + 1] >= 0 {
      join(index, Int(target[index + 1]) - 1, of: index + 1, &self)
    }
  }

  /// Returns the UTF-16 length of a range of old tokens without its moved tokens.
  private func lengthWithoutMoved(_ range: Range<Int>) -> Int {
    guard range.contains(where: { target[$0] >= 0 }) else { return length(old, range) }
    var (sum, start) = (0, range.lowerBound)
    for index in range where target[index] >= 0 {
      sum += length(old, start..<index)
      start = index + 1
    }
    return sum + length(old, start..<range.upperBound)
  }

  private func length(_ tokens: [Token], _ range: Range<Int>) -> Int {
    range.isEmpty ? 0 : Int(tokens[range.upperBound - 1].end - tokens[range.lowerBound].start)
  }
}
