public import Model

/// A text in which ranges are drawn with `«` and `»`: `the «quick» fox` is the text `the quick fox`
/// with the range 4..<9. Marks may nest; the ranges come in the order of their opening marks.
public struct MarkedText: Sendable {
  /// The text without the marks.
  public let text: String
  /// The ranges in UTF-16 units of `text`.
  public let ranges: [TextRange]

  /// Takes the marks out of `marked`; traps on unbalanced marks.
  public init(_ marked: String) {
    var units: [UInt16] = []
    var open: [Int] = []
    var found: [(order: Int, start: Int, end: Int)] = []
    var order = 0
    var starts: [Int: Int] = [:]
    for unit in marked.utf16 {
      switch unit {
      case 0x00AB:
        starts[order] = units.count
        open.append(order)
        order += 1
      case 0x00BB:
        guard let index = open.popLast(), let start = starts[index] else {
          preconditionFailure("a » without its «")
        }
        found.append((index, start, units.count))
      default: units.append(unit)
      }
    }
    precondition(open.isEmpty, "a « without its »")
    text = String(decoding: units, as: UTF16.self)
    ranges = found.sorted { $0.order < $1.order }.map { TextRange(utf16: $0.start..<$0.end) }
  }

  /// The only range; traps when there is not exactly one.
  public var range: TextRange {
    precondition(ranges.count == 1, "expected one marked range, found \(ranges.count)")
    return ranges[0]
  }
}

/// A deterministic source of random numbers (SplitMix64, Steele et al. 2014), so that a property
/// test can print its seed and be run again.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Starts from a seed.
  public init(seed: UInt64) { state = seed }

  /// The next 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// The seed for this run: `DIPLE_TEST_SEED` when it is set, otherwise a new one. Print it.
  public static var runSeed: UInt64 {
    environmentSeed ?? UInt64.random(in: 1...UInt64(UInt32.max))
  }
}
