import Glibc

/// Finds long stretches that two texts have in common, by comparing lines before the texts are
/// divided into tokens. The inside of a stretch needs no further comparison.
enum CommonStretches {
  /// A range of the old text that occurs unchanged in the new text.
  struct Stretch {
    var old: Range<Int>
    /// The offset in the new text minus the offset in the old text.
    var shift: Int
  }

  private typealias Units = UnsafeBufferPointer<UInt16>

  /// The minimum length of both ranges in UTF-16 units. If one is shorter, no stretches are
  /// searched for.
  private static let leastUnits = 65_536
  /// The minimum length of a unique line that is used as an anchor, in UTF-16 units.
  private static let leastLine = 16

  /// Returns the stretches of at least `least` units that begin and end with a line that occurs
  /// exactly once in each of the ranges `a` and `b`. They are in ascending order in both texts
  /// (patience diff, B. Cohen). The text within a stretch can be matched in only one way. Expected
  /// O(units + lines · log lines).
  static func all(
    _ old: [UInt16], _ a: Range<Int>, _ new: [UInt16], _ b: Range<Int>, least: Int
  ) -> [Stretch] {
    guard min(a.count, b.count) >= leastUnits else { return [] }
    return old.withUnsafeBufferPointer { old in
      new.withUnsafeBufferPointer { new in
        let pairs = uniquePairs(lines(of: old, in: a), lines(of: new, in: b))
        let chain = Runs.heaviestChain(pairs.map { ($0.new, $0.old.count) })
        return join(chain.map { pairs[$0] }, old, new).filter { $0.old.count >= least }
      }
    }
  }

  /// A line, including its line feed.
  private struct Line {
    var units: Range<Int>
    var hash: UInt64
  }

  /// A line of the old text and the start of the equal line in the new text.
  private typealias Pair = (old: Range<Int>, new: Int)

  /// Joins matched lines into stretches where the text between them is equal in both texts.
  private static func join(_ chain: [Pair], _ old: Units, _ new: Units) -> [Stretch] {
    var stretches: [Stretch] = []
    for line in chain {
      // Different lines may have the same hash.
      guard isSame(old, line.old.lowerBound, new, line.new, line.old.count) else { continue }
      let shift = line.new - line.old.lowerBound
      if let last = stretches.last, last.shift == shift,
        isSame(
          old, last.old.upperBound, new, last.old.upperBound + shift,
          line.old.lowerBound - last.old.upperBound)
      {
        stretches[stretches.count - 1].old = last.old.lowerBound..<line.old.upperBound
      } else {
        stretches.append(Stretch(old: line.old, shift: shift))
      }
    }
    return stretches
  }

  private static func isSame(_ a: Units, _ i: Int, _ b: Units, _ j: Int, _ count: Int) -> Bool {
    memcmp(a.baseAddress! + i, b.baseAddress! + j, 2 * count) == 0
  }

  private static func uniquePairs(_ old: [Line], _ new: [Line]) -> [Pair] {
    Runs.uniquePairs(old, new, by: \.hash) { $0.units.count >= leastLine }.map {
      (old[$0.old].units, new[$0.new].units.lowerBound)
    }
  }

  private static let lineFeeds: UInt64 = 0x000A_000A_000A_000A
  private static let ones: UInt64 = 0x0001_0001_0001_0001
  private static let multiplier: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// Returns the lines of a range of a text with their hashes, processing four units at a time. The
  /// first and the last line may be incomplete.
  private static func lines(of units: Units, in range: Range<Int>) -> [Line] {
    let bytes = UnsafeRawPointer(units.baseAddress!)
    var lines: [Line] = []
    var index = range.lowerBound
    while index < range.upperBound {
      let start = index
      var hash: UInt64 = 0xCBF2_9CE4_8422_2325
      while index + 4 <= range.upperBound {
        let four = bytes.loadUnaligned(fromByteOffset: 2 * index, as: UInt64.self)
        let zeroIfFeed = four ^ lineFeeds
        guard (zeroIfFeed &- ones) & ~zeroIfFeed & (ones << 15) == 0 else { break }
        hash = (hash ^ four) &* multiplier
        hash ^= hash >> 29
        index += 4
      }
      var rest: UInt64 = 0
      while index < range.upperBound {
        let unit = units[index]
        index += 1
        rest = rest << 16 ^ UInt64(unit)
        if unit == 10 { break }
      }
      hash = (hash ^ rest) &* multiplier
      lines.append(Line(units: start..<index, hash: hash ^ hash >> 32))
    }
    return lines
  }
}
