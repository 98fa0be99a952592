/// Lines that moved, judged by what they say: in whatever list, quotation or cell they stood and
/// stand now, and with other signs, other case or a few other words.
struct MovedLines {
  /// A line of the old text and the one that it became.
  struct Pair {
    var old: LineContents.Line
    var new: LineContents.Line
    /// Whether both have the same tokens.
    var isEqual: Bool
  }

  /// Which old line is which new one, in the order of the old text.
  private(set) var pairs: [Pair] = []

  /// A line of so many letters is taken for the same one however far it went, and however often it
  /// stands elsewhere.
  private static let farWeight = 20
  /// One of fewer letters that stands elsewhere too has to stay within so many tokens.
  private static let nearTokens = 800
  /// The least share of letters in common that makes a line a changed one, and how much less the
  /// second-best may have.
  private static let leastShare = 0.6
  private static let lead = 0.15
  /// One word in common is an accident.
  private static let leastWords = 2
  /// A line of more letters is compared word by word with what stands where it stood, and by blocks.
  private static let mostLetters = 45
  /// A word that stands in more of the lines that are left says nothing.
  private static let mostLines = 24

  private let a: LineContents
  private let b: LineContents
  private var freeOld: [Int]
  private var freeNew: [Int]

  /// Looks for the lines that a map leaves free. O(tokens) expected.
  init(_ a: LineContents, _ b: LineContents, in map: TokenMap) {
    (self.a, self.b) = (a, b)
    freeOld = a.all.indices.filter { index in
      a.all[index].tokens.allSatisfy { map.old[$0].weight == 0 || map.target[$0] < 0 }
    }
    freeNew = b.all.indices.filter { index in
      b.all[index].tokens.allSatisfy { map.new[$0].weight == 0 || !map.isClaimed[$0] }
    }
    matchEqual(by: \.hash, isEqual: true, in: map)
    matchEqual(by: \.hashOfWords, isEqual: false, in: map)
    matchChanged(in: map)
    pairs.sort { $0.old.tokens.lowerBound < $1.old.tokens.lowerBound }
  }

  private mutating func matchEqual(
    by hash: KeyPath<LineContents.Line, UInt64>, isEqual: Bool, in map: TokenMap
  ) {
    guard !freeOld.isEmpty, !freeNew.isEmpty else { return }
    func counts(_ lines: [LineContents.Line]) -> [UInt64: Int] {
      lines.reduce(into: [:]) { $0[$1[keyPath: hash], default: 0] += 1 }
    }
    let all = (old: counts(a.all), new: counts(b.all))
    let (old, new) = (freeOld.map { a.all[$0] }, freeNew.map { b.all[$0] })
    let unique = Runs.uniquePairs(old, new, by: { $0[keyPath: hash] }, where: { _ in true })
    var (takenOld, takenNew): (Set<Int>, Set<Int>) = ([], [])
    var isTaken = unique.isEmpty ? [] : map.isClaimed
    for pair in unique { for token in new[pair.new].tokens { isTaken[token] = true } }
    for pair in unique {
      let (line, place) = (old[pair.old], new[pair.new])
      let key = line[keyPath: hash]
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

  /// Pairs the lines that have most of their words in common and no other one more.
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
    for pair in found where pair.share >= Self.leastShare {
      guard let old = ofOld[pair.old], let new = ofNew[pair.new], pair.share == old.best,
        pair.share == new.best, max(old.next, new.next) <= pair.share - Self.lead
      else { continue }
      let (line, place) = (a.all[freeOld[pair.old]], b.all[freeNew[pair.new]])
      guard !Self.isInPlace(line.tokens, place.tokens, in: map) else { continue }
      pairs.append(Pair(old: line, new: place, isEqual: false))
    }
  }

  /// Whether a place lies between what stood before a line and after it.
  private static func isInPlace(_ line: Range<Int>, _ place: Range<Int>, in map: TokenMap) -> Bool {
    func isKept(_ index: Int) -> Bool { map.target[index] >= 0 && !map.isMoved[index] }
    let before = map.old[..<line.lowerBound].indices.last(where: isKept)
    let after = map.old[line.upperBound...].indices.first(where: isKept)
    return before.map { Int(map.target[$0]) < place.lowerBound } ?? true
      && after.map { Int(map.target[$0]) >= place.upperBound } ?? true
  }
}
