import Actions
import Console
import Foundation
import Model
import Rendering
import TestSupport
import Testing

@testable import Commands
@testable import Workspace

@Suite struct MatchLineTests {
  private static let prose = "  the quick brown fox  jumps over\tthe lazy dog and runs on "

  @Test(arguments: [
    "", "fox", prose, prose + prose + prose, String(repeating: "x", count: 300),
    prose + "\u{1B}[31m" + prose, prose + "die Größe 😀 " + prose, "é" + prose + prose,
  ])
  func `a match in ASCII or Unicode is written as the line of its record`(_ line: String) {
    let document = Document(
      id: Document.ID(Dot(replica: ReplicaID(rawValue: 1), sequence: 1)),
      path: DocumentPath("/a b/ä.md"), title: "", state: .present, created: .distantPast,
      updated: .distantPast)
    let count = line.utf16.count
    for lower in 0...count {
      for upper in [lower, min(lower + 7, count), count] {
        let match = SearchResult.Match(
          place: .text, highlight: nil, range: TextRange(utf16: lower..<upper),
          position: LinePosition(line: 7, column: lower + 1), line: line,
          lineRange: TextRange(utf16: lower..<upper))
        var bytes = Array("before\n".utf8)
        match.appendLine(document.path.string.sanitizedForTerminal, to: &bytes)
        let expected = "before\n\(MatchRecord(match, in: document).plain)\n"
        #expect(String(decoding: bytes, as: UTF8.self) == expected, "\(lower)..<\(upper)")
      }
    }
  }

  private static let pieces = [
    "the", "fox", "a", "größe", "naïve", "“so”", "it’s", "—", "…", "мир", "κόσμος", "北京", "です",
    "한국어",
    " ", " ", "  ", "\t", "\u{A0}", "\u{3000}", "\r\n", "😀", "👩‍👧", "e\u{301}", "\u{301}", "🇩🇪",
    "\u{1B}[31m", "\u{7F}", "\u{85}", "\u{202E}", "\u{AD}", "\u{E0041}", "ﾞ", "x",
    String(repeating: "y", count: 30),
  ]

  /// Returns the expected line. It is computed character by character, which is slow but simple.
  private func reference(_ line: String, around part: TextRange) -> String {
    func shortened(_ text: String) -> String {
      let isBlank = { (byte: UInt8) in byte == 0x20 || 0x09...0x0D ~= byte }
      let isASCII = text.utf8.allSatisfy { isBlank($0) || 0x21...0x7E ~= $0 }
      let beginning = text.prefix(isASCII ? .max : 288)
      let line = beginning.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        .sanitizedForTerminal
      let isWhole = line.count <= 72 && beginning.endIndex == text.endIndex
      return isWhole ? line : line.prefix(71) + "…"
    }
    guard part.utf16.lowerBound > 40 else { return shortened(line) }
    let units = line.utf16
    let place = units.index(units.startIndex, offsetBy: part.utf16.lowerBound)
    var start = units.index(place, offsetBy: -40)
    if let blank = units[start..<place].prefix(20).firstIndex(of: 32) {
      start = units.index(after: blank)
    } else if UTF16.isTrailSurrogate(units[start]) {
      start = units.index(after: start)
    }
    let count = part.count + 200
    let end = units.index(place, offsetBy: count, limitedBy: units.endIndex) ?? units.endIndex
    return "…" + shortened(String(line[start..<end]))
  }

  @Test func `random lines are shortened as by the reference`() throws {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let document = Document(
      id: Document.ID(Dot(replica: ReplicaID(rawValue: 1), sequence: 1)),
      path: DocumentPath("/a b/ä.md"), title: "", state: .present, created: .distantPast,
      updated: .distantPast)
    for round in 0..<600 {
      // Lines of ASCII only, of simple letters, and of all pieces.
      let kinds = [Self.pieces.prefix(3) + [" "], Self.pieces.prefix(16), Self.pieces[...]]
      let kind = Array(kinds[round % 3])
      let divider = round % 2 == 0 ? " " : ""
      let line = (0..<1 + random.next() % 120).map { _ in kind.randomElement(using: &random)! }
        .joined(separator: divider)
      let scalars = Array(line.unicodeScalars.indices) + [line.endIndex]
      var matches: [FoundText.Match] = []
      for _ in 0..<4 {
        let first = Int(random.next() % UInt64(scalars.count))
        let last = min(first + Int(random.next() % 9), scalars.count - 1)
        let (lower, upper) = (scalars[first], scalars[last])
        let units = TextRange(
          utf16: lower.utf16Offset(in: line)..<upper.utf16Offset(in: line))
        matches.append(
          FoundText.Match(
            range: line.utf8.distance(
              from: line.startIndex, to: lower)..<line.utf8.distance(
                from: line.startIndex, to: upper),
            line: 0..<line.utf8.count, units: units, lineUnits: units,
            position: LinePosition(line: 7, column: round * round + 1)))
      }
      let bytes = Array(line.utf8).withUnsafeBufferPointer { text in
        var bytes: [UInt8] = []
        let found = FoundText(document: document, text: text, matches: matches)
        let formatter = MatchLineFormatter(paths: ShownPaths(nil, from: "/"))
        #expect(formatter.append(found, from: 0, to: &bytes, until: .max) == 4)
        return bytes
      }
      let expected = matches.map {
        "/a b/ä.md:7:\(round * round + 1): \(reference(line, around: $0.lineUnits))\n"
      }
      let written = String(decoding: bytes, as: UTF8.self)
      #expect(written == expected.joined(), "seed \(seed): \(line.debugDescription)")
      for match in matches {
        #expect(
          line.shortened(around: match.lineUnits) == reference(line, around: match.lineUnits),
          "seed \(seed): \(line.debugDescription)")
      }
    }
  }
}
