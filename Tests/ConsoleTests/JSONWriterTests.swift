import Actions
import Foundation
import Model
import TestSupport
import Testing

@testable import Console

/// Compares the writer of long lists with `JSONEncoder`.
@Suite struct JSONWriterTests {
  @Test func `each character is written as by the encoder`() {
    for value in UInt32(0)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let text = "a\(scalar)b"
      #expect(written { $0.value(text) } == JSON.line(text), "U+\(String(value, radix: 16))")
    }
  }

  @Test func `a character anywhere in a longer text is written as by the encoder`() {
    let scalars = Array(UInt32(0)...0x17F) + [0x2028, 0x202E, 0xFFFD, 0x1F600, 0xE0041]
    for scalar in scalars.compactMap(Unicode.Scalar.init) {
      for place in 0...16 {
        let (before, after) = (
          String(repeating: "x", count: place), String(repeating: "z", count: 16 - place)
        )
        let text = before + "\(scalar)" + after
        #expect(written { $0.value(text) } == JSON.line(text), "U+\(scalar.value) at \(place)")
      }
    }
  }

  @Test func `integers and ids are written as by the encoder`() {
    for number in [0, 1, -1, 9, 10, 99, 1_234_567_890, .max, .min] {
      #expect(written { $0.value(number) } == JSON.line(number))
    }
    for replica in [UInt64(0), 1, 0xABCDEF, .max] {
      for sequence in [Int64(1), 10, 1 << 40] {
        let dot = Dot(replica: ReplicaID(rawValue: replica), sequence: sequence)
        #expect(written { $0.value(dot) } == JSON.line(dot))
      }
    }
  }

  @Test func `numbers and dates are written as by the encoder`() {
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

  @Test func `a highlight is written as by the encoder`() {
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
      // A list writes the origin from its JSON.
      #expect(list(highlight, in: document) == envelope(JSON.line(record)), "seed \(seed)")
    }
  }

  @Test(arguments: [
    #"{"format":"f","key":"id:k","marked":"blue","passageDigest":"p","quoteDigest":"q"}"#,
    #"{"created":"2026-02-30T00:00:00Z","format":"f","key":"k","marked":"blue","passageDigest":"p""#
      + #","quoteDigest":"q"}"#,
    #"{"created":"2026-02-28T10:00:01Z","format":"größe","key":"k","marked":"blue","#
      + #""passageDigest":"p","quoteDigest":"q","tags":[]}"#,
    #"{"format":"f","key":"k","marked":"ultraviolet","passageDigest":"p","quoteDigest":"q"}"#,
    "{\"format\":\"\u{202E}f\",\"key\":\"id:\",\"marked\":\"pink\",\"note\":\"a\u{7F}b\","
      + "\"passageDigest\":\"p\",\"quoteDigest\":\"q\",\"tags\":[\"a\",\"b\"]}",
    #"{"format": "f", "key":"k","marked":"blue","passageDigest":"p","quoteDigest":"q"}"#, "{", "",
  ])
  func `an origin of any form is written in a list as by the encoder`(_ stored: String) {
    let dot = Dot(replica: ReplicaID(rawValue: 7), sequence: 3)
    let date = Date(timeIntervalSince1970: 0)
    let document = Document(
      id: Document.ID(dot), path: DocumentPath("a.md"), title: "A", state: .present, created: date,
      updated: date)
    var highlight = Highlight(
      id: Highlight.ID(dot), document: document.id,
      selector: Selector(
        exact: "e", prefix: "", suffix: "", position: TextRange(utf16: 0..<1), textDigest: nil,
        renderVersion: 2),
      color: .blue, label: nil, note: "", tags: [], isTrashed: false, created: date, updated: date,
      anchor: .orphan)
    highlight.origin = StoredOrigin(text: stored)
    let record = JSON.line(HighlightRecord(highlight, in: document))
    #expect(list(highlight, in: document) == envelope(record))
  }

  private func envelope(_ record: String) -> String {
    "{\"data\":[\(record)],\"schema\":\"s\"}\n"
  }

  /// Returns the JSON of a list with one highlight.
  private func list(_ highlight: Highlight, in document: Document) -> String {
    let pipe = Pipe()
    let output = Output(descriptor: pipe.fileHandleForWriting.fileDescriptor)
    var writer = EnvelopeWriter(schema: "s", to: output)
    writer.add([highlight], in: document)
    writer.end()
    output.flush()
    pipe.fileHandleForWriting.closeFile()
    return String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
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
