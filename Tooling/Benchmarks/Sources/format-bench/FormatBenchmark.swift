import Foundation
import Model
import RichText
import RichTextChecks
import RichTextFormats

/// SplitMix64.
private struct Generator: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// Measures operations on a text of 1 MB with 10,000 runs, and RTF of 10 MB.
struct FormatBenchmark {
  private let seed: UInt64

  /// Parses the command line, which is a seed or empty.
  init(_ words: [String]) { seed = words.first.flatMap { UInt64($0) } ?? 17 }

  func run() throws {
    var random = Generator(state: seed)
    var text = try Self.text(units: 1_000_000, runs: 10_000, &random)
    print(
      "processor time; 1 MB of text: \(text.units.count) units, "
        + "\(text.characters.count) runs of characters with \(text.characters.usedSets.count) sets, "
        + "\(text.paragraphs.count) of paragraphs")
    let original = text
    let context = FormatContext()
    let count = text.units.count

    func range(_ length: Int) -> Range<Int> {
      let start = Int.random(in: 0..<count - length, using: &random)
      return start..<start + length
    }
    try time("apply, 50 units", 2_000) {
      try text.change(range(50), [.set(RandomFormat.size(&random))])
    }
    try time("toggle bold, 50 units", 2_000) {
      try text.toggle(.bold(true), in: range(50), context)
    }
    try time("toggle italic, 50,000 units", 500) {
      try text.toggle(.italic(true), in: range(50_000), context)
    }
    text = original
    try time("toggle underline, all of it", 100) {
      try text.toggle(.underline(.single), in: 0..<count, context)
    }
    text = original
    try time("apply size, all of it, 10,000 runs", 100) {
      try text.change(0..<count, [.set(.size(Bool.random(using: &random) ? 24 : 26))])
    }
    text = original
    try time("alignment of 20 paragraphs", 500) {
      try text.changeParagraphs(
        range(5_000), [.set(.alignment(Bool.random(using: &random) ? .left : .justified))])
    }
    time("state of bold, all of it", 200) {
      _ = text.state(of: .bold(true), in: 0..<count, context)
    }
    time("values of a palette (12), 5,000 units", 500) {
      let range = range(5_000)
      for kind in CharacterAttribute.Kind.allCases {
        _ = text.commonValue(of: kind, in: range, context)
      }
      _ = text.commonValue(of: .alignment, in: range, context)
    }
    time("type a character (runs and text)", 500) {
      let range = range(1)
      text.apply([TextEdit(range: TextRange(utf16: range), replacement: "xy")])
    }
    text = original
    var bytes = Data()
    try time("write JSON", 5) { bytes = try text.json() }
    try time("read JSON, \(bytes.count) bytes", 5) { _ = try AttributedText(json: Array(bytes)) }
    try rtf(&random)
  }

  private func rtf(_ random: inout Generator) throws {
    for (name, runs) in [("plain prose", 200), ("a run every 100 units", 100_000)] {
      let text = try Self.text(units: 10_000_000, runs: runs, &random)
      let document = RichDocument(text: text)
      var bytes: [UInt8] = []
      let writing = best(3) { bytes = RTFWriter.write(document) }
      var read: RichDocument?
      let reading = best(3) { read = try? RTFReader.read(bytes) }
      let size = Double(bytes.count) / 1e6
      print(
        String(
          format: "RTF, %@: %.1f MB, written at %.0f MB/s, read at %.0f MB/s, %@", name, size,
          size / writing, size / reading, read?.text == text ? "the same text" : "ANOTHER TEXT"))
    }
    // In the style of Word: a group with a dozen control words for every few letters.
    let line =
      #"{\rtlch\fcs1 \af0 \ltrch\fcs0 \insrsid1234567\charrsid765 Some words, }"#
      + #"{\rtlch\fcs1 \ai\af0 \ltrch\fcs0 \i\insrsid1234567 na\'efve}\u8217\'92s"#
      + #"\par \pard\plain \ql \li0\ri0\sa160\sl259\slmult1\widctlpar \f0\fs22 "# + "\n"
    let bytes = Array(
      (#"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\fcharset0 Calibri;}}"#
        + String(repeating: line, count: 60_000) + "}").utf8)
    var length = 0
    let reading = best(3) { length = (try? RTFReader.read(bytes))?.text.units.count ?? 0 }
    let size = Double(bytes.count) / 1e6
    print(
      String(
        format: "RTF as Word writes it: %.1f MB with %d units of text, read at %.0f MB/s", size,
        length, size / reading))
  }

  /// Returns prose with runs at random positions. A tenth of the paragraphs, which have about 400
  /// units, is formatted.
  private static func text(units: Int, runs: Int, _ random: inout Generator) throws
    -> AttributedText
  {
    let words = "the quick brown fox jumps over a lazy dog while readers mark what is worth it"
      .split(separator: " ").map { Array($0.utf16) }
    var all: [UInt16] = []
    all.reserveCapacity(units + 16)
    while all.count < units {
      all += words.randomElement(using: &random)!
      all.append(Int.random(in: 0..<90, using: &random) == 0 ? 0x0A : 0x20)
    }
    var layer = FormatLayer()
    let step = units / runs
    for run in 0..<runs {
      let start = run * step + Int.random(in: 0..<step / 2, using: &random)
      layer.characters.append(
        start..<start + Int.random(in: 1...step / 2, using: &random),
        AttributeSet((0..<2).map { _ in RandomFormat.character(&random) }))
    }
    var start = 0
    for place in all.indices where all[place] == 0x0A {
      if Int.random(in: 0..<10, using: &random) == 0 {
        layer.paragraphs.append(start..<place + 1, [RandomFormat.paragraph(&random)])
      }
      start = place + 1
    }
    return AttributedText(units: all, layer: layer)
  }

  /// Prints the time of an operation: the median, and the time that 99 of 100 runs don't exceed.
  private func time(_ what: String, _ runs: Int, _ body: () throws -> Void) rethrows {
    var times: [Double] = []
    for _ in 0..<runs { times.append(try seconds(body)) }
    times.sort()
    print(
      String(
        format: "%@: median %.4f ms, 99 of 100 within %.4f ms", what, times[runs / 2] * 1e3,
        times[runs * 99 / 100] * 1e3))
  }

  private func best(_ runs: Int, _ body: () -> Void) -> Double {
    (0..<runs).map { _ in seconds(body) }.min() ?? 0
  }

  /// Returns the processor time of a closure in seconds, which doesn't depend on other programs.
  private func seconds(_ body: () throws -> Void) rethrows -> Double {
    func now() -> Double {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
    let start = now()
    try body()
    return now() - start
  }
}

extension RandomFormat {
  fileprivate static func size(_ random: inout Generator) -> CharacterAttribute {
    .size(Int.random(in: 16...40, using: &random))
  }
}
