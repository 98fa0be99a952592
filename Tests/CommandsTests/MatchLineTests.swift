import Foundation
import Model
import Rendering
import Testing

@testable import Commands
@testable import Workspace

@Suite struct MatchLineTests {
  private static let prose = "  the quick brown fox  jumps over\tthe lazy dog and runs on "

  @Test(arguments: [
    "", "fox", prose, prose + prose + prose, String(repeating: "x", count: 300),
    prose + "\u{1B}[31m" + prose, prose + "die Größe 😀 " + prose, "é" + prose + prose,
  ])
  func `the bytes of a line are those of the text that it is for others`(_ line: String) {
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
}
