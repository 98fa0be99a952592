import Anchoring
import Foundation
import Model

/// Measures the time to find highlights again in large texts, and in texts that are difficult by
/// design.
struct AnchoringTimes {
  let anchorer: Anchorer

  func print() {
    Swift.print("| text | units | highlights | snapshot, ms | placed | quote-only, ms | placed |")
    Swift.print("|---|---|---|---|---|---|---|")
    var random = SystemRandomNumberGenerator()
    let large = Self.prose(units: 10_000_000)
    report("prose, 2,000 edits", large, Self.edited(large, count: 2_000, &random), 10_000)
    report("prose, all of it replaced", large, Self.prose(units: 10_000_000, from: 7), 10_000)
    let half = 100_000
    for (name, text) in [
      ("one letter", String(repeating: "a", count: 2 * half)),
      ("one word", String(repeating: "a ", count: half)),
      ("two words", String(repeating: "a b ", count: half / 2)),
      ("one line", String(repeating: "the same line again and again\n", count: half / 15)),
      ("signs", String(repeating: "*-", count: half)),
    ] {
      report(name + ", shifted", text, "b " + text.dropLast(99), 1_000)
      report(name + ", with 500 edits", text, Self.edited(text, count: 500, &random), 1_000)
    }
  }

  private func report(_ name: String, _ oldText: String, _ newText: String, _ count: Int) {
    let old = AnchorText(oldText)
    let new = AnchorText(newText)
    let step = max(1, (old.units.count - 100) / count)
    let places = (0..<count).map { TextRange(utf16: $0 * step..<$0 * step + 40 + $0 % 40) }
    let selectors = places.map {
      Selector(selecting: $0, in: old, digest: nil, renderVersion: 1)
    }
    var cells = [name, "\(old.units.count)", "\(count)"]
    for snapshot in [true, false] {
      let subjects = zip(places, selectors).map {
        AnchorSubject(selector: $1, last: snapshot ? $0 : nil)
      }
      var anchors: [Anchor] = []
      let time = processorTime {
        anchors = anchorer.reanchor(subjects, from: snapshot ? old : nil, to: new)
      }
      cells.append(String(format: "%.0f", time))
      cells.append("\(anchors.count { $0.range != nil })")
    }
    Swift.print("| " + cells.joined(separator: " | ") + " |")
  }

  /// Returns sentences of random words, whose frequencies are distributed as in prose (Zipf's law).
  private static func prose(units: Int, from seed: UInt64 = 1) -> String {
    var state = seed
    func next() -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(state >> 11) / Double(1 << 53)
    }
    var text: [UInt8] = []
    text.reserveCapacity(units + 32)
    var word = 0
    let vowels = Array("aeiou".utf8)
    while text.count < units {
      var rank = Int(exp(next() * 10.8))  // 1 … 49,000
      word += 1
      repeat {
        text.append(UInt8(97 + rank % 26))
        rank /= 26
        text.append(vowels[rank % 5])
        rank /= 5
      } while rank > 0
      if word % 12 == 0 { text.append(UInt8(46)) }
      text.append(word % 90 == 0 ? 10 : 32)
    }
    return String(decoding: text.prefix(units), as: UTF8.self)
  }

  /// Returns a text with words inserted, deleted and replaced at random positions.
  private static func edited(
    _ text: String, count: Int, _ random: inout some RandomNumberGenerator
  ) -> String {
    let units = Array(text.utf8)
    let places = (0..<count).map { _ in Int.random(in: 0..<units.count, using: &random) }.sorted()
    var result: [UInt8] = []
    var index = 0
    for (number, place) in places.enumerated() where place >= index {
      result += units[index..<place]
      index = number % 3 == 0 ? place : min(units.count, place + 12)
      if number % 3 != 1 { result += " put in \(number) ".utf8 }
    }
    return String(decoding: result + units[index...], as: UTF8.self)
  }
}

/// Returns the processor time of a closure in milliseconds. Unlike the elapsed time, it doesn't
/// depend on other programs.
func processorTime(_ body: () -> Void) -> Double {
  func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
  }
  let start = now()
  body()
  return now() - start
}
