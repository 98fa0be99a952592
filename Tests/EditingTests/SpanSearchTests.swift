import Model
import TestSupport
import Testing

@testable import Editing

/// Tests how the two ends of `"a"…"b"` are combined.
@Suite struct SpanSearchTests {
  /// Counts the accesses to its elements.
  private final class Counter {
    var count = 0
  }

  private struct Counted: RandomAccessCollection {
    var places: [TextRange]
    var counter: Counter
    var startIndex: Int { 0 }
    var endIndex: Int { places.count }
    subscript(index: Int) -> TextRange {
      counter.count += 1
      return places[index]
    }
  }

  private static func places(_ starts: some Sequence<Int>, length: Int = 3) -> [TextRange] {
    starts.map { TextRange(utf16: $0..<$0 + length) }
  }

  @Test func `combining starts and ends takes a linear number of steps`() {
    let count = 32_000
    for (starts, ends) in [
      // In turn: all ends follow all starts, each end follows its start, and no end follows a
      // start.
      (0..<count, count..<2 * count), (0..<count, 0..<count), (count..<2 * count, 0..<count),
    ] {
      let counter = Counter()
      let found = SelectionSpec.spans(
        from: Self.places(starts),
        to: Counted(places: Self.places(ends, length: 4), counter: counter), isSameQuote: false)
      #expect(found.count == (starts.lowerBound > ends.lowerBound ? 0 : count))
      #expect(counter.count <= 4 * 2 * count)
    }
  }

  @Test func `each start is combined with the end that a simple search finds`() {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      func places() -> [TextRange] {
        let length = Int.random(in: 1...3, using: &generator)
        return Self.places(
          Set((0..<12).map { _ in Int.random(in: 0..<20, using: &generator) }).sorted(),
          length: length)
      }
      let isSame = Bool.random(using: &generator)
      let starts = places()
      let ends = isSame ? starts : places()
      let expected = starts.compactMap { start in
        ends.first {
          $0.lowerBound >= start.lowerBound && (isSame && ends.count == 1 || $0 != start)
        }
        .map { TextRange(start.lowerBound, max(start.upperBound, $0.upperBound)) }
      }
      #expect(SelectionSpec.spans(from: starts, to: ends, isSameQuote: isSame) == expected)
    }
  }
}
