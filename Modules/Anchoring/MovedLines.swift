/// Finds lines that moved, by their contents. The markup of their list, quotation or cell,
/// punctuation, case and a few words may have changed.
struct MovedLines {
  /// A line of the old text and its new version.
  struct Pair {
    var old: LineContents.Line
    var new: LineContents.Line
    /// Whether both have the same tokens.
    var isEqual: Bool
  }

  /// The matched lines, in the order of the old text.
  private(set) var pairs: [Pair] = []

  /// The number of letters from which a line is matched at any distance, even if other lines are
  /// equal to it.
  private static let farWeight = 20
  /// The maximum distance, in tokens, at which a line with fewer letters is matched even if other
  /// lines are equal to it.
  private static let nearTokens = 800
  /// The minimum share of letters that a changed line has in common with the new line, and the
  /// minimum lead over the second-best line.
  private static let leastShare = 0.6
  private static let lead = 0.15
  /// The minimum number of words that a changed line has in common with the new line.
  private static let leastWords = 2
  /// The maximum number of letters of a changed line. Longer lines are compared by their tokens.
  private static let mostLetters = 45
  /// The maximum number of unmatched lines that contain a word. More frequent words are not
  /// evidence.
  private static let mostLines = 24

  private let a: LineContents
  private let b: LineContents
  private var freeOld: [Int]
  private var freeNew: [Int]

  /// Matches the lines that a map leaves unmatched. O(tokens) expected.
  init(_ a: LineContents, _ b: LineContents, in map: TokenMap) {
    (self.a, self.b) = (a, b)
    freeOld = a.all.indices.filter { index in
      a.all[index].tokens.allSatisfy { map.old[$0].weight == 0 || map.target[$0] < 0 }
    }
    freeNew = b.all.indices.filter { index in
      b.all[index].tokens.allSatisfy { map.new[$0].weight == 0 || !map.isClaimed[$0] }
    }
    matchEqual(isEqual: true, in: map) { $1.hash }
    matchEqual(isEqual: false, in: map) { $0.hashOfWords($1) }
    matchChanged(in: map)
    pairs.sort { $0.old.tokens.lowerBound < $1.old.tokens.lowerBound }
  }

  /// Matches the unmatched lines that have the same hash and occur once among them on either side.
  private mutating func matchEqual(
    isEqual: Bool, in map: TokenMap, by hash: (LineContents, LineContents.Line) -> UInt64
  ) {
    guard !freeOld.isEmpty, !freeNew.isEmpty else { return }
    func hashed(_ contents: LineContents, _ indices: [Int]) -> [Hashed] {
      indices.map { Hashed(line: contents.all[$0], hash: hash(contents, contents.all[$0])) }
    }
    let (old, new) = (hashed(a, freeOld), hashed(b, freeNew))
    let unique = Runs.uniquePairs(old, new, by: \.hash, where: { _ in true })
    guard !unique.isEmpty else { return }
    func counts(_ contents: LineContents) -> [UInt64: Int] {
      contents.all.reduce(into: [:]) { $0[hash(contents, $1), default: 0] += 1 }
    }
    let all = (old: counts(a), new: counts(b))
    var (takenOld, takenNew): (Set<Int>, Set<Int>) = ([], [])
    var isTaken = map.isClaimed
    for pair in unique { for token in new[pair.new].line.tokens { isTaken[token] = true } }
    for pair in unique {
      let (line, place) = (old[pair.old].line, new[pair.new].line)
      let key = old[pair.old].hash
      let isAlone = all.old[key] == 1 && all.new[key] == 1
      guard
        isAlone || line.weight >= Self.farWeight
          || abs(line.tokens.lowerBound - place.tokens.lowerBound) <= Self.nearTokens,
        !MovedParts.isEdited(line.tokens, in: map, isTaken)
      else { continue }
      pairs.append(Pair(old: line, new: place, isEqual: isEqual))
      takenOld.insert(freeOld[pair.old])
      takenNew.insert(freeNew[pair.new])
    }
    freeOld.removeAll(where: takenOld.contains)
    freeNew.removeAll(where: takenNew.contains)
  }

  /// A line with the hash by which it is matched.
  private struct Hashed {
    var line: LineContents.Line
    var hash: UInt64
  }

  /// Matches lines that have most of their words in common, and more than any other two lines.
  private mutating func matchChanged(in map: TokenMap) {
    freeOld.removeAll { a.all[$0].weight > Self.mostLetters }
    freeNew.removeAll { b.all[$0].weight > Self.mostLetters }
    guard !freeOld.isEmpty, !freeNew.isEmpty else { return }
    func words(_ contents: LineContents, _ line: LineContents.Line, _ tokens: [Token])
      -> [UInt64: Int]
    {
      line.tokens.reduce(into: [:]) { words, index in
        let weight = Int(tokens[index].weight)
        if weight > 0 { words[contents.hashOfWord(index), default: 0] += weight }
      }
    }
    var lines: [UInt64: [Int]] = [:]
    let newWords = freeNew.map { words(b, b.all[$0], map.new) }
    for (position, words) in newWords.enumerated() {
      for word in words.keys { lines[word, default: []].append(position) }
    }
    var found: [(old: Int, new: Int, share: Double)] = []
    for (position, index) in freeOld.enumerated() {
      let words = words(a, a.all[index], map.old)
      var common: [Int: (words: Int, weight: Int)] = [:]
      for (word, weight) in words {
        guard let at = lines[word], at.count <= Self.mostLines else { continue }
        for line in at {
          common[line, default: (0, 0)].words += 1
          common[line]!.weight += min(weight, newWords[line][word]!)
        }
      }
      for (line, (count, weight)) in common where count >= Self.leastWords {
        let both = a.all[index].weight + b.all[freeNew[line]].weight
        found.append((position, line, 2 * Double(weight) / Double(both)))
      }
    }
    func best(_ key: (_ pair: (old: Int, new: Int, share: Double)) -> Int)
      -> [Int: (best: Double, next: Double)]
    {
      found.reduce(into: [:]) { best, pair in
        let known = best[key(pair), default: (0, 0)]
        best[key(pair)] =
          pair.share > known.best
          ? (pair.share, known.best) : (known.best, max(known.next, pair.share))
      }
    }
    let (ofOld, ofNew) = (best(\.old), best(\.new))
    let kept = KeptTokens(map)
    for pair in found where pair.share >= Self.leastShare {
      guard let old = ofOld[pair.old], let new = ofNew[pair.new], pair.share == old.best,
        pair.share == new.best, max(old.next, new.next) <= pair.share - Self.lead
      else { continue }
      let (line, place) = (a.all[freeOld[pair.old]], b.all[freeNew[pair.new]])
      guard !kept.encloses(place.tokens, around: line.tokens) else { continue }
      pairs.append(Pair(old: line, new: place, isEqual: false))
    }
  }
}

/// For each token of the old text, the places of the nearest tokens on both sides that kept their
/// order. They are stored because searching for them again for each line would take quadratic time
/// in a text of changed lines.
private struct KeptTokens {
  /// For each old token and the end, the new place of the last kept token before it; -1 before the
  /// first kept token.
  private var before: [Int32]
  /// For each old token and the end, the new place of the first kept token from it on; the length
  /// of the new text after the last kept token.
  private var after: [Int32]

  /// Finds the kept tokens of a map. O(tokens).
  init(_ map: TokenMap) {
    let count = map.old.count
    before = Array(repeating: -1, count: count + 1)
    after = Array(repeating: Int32(map.new.count), count: count + 1)
    func isKept(_ index: Int) -> Bool { map.target[index] >= 0 && !map.isMoved[index] }
    for index in 0..<count {
      before[index + 1] = isKept(index) ? map.target[index] : before[index]
    }
    for index in (0..<count).reversed() {
      after[index] = isKept(index) ? map.target[index] : after[index + 1]
    }
  }

  /// Returns whether a place of the new text is between the kept tokens around a line of the old
  /// text. O(1).
  func encloses(_ place: Range<Int>, around line: Range<Int>) -> Bool {
    Int(before[line.lowerBound]) < place.lowerBound
      && Int(after[line.upperBound]) >= place.upperBound
  }
}
