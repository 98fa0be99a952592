/// Finds lines or sentences that moved. Such a part occurs once among the unmatched parts of the
/// old text and once among those of the new text, so the two occurrences belong together.
struct MovedParts {
  /// The indices of the old parts and of the new parts that they became.
  private(set) var pairs: [(old: Int, new: Int)] = []

  /// The minimum number of letters of a part that is matched at any distance.
  private static let farWeight = 20
  /// The minimum number of letters of a shorter part, and its maximum distance in tokens from the
  /// expected position.
  private static let nearWeight = 2
  private static let nearTokens = 800

  private let a: [Parts.Part]
  private let b: [Parts.Part]
  private var isFreeOld: [Bool]
  private var isFreeNew: [Bool]

  /// Matches the parts that a map leaves unmatched. O(tokens).
  init(_ a: [Parts.Part], _ b: [Parts.Part], in map: TokenMap) {
    (self.a, self.b) = (a, b)
    isFreeOld = a.map { $0.tokens.allSatisfy { map.target[$0] < 0 } }
    isFreeNew = b.map { !map.isClaimed[$0.tokens].contains(true) }
    let expected = Self.expectations(a, in: map)
    var counts: [UInt64: (old: Int, new: Int, oldAt: Int, newAt: Int)] = [:]
    for (index, part) in a.enumerated() where isFreeOld[index] && part.weight >= Self.nearWeight {
      counts[part.hash, default: (0, 0, index, 0)].old += 1
    }
    for (index, part) in b.enumerated() where isFreeNew[index] {
      guard var count = counts[part.hash] else { continue }
      count.new += 1
      count.newAt = index
      counts[part.hash] = count
    }
    let unique = counts.values.filter { $0.old == 1 && $0.new == 1 }.sorted { $0.oldAt < $1.oldAt }
    var isTaken = unique.isEmpty ? [] : map.isClaimed
    for count in unique { for token in b[count.newAt].tokens { isTaken[token] = true } }
    for count in unique where !Self.isEdited(a[count.oldAt].tokens, in: map, isTaken) {
      let part = a[count.oldAt]
      let distance = abs(b[count.newAt].tokens.lowerBound - expected[count.oldAt])
      guard part.weight >= Self.farWeight || distance <= Self.nearTokens else { continue }
      take(count.oldAt, count.newAt)
    }
    // Parts next to a moved part are moved with it, even if they aren't unique.
    for pair in pairs {
      for step in [1, -1] {
        var (i, j) = (pair.old + step, pair.new + step)
        while a.indices.contains(i), b.indices.contains(j), isFreeOld[i], isFreeNew[j],
          a[i].hash == b[j].hash
        {
          take(i, j)
          (i, j) = (i + step, j + step)
        }
      }
    }
  }

  /// The maximum distance to neighbours that kept their order, in tokens.
  private static let reach = 60
  /// A part counts as edited in place if at least this share of its words remains there, 0 … 1.
  private static let leastShare = 0.75

  /// Returns the tokens of the new text between the old neighbours of a part. Nil if the neighbours
  /// didn't keep their order, or if the gap between them is much larger than before.
  static func gap(of part: Range<Int>, in map: TokenMap) -> Range<Int>? {
    func isKept(_ index: Int) -> Bool { map.target[index] >= 0 && !map.isMoved[index] }
    let before = (max(0, part.lowerBound - reach)..<part.lowerBound).last(where: isKept)
    let after = (part.upperBound..<min(map.old.count, part.upperBound + reach)).first(where: isKept)
    guard let before, let after else { return nil }
    let (start, end) = (Int(map.target[before]) + 1, Int(map.target[after]))
    return start < end && end - start <= 2 * (after - before) + reach ? start..<end : nil
  }

  /// Returns whether a part was edited in place: most of its words remain between its old
  /// neighbours. A verbatim occurrence elsewhere is then a copy.
  static func isEdited(_ part: Range<Int>, in map: TokenMap, _ isTaken: [Bool]) -> Bool {
    guard let gap = gap(of: part, in: map) else { return false }
    var words: [UInt64: Int] = [:]
    for token in gap where !isTaken[token] { words[map.new[token].hash, default: 0] += 1 }
    guard !words.isEmpty else { return false }
    var (kept, all) = (0, 0)
    for token in map.old[part] {
      all += token.evidenceWeight
      if let left = words[token.hash], left > 0 {
        kept += token.evidenceWeight
        words[token.hash] = left - 1
      }
    }
    return Double(kept) >= leastShare * Double(all)
  }

  private mutating func take(_ i: Int, _ j: Int) {
    guard isFreeOld[i], isFreeNew[j], a[i].tokens.count == b[j].tokens.count else { return }
    (isFreeOld[i], isFreeNew[j]) = (false, false)
    pairs.append((i, j))
  }

  /// Returns for each part the index of the new token at which it would begin if it hadn't moved.
  private static func expectations(_ parts: [Parts.Part], in map: TokenMap) -> [Int] {
    var shift = 0
    var index = 0
    return parts.map { part in
      while index < part.tokens.lowerBound {
        if map.target[index] >= 0, !map.isMoved[index] { shift = Int(map.target[index]) - index }
        index += 1
      }
      return part.tokens.lowerBound + shift
    }
  }
}
