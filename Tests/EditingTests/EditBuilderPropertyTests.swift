import Editing
import FoundationEssentials
import MarkdownParse
import Model
import TestSupport
import Testing

@Suite struct EditBuilderPropertyTests {
  /// The number of random operations: `DIPLE_EDIT_RUNS`, or a default that takes a few seconds.
  private static let runs =
    ProcessInfo.processInfo.environment["DIPLE_EDIT_RUNS"].flatMap { Int($0) } ?? 2_000

  private func report(
    _ what: String, _ old: ParsedDocument, _ change: SourceChange, _ detail: String
  ) {
    Issue.record(
      "\(what) \(detail)\n--- before\n\(old.markdown)\n--- after\n\(change.markdown)\n---")
  }

  @Test func `random styles and links do not change the text and other formatting`() {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var generator = GeneratedMarkdown(seed: seed)
    var done = (changed: 0, unchanged: 0, refused: 0, cornered: 0)
    var reasons: [FormattingError.Obstacle: Int] = [:]
    var document = ParsedDocument(parsing: MarkdownSource(generator.document()))
    for run in 0..<Self.runs {
      // Each document gets several operations, so that most are applied to changed Markdown.
      if run % 8 == 0 {
        document = ParsedDocument(parsing: MarkdownSource(generator.document()))
      }
      guard !document.text.utf16.isEmpty else { continue }
      let range = Self.range(in: document, &random)
      let request = Self.request(document, range, &random)
      do {
        let change = try request.change(EditBuilder(document), range)
        if let fault = request.fault(in: change, of: document, range) {
          report("\(request) \(range): \(fault)", document, change, "")
        }
        if change.isEmpty { done.unchanged += 1 } else { done.changed += 1 }
        if case .quote(isOn: false) = request {
          // Each call removes one level of quotes.
        } else {
          // The delimiters of the first change may allow the second one to style a punctuation
          // mark, so only a third change is an error.
          let again = try request.change(EditBuilder(change.document), range)
          if !again.isEmpty, !(try request.change(EditBuilder(again.document), range)).isEmpty {
            report("\(request) \(range): the third application has edits", document, change, "")
          }
        }
        document = change.document
      } catch .inexpressible(_, .surroundings, _) {
        done.cornered += 1
        if ProcessInfo.processInfo.environment["DIPLE_EDIT_SHOW"] != nil {
          print(
            "cornered: \(request) '\(document.text.substring(range))' in",
            document.markdown.split(separator: "\n").map { "  | \($0)" }.joined(separator: "\n"))
        }
      } catch .inexpressible(_, let obstacle, _) {
        done.refused += 1
        reasons[obstacle, default: 0] += 1
      } catch { done.refused += 1 }
    }
    let total = Double(done.changed + done.cornered)
    print(
      "figures: \(Self.runs) operations: \(done.changed) changes, \(done.unchanged) with nothing to do,",
      "\(done.refused) refused for their place, \(done.cornered) with no way to write them",
      "(\(Double(done.cornered) / max(1, total) * 100) %)", reasons.map { "\($0): \($1)" }.sorted())
    #expect(Double(done.cornered) <= 0.07 * total)
  }

  @Test func `a document that is released and parsed again gets the same change`() {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var generator = GeneratedMarkdown(seed: seed)
    var (made, unmade) = (0, 0)
    for _ in 0..<Self.runs {
      let document = ParsedDocument(parsing: MarkdownSource(generator.document()))
      guard !document.text.utf16.isEmpty else { continue }
      let range = Self.range(in: document, &random)
      let request = Self.request(document, range, &random)
      let change = try? request.change(EditBuilder(document), range)
      let long = try? PreparedChange(document) { (builder) throws(FormattingError) in
        try request.change(builder, range)
      }
      guard let long else {
        #expect(change == nil, "\(request) \(range): \(document.markdown)")
        continue
      }
      #expect(long.original.isSame(as: document))
      guard let after = long.document(isText: { $0 == document.text.utf16 }) else {
        unmade += 1
        continue
      }
      made += 1
      #expect(
        after.isSame(as: change?.document ?? document), "\(request) \(range): \(document.markdown)")
      #expect(long.patch.applied(to: document.source.bytes) == after.source.bytes)
      #expect(long.document(isText: { _ in false }) == nil)
    }
    print("figures: \(made) made, \(unmade) in another form or not at all")
    #expect(made > 4 * unmade)
  }

  @Test func `in plain prose nearly every range can be styled and restored`() throws {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var generator = GeneratedMarkdown(seed: seed)
    var count = (tried: 0, refused: 0, returned: 0, plain: 0)
    for _ in 0..<Self.runs / 2 {
      let document = ParsedDocument(parsing: MarkdownSource(generator.plainProse()))
      let range = Self.range(in: document, &random)
      let style = InlineStyle.allCases.randomElement(using: &random)!
      guard document.text.utf16[range.utf16].contains(where: { !isSpace($0) }) else { continue }
      count.tried += 1
      do {
        let change = try EditBuilder(document).wrap(style, range)
        let request = FormattingRequest.style(style, isOn: true)
        if let fault = request.fault(in: change, of: document, range) {
          report("\(request) \(range): \(fault)", document, change, "")
        }
        #expect(try EditBuilder(change.document).wrap(style, range).isEmpty)
        if change.edits.count == 2, change.edits.allSatisfy({ $0.range.isEmpty }) {
          count.plain += 1
        }
        let back = try EditBuilder(change.document).unwrap(style, range)
        if back.markdown == document.markdown {
          count.returned += 1
        } else {
          report("unwrapping does not restore the source", document, back, change.markdown)
        }
      } catch {
        count.refused += 1
        print("refused: \(style) \(range) \(error): \(document.markdown)")
      }
    }
    print(
      "figures: \(count.tried) ranges of plain prose: \(count.refused) refused,",
      "\(count.plain) with two insertions, \(count.returned) undone exactly")
    // A single mark between letters cannot have the style.
    #expect(count.refused * 100 <= count.tried * 3)
  }

  @Test func `a change of random bytes is correct or rejected`() {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let pieces: [[UInt8]] =
      [
        "a", "word", " ", "  ", "\n", "\n\n", "\r\n", "\r", "\t", "*", "**", "_", "`", "``", "[",
        "](",
        ")", "]", "![", "<", ">", "> ", "- ", "1. ", "#", "# ", "===", "---", "```\n", "~~", "==",
        "$", "|", "|-|-|\n", "&amp;", "&nGt;", "\\", "\\*", "👋🏽", "日本", "é", "[a]: /b\n", "[a]",
        "[^1]", "[^1]: ", "www.a.bc", "http://x.y", "a@b.cd", "<b>", "- [ ] ", "    ", "\u{FEFF}",
      ].map { Array($0.utf8) } + [[0], [0xFF], [0xE2, 0x82], [0xC3]]
    var count = (changed: 0, refused: 0)
    for _ in 0..<Self.runs / 2 {
      let bytes = (0..<Int.random(in: 1...24, using: &random)).flatMap { _ in
        pieces.randomElement(using: &random)!
      }
      let document = ParsedDocument(parsing: MarkdownSource(bytes))
      guard document.text.count > 0 else { continue }
      let range = Self.range(in: document, &random)
      let request = Self.request(document, range, &random)
      do {
        let change = try request.change(EditBuilder(document), range)
        count.changed += 1
        if let fault = request.fault(in: change, of: document, range) {
          report("\(request) \(range): \(fault)", document, change, "\(bytes)")
        }
      } catch { count.refused += 1 }
    }
    print("figures: any bytes: \(count)")
    #expect(count.changed > count.refused)
  }

  @Test(arguments: ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"])
  func `the documents of this repository can be formatted`(name: String) throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let bytes = try Data(contentsOf: root.appending(path: name))
    let document = ParsedDocument(parsing: MarkdownSource(Array(bytes)))
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var count = (changed: 0, refused: 0, cornered: 0)
    for _ in 0..<Self.runs / 100 {
      let range = Self.range(in: document, &random)
      let request = Self.request(document, range, &random)
      do {
        let change = try request.change(EditBuilder(document), range)
        count.changed += 1
        if let fault = request.fault(in: change, of: document, range) {
          report("\(request) \(range): \(fault)", document, change, "")
        }
      } catch .inexpressible(_, .surroundings, _) {
        count.cornered += 1
      } catch { count.refused += 1 }
    }
    print("figures: \(name): \(count)")
    #expect(count.changed > 0)
  }

  /// Returns a random request. It mostly adds a style that the range lacks, or removes a style of
  /// the range.
  private static func request(
    _ document: ParsedDocument, _ range: TextRange, _ random: inout SeededGenerator
  ) -> FormattingRequest {
    switch Int.random(in: 0..<18, using: &random) {
    case 14, 15:
      return .heading(Bool.random(using: &random) ? nil : Int.random(in: 1...6, using: &random))
    case 16, 17: return .quote(isOn: Bool.random(using: &random))
    case 0: return .link(["/v", "x y", "a(b"].randomElement(using: &random)!)
    case 1: return .link(nil)
    default:
      let styles = InlineStyle.allCases.shuffled(using: &random)
      let isOn = Bool.random(using: &random)
      let style = styles.first {
        let state = try? EditBuilder(document).state(of: $0, in: range)
        return state == .some || state == (isOn ? StyleState.none : .all)
      }
      return .style(style ?? styles[0], isOn: style == nil ? true : isOn)
    }
  }

  /// Returns a range that divides no character, mostly a short one.
  private static func range(in document: ParsedDocument, _ random: inout SeededGenerator)
    -> TextRange
  {
    var borders = [0]
    for character in document.text.string { borders.append(borders.last! + character.utf16.count) }
    // Half of the ranges have the bounds of a span.
    let spans = document.inlines.flatMap { [$0.text.utf16.lowerBound, $0.text.utf16.upperBound] }
    if Bool.random(using: &random), let a = spans.randomElement(using: &random),
      let b = spans.filter({ $0 != a && abs($0 - a) < 60 }).randomElement(using: &random)
    {
      return TextRange(utf16: min(a, b)..<max(a, b))
    }
    let first = Int.random(in: 0..<borders.count - 1, using: &random)
    let length = Int.random(in: 1...(Bool.random(using: &random) ? 12 : 60), using: &random)
    return TextRange(utf16: borders[first]..<borders[min(first + length, borders.count - 1)])
  }
}
