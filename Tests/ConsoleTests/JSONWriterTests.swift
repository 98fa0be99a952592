import Foundation
import Model
import TestSupport
import Testing

@testable import Console

/// The writer of long lists, compared with `JSONEncoder`.
@Suite struct JSONWriterTests {
  @Test func `each character is written as the encoder writes it`() {
    for value in UInt32(0)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let text = "a\(scalar)b"
      #expect(written { $0.value(text) } == JSON.line(text), "U+\(String(value, radix: 16))")
    }
  }

  @Test func `numbers and dates are written as the encoder writes them`() {
    let seed = SeededGenerator.runSeed
    var random = SeededGenerator(seed: seed)
    for _ in 0..<5_000 {
      let number = Double.random(in: 0...1, using: &random)
      #expect(written { $0.value(number) } == JSON.line(number), "seed \(seed)")
      let milliseconds = Int64.random(in: -(1 << 47)...(1 << 47), using: &random)
      let date = Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
      #expect(written { $0.value(date) } == JSON.line(date), "\(milliseconds), seed \(seed)")
    }
    for number in [0.0, 1, 0.5, 0.1, 1e-9, 123_456] {
      #expect(written { $0.value(number) } == JSON.line(number))
    }
  }

  @Test func `a highlight is written as the encoder writes it`() {
    let seed = SeededGenerator.runSeed
    var random = SeededGenerator(seed: seed)
    let texts = [
      "", "a few words", "a \"quoted\" \\ word", "two\nlines\twith\u{7}", "größe 日本語", "\u{202E}x",
      "é\u{2028}\u{200B}\u{E0041}\u{9B}31m", "https://example.org/a?b=c&d",
    ]
    func text() -> String { texts.randomElement(using: &random)! }
    func optional() -> String? { Bool.random(using: &random) ? text() : nil }
    func date() -> Date {
      Date(timeIntervalSince1970: Double.random(in: 0..<4e9, using: &random))
    }
    for _ in 0..<500 {
      let dot = Dot(
        replica: ReplicaID(rawValue: .random(in: 1...UInt64.max, using: &random)),
        sequence: .random(in: 1...1_000_000, using: &random))
      let document = Document(
        id: Document.ID(dot), path: DocumentPath(text()), title: text(),
        state: Bool.random(using: &random) ? .present : .missing, created: date(), updated: date())
      let start = Int.random(in: 0..<10_000, using: &random)
      let range = TextRange(utf16: start..<start + Int.random(in: 0..<100, using: &random))
      var anchor = Anchor(
        range: range, state: .moved, score: .random(in: 0...1, using: &random), method: "quote")
      if Bool.random(using: &random) { anchor = .orphan }
      if Bool.random(using: &random) { anchor.line = LinePosition(line: start, column: 3) }
      var highlight = Highlight(
        id: Highlight.ID(dot), document: document.id,
        selector: Selector(
          exact: text(), prefix: "", suffix: "", position: range, textDigest: nil,
          renderVersion: 2),
        color: HighlightColor.allCases.randomElement(using: &random)!, label: optional(),
        note: text(), tags: [text(), text()], isTrashed: Bool.random(using: &random),
        created: date(), updated: date(), anchor: anchor)
      if Bool.random(using: &random) { highlight.origin = StoredOrigin(origin(text, optional)) }
      let record = HighlightRecord(highlight, in: document)
      #expect(written(record.write) == JSON.line(record), "seed \(seed)")
    }
  }

  private func origin(_ text: () -> String, _ optional: () -> String?) -> Origin {
    var origin = Origin(
      format: text(), key: "id:" + text(), marked: .blue, quoteDigest: "q", passageDigest: "p")
    (origin.source, origin.title, origin.note) = (optional(), optional(), optional())
    origin.tags = optional().map { [$0] }
    origin.created = Date(timeIntervalSince1970: 1_700_000_000)
    return origin
  }

  private func written(_ write: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    write(&writer)
    return writer.withBytes { String(decoding: $0, as: UTF8.self) }
  }
}
