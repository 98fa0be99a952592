import Glibc

/// Long stretches that two texts have in common, found by their lines before any token is made:
/// what lies well inside them needs no comparison.
enum CommonStretches {
  /// A part of the old text that stands in the new one unit by unit.
  struct Stretch {
    var old: Range<Int>
    /// How many units further it begins there.
    var shift: Int
  }

  private typealias Units = UnsafeBufferPointer<UInt16>

  /// Shorter parts are compared at once.
  private static let leastUnits = 65_536
  /// A line that is unique says enough when it has so many units.
  private static let leastLine = 16

  /// The stretches of at least so many units that begin and end with a line which either part has
  /// only once, in the order of both (patience diff, B. Cohen): within one the texts leave no choice.
  /// Expected O(units + lines · log lines).
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

  /// A line with what ends it.
  private struct Line {
    var units: Range<Int>
    var hash: UInt64
  }

  /// A line of the old text and the place of the equal one in the new text.
  private typealias Pair = (old: Range<Int>, new: Int)

  /// Joins lines between which both texts are the same.
  private static func join(_ chain: [Pair], _ old: Units, _ new: Units) -> [Stretch] {
    var stretches: [Stretch] = []
    for line in chain {
      // Hashes may be equal by chance.
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

  /// The lines of a part of a text with their hashes, four units at a time. A part may begin or end
  /// within a line.
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
