import Model
import TestSupport
import Testing

@testable import Rendering

@Suite struct ListLineTests {
  private static let samples = [
    "the quick brown fox jumps over the lazy dog and «runs» on through the forest to the river",
    "日本語の文章です。狐はとても速いので、«犬は»追いつけません。もっと長い文章をここに書きます。",
    "averyveryverylongwordthatfitsnowhereatall«fox»andgoesonandonandonwithoutanyblankuntiltheend",
    "👩‍👩‍👧‍👦 a family 👋🏽 and 🇩🇪 flags «cafe\u{301}» 👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦 end",
    "«a match that is itself much longer than any of the rows that it could be shown in, and more»",
    "tabs\tand   many\u{2028}blanks «and \u{1B}[31m» escapes \u{202E}reversed",
    "/a/path/that/is/wider/than/the/first/row", "«»empty", "empty«»", "«x»",
  ]

  private func columns(_ text: String) -> Int {
    text.reduce(0) { $0 + max(displayWidth(of: $1), $1.unjoinedWidth) }
  }

  @Test(arguments: samples, [8, 20, 40, 79, 80, 120])
  func `an excerpt fits, contains the match, and is cut between words`(sample: String, width: Int) {
    let marked = MarkedText(sample)
    for range in marked.ranges {
      var line = ListLine(isFitted: true)
      line.append(marked.text, around: range, columns: width)
      #expect(columns(line.text) <= width, "\(line.text)")
      #expect(line.rows(columns: width).count == 1, "\(line.text)")
      let unsafe = line.text.unicodeScalars.contains { TerminalText.replacement(for: $0) != nil }
      #expect(!unsafe, "\(line.text)")
      let shown = line.rows(columns: width)[0].spans.filter { $0.spanStyle.accent == .match }
        .map(\.text).joined()
      let units = Array(marked.text.utf16)[range.utf16]
      let match = String(decoding: units, as: UTF16.self).split(whereSeparator: \.isWhitespace)
        .joined(separator: " ").sanitizedForTerminal
      if columns(match) + 2 <= width {
        #expect(shown == match)
      } else {
        #expect(match.hasPrefix(shown) && !shown.isEmpty)
      }
    }
  }

  @Test(arguments: [
    (20, "…and runs on…"), (30, "…and runs on through the…"),
    (60, "…the lazy dog and runs on through the forest to the river"),
  ])
  func `a word with enough room is not cut`(width: Int, shown: String) {
    let marked = MarkedText(Self.samples[0])
    var line = ListLine(isFitted: true)
    line.append(marked.text, around: marked.ranges[0], columns: width)
    #expect(line.text == shown)
  }

  @Test(arguments: samples, [16, 20, 40, 120])
  func `rows fit, lose nothing, and break at blanks`(sample: String, width: Int) {
    let text = sample.sanitizedForTerminal
    var line = ListLine(isFitted: true)
    line.append(text)
    let rows = line.rows(columns: width)
    for row in rows { #expect(columns(row.spans.map(\.text).joined()) <= width, "\(row)") }
    let shown = rows.flatMap(\.spans).map(\.text).joined()
    #expect(shown.filter { $0 != " " } == text.filter { $0 != " " })
    let words = Set(text.split(separator: " ").filter { columns(String($0)) <= width - 4 })
    for word in words where !word.contains(where: \.standsAlone) {
      #expect(
        rows.contains { $0.spans.map(\.text).joined().contains(word) },
        "'\(word)' is divided: \(rows.map { $0.spans.map(\.text).joined() })")
    }
  }

  @Test func `accents are coloured, also across rows, but not in a pipe`() {
    for isFitted in [false, true] {
      var line = ListLine(isFitted: isFitted)
      line.append("4  ")
      line.append("yellow", .swatch(.yellow))
      line.append("  ")
      line.append("a name that is long.md", .path)
      line.append("  ")
      line.append("orphaned", .problem)
      #expect(line.text == "4  yellow  a name that is long.md  orphaned")
      let writer = ANSIWriter(PageOptions(color: .xterm256))
      var text = ""
      for row in line.rows(columns: 24) { writer.write(row, to: &text) }
      if isFitted {
        #expect(
          text == """
            4  \u{1B}[0;38;5;234;48;5;220myellow\u{1B}[0m  \u{1B}[0;35ma name that\u{1B}[0m
               \u{1B}[0;35mis long.md\u{1B}[0m  \u{1B}[0;31morphaned\u{1B}[0m

            """)
      } else {
        #expect(!text.contains("\u{1B}"))
      }
    }
  }

  @Test func `an excerpt of a text of megabytes fits and contains the match`() {
    let text =
      String(repeating: "ä word ", count: 300_000) + "needle"
      + String(repeating: "é", count: 900_000)
    let start = text.utf16.count - 900_006
    var line = ListLine(isFitted: true)
    line.append(text, around: TextRange(utf16: start..<start + 6), columns: 40)
    #expect(line.text.contains("word needle") && columns(line.text) <= 40, "\(line.text)")
  }
}
