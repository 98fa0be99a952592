import Search
import TestSupport
import Testing

@Suite struct UnitCounterTests {
  @Test func `the UTF-16 units before each byte are those of the string`() {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let pieces = ["a", "word ", String(repeating: "x", count: 40), "é", "京", "😀", "\n"]
    for round in 0..<200 {
      let kind = pieces.prefix(round % 3 == 0 ? 3 : pieces.count)
      let text = (0..<random.next() % 60).map { _ in kind.randomElement(using: &random)! }.joined()
      Array(text.utf8).withUnsafeBufferPointer { bytes in
        var counter = UnitCounter()
        var byte = 0
        for scalar in text.unicodeScalars.indices where random.next() % 5 == 0 {
          byte = text.utf8.distance(from: text.startIndex, to: scalar)
          #expect(
            counter.units(before: byte, in: bytes) == scalar.utf16Offset(in: text),
            "seed \(seed): \(byte) of \(text)")
        }
        #expect(counter.units(before: bytes.count, in: bytes) == text.utf16.count)
      }
    }
  }
}
