/// The difference between two versions of a file: by line, and by word within the changed lines.
///
/// Lines that occur exactly once in both versions are matched in their longest common order, and
/// the gaps between them recursively in the same way (patience diff, B. Cohen). Small gaps are
/// compared by shortest edit (Myers, 1986). Pieces that are not certain to be equal count as
/// changed. Expected O(bytes · log lines).
struct ByteDifference {
  /// A range of the old bytes and the range of the new bytes that replaces it. Either may be empty.
  struct Hunk: Hashable {
    var old: Range<Int>
    var new: Range<Int>
  }

  /// The hunks in ascending order. Equal bytes separate any two adjacent hunks.
  let hunks: [Hunk]

  /// Compares two versions byte for byte; line endings count.
  init(from old: [UInt8], to new: [UInt8]) {
    let whole = Hunk(old: old.indices, new: new.indices)
    hunks = Self.divide(whole, old, new, by: Self.lines).flatMap { hunk in
      hunk.old.isEmpty || hunk.new.isEmpty
        ? [hunk] : Self.divide(hunk, old, new, by: Self.words)
    }
  }

  /// Divides a hunk into smaller hunks by comparing its bytes piece by piece.
  private static func divide(
    _ hunk: Hunk, _ old: [UInt8], _ new: [UInt8],
    by pieces: (ArraySlice<UInt8>) -> [Range<Int>]
  ) -> [Hunk] {
    let (a, b) = (pieces(old[hunk.old]), pieces(new[hunk.new]))
    var numbers: [ArraySlice<UInt8>: Int] = [:]
    func number(_ piece: ArraySlice<UInt8>) -> Int {
      if let known = numbers[piece] { return known }
      defer { numbers[piece] = numbers.count }
      return numbers.count
    }
    var alignment = Alignment(old: a.map { number(old[$0]) }, new: b.map { number(new[$0]) })
    alignment.align(a.indices, b.indices, depth: 0)
    var hunks: [Hunk] = []
    var (i, j) = (0, 0)
    for (x, y) in alignment.pairs + [(a.count, b.count)] {
      if i < x || j < y {
        hunks.append(
          Hunk(
            old: Self.cover(a, i..<x, in: hunk.old), new: Self.cover(b, j..<y, in: hunk.new)))
      }
      (i, j) = (x + 1, y + 1)
    }
    return hunks
  }

  /// Returns the bytes of the pieces in `part`. An empty `part` returns the empty range before the
  /// next piece.
  private static func cover(_ pieces: [Range<Int>], _ part: Range<Int>, in whole: Range<Int>)
    -> Range<Int>
  {
    let start =
      part.lowerBound < pieces.count ? pieces[part.lowerBound].lowerBound : whole.upperBound
    return start..<(part.isEmpty ? start : pieces[part.upperBound - 1].upperBound)
  }

  private static func lines(_ bytes: ArraySlice<UInt8>) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var start = bytes.startIndex
    for index in bytes.indices where bytes[index] == 10 {
      ranges.append(start..<index + 1)
      start = index + 1
    }
    if start < bytes.endIndex { ranges.append(start..<bytes.endIndex) }
    return ranges
  }

  /// Divides bytes into runs of letters and digits, and single other bytes. Every byte beyond ASCII
  /// counts as a letter.
  private static func words(_ bytes: ArraySlice<UInt8>) -> [Range<Int>] {
    func isLetter(_ byte: UInt8) -> Bool {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...: true
      default: false
      }
    }
    var ranges: [Range<Int>] = []
    var start = bytes.startIndex
    while start < bytes.endIndex {
      var end = start + 1
      if isLetter(bytes[start]) {
        while end < bytes.endIndex, isLetter(bytes[end]) { end += 1 }
      }
      ranges.append(start..<end)
      start = end
    }
    return ranges
  }
}

/// Matches the equal pieces of two sequences, in order.
private struct Alignment {
  let old: [Int]
  let new: [Int]
  private(set) var pairs: [(Int, Int)] = []

  /// The maximum size of a gap, in pairs of pieces, that is compared by shortest edit.
  private static let fewCells = 40_000
  /// The maximum depth of the recursion into gaps.
  private static let mostDepth = 64

  init(old: [Int], new: [Int]) {
    self.old = old
    self.new = new
  }

  mutating func align(_ a: Range<Int>, _ b: Range<Int>, depth: Int) {
    var (i, j) = (a.lowerBound, b.lowerBound)
    var (oldEnd, newEnd) = (a.upperBound, b.upperBound)
    while i < oldEnd, j < newEnd, old[i] == new[j] {
      pairs.append((i, j))
      (i, j) = (i + 1, j + 1)
    }
    while i < oldEnd, j < newEnd, old[oldEnd - 1] == new[newEnd - 1] {
      (oldEnd, newEnd) = (oldEnd - 1, newEnd - 1)
    }
    if i < oldEnd, j < newEnd {
      if (oldEnd - i) * (newEnd - j) <= Self.fewCells {
        alignByShortestEdit(i..<oldEnd, j..<newEnd)
      } else if depth < Self.mostDepth {
        alignByUniquePieces(i..<oldEnd, j..<newEnd, depth)
      }
    }
    for offset in 0..<a.upperBound - oldEnd { pairs.append((oldEnd + offset, newEnd + offset)) }
  }

  private mutating func alignByShortestEdit(_ a: Range<Int>, _ b: Range<Int>) {
    let difference = new[b].difference(from: old[a])
    var removed: Set<Int> = []
    var inserted: Set<Int> = []
    for change in difference {
      switch change {
      case .remove(let offset, _, _): removed.insert(a.lowerBound + offset)
      case .insert(let offset, _, _): inserted.insert(b.lowerBound + offset)
      }
    }
    pairs += zip(a.filter { !removed.contains($0) }, b.filter { !inserted.contains($0) })
  }

  private mutating func alignByUniquePieces(_ a: Range<Int>, _ b: Range<Int>, _ depth: Int) {
    // The index of each piece in the old and the new sequence: -1 if it doesn't occur, -2 if it
    // occurs more than once.
    var places: [Int: (old: Int, new: Int)] = [:]
    for index in a {
      let place = places[old[index]]?.old ?? -1
      places[old[index]] = (place == -1 ? index : -2, -1)
    }
    for index in b {
      guard let place = places[new[index]] else { continue }
      places[new[index]]?.new = place.new == -1 ? index : -2
    }
    let unique = places.values.filter { $0.old >= 0 && $0.new >= 0 }.sorted { $0.old < $1.old }
    var (i, j) = (a.lowerBound, b.lowerBound)
    let chain = Self.longestIncreasing(unique)
    guard !chain.isEmpty else { return }
    for (x, y) in chain {
      align(i..<x, j..<y, depth: depth + 1)
      pairs.append((x, y))
      (i, j) = (x + 1, y + 1)
    }
    align(i..<a.upperBound, j..<b.upperBound, depth: depth + 1)
  }

  /// Returns the longest chain of pairs that ascends in both sequences. O(pairs · log pairs).
  private static func longestIncreasing(_ pairs: [(old: Int, new: Int)]) -> [(Int, Int)] {
    var ends: [Int] = []
    var before = [Int](repeating: -1, count: pairs.count)
    for (index, pair) in pairs.enumerated() {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if pairs[ends[middle]].new < pair.new { low = middle + 1 } else { high = middle }
      }
      if low > 0 { before[index] = ends[low - 1] }
      if low < ends.count { ends[low] = index } else { ends.append(index) }
    }
    var chain: [(Int, Int)] = []
    var index = ends.last ?? -1
    while index >= 0 {
      chain.append((pairs[index].old, pairs[index].new))
      index = before[index]
    }
    return chain.reversed()
  }
}
