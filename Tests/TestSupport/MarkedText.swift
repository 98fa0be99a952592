public import Model

/// A text with ranges marked by `«` and `»`: `the «quick» fox` is the text `the quick fox` with the
/// range 4..<9. Marks may be nested. The ranges are in the order of their opening marks.
///
/// ```swift
/// let marked = MarkedText("the «quick» fox")
/// #expect(marked.range == TextRange(utf16: 4..<9))
/// ```
public struct MarkedText: Sendable {
  /// The text without the marks.
  public let text: String
  /// The ranges in UTF-16 units of `text`.
  public let ranges: [TextRange]

  /// Removes the marks from a text. Traps if they aren't balanced.
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

  /// The range. Traps unless there is exactly one.
  public var range: TextRange {
    precondition(ranges.count == 1, "expected one marked range, found \(ranges.count)")
    return ranges[0]
  }
}

/// A deterministic random number generator (SplitMix64, Steele et al. 2014). A property test prints
/// its seed, so that it can be repeated.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates a generator. Equal seeds generate equal numbers.
  public init(seed: UInt64) { state = seed }

  /// Returns 64 random bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// The seed for this run: `DIPLE_TEST_SEED`, or else a new one. The test should print it.
  public static var runSeed: UInt64 {
    environmentSeed ?? UInt64.random(in: 1...UInt64(UInt32.max))
  }
}
