import Editing
import FoundationEssentials
import MarkdownParse
import Model
import TestSupport
import Testing

/// How each unit of a document's text looks, taken from its style runs.
private struct Looks: Equatable {
  struct Look: Hashable {
    var style: TextStyle = []
    var destination: String?
  }

  var units: [Look]

  init(_ document: ParsedDocument) {
    units = Array(repeating: Look(), count: document.text.count)
    for block in document.blocks {
      switch block.kind {
      case .paragraph, .heading, .tableCell: break
      default: continue
      }
      for run in document.styleRuns(in: block) {
        let link = run.link.map { document.links[$0] }
        for unit in run.text.utf16 {
          units[unit] = Look(
            style: run.style, destination: link.map { "\($0.destination) \($0.title ?? "-")" })
        }
      }
    }
  }
}

/// A leaf block: what kind it is and what stands around it.
private struct LeafBlock: Equatable {
  var text: TextRange
  /// A heading's level, 0 for a paragraph, nil for what can be neither.
  var level: Int?
  var quotes = 0
  /// The items, tables and footnotes around it.
  var containers: [String] = []
  /// The first list or table around it inside its innermost quote, which enters and leaves quotes as
  /// a whole.
  var unit: Int?

  static func isLeaf(_ block: Block) -> Bool {
    switch block.kind {
    case .paragraph, .heading, .codeBlock, .tableCell: true
    default: false
    }
  }

  static func all(in document: ParsedDocument) -> [LeafBlock] {
    document.blocks.compactMap { block in
      var leaf = LeafBlock(text: block.text)
      switch block.kind {
      case .paragraph: leaf.level = 0
      case .heading(let level): leaf.level = level
      case .codeBlock, .tableCell: leaf.level = nil
      default: return nil
      }
      var parent = block.parent
      while parent >= 0 {
        switch document.blocks[parent].kind {
        case .blockQuote: leaf.quotes += 1
        case .list(let style):
          leaf.containers.append("list \(style.delimiter)")
          if leaf.quotes == 0 { leaf.unit = parent }
        case .listItem(let task): leaf.containers.append("item \(String(describing: task))")
        case .table:
          leaf.containers.append("table")
          if leaf.quotes == 0 { leaf.unit = parent }
        case .footnoteDefinition: leaf.containers.append("footnote")
        default: break
        }
        parent = document.blocks[parent].parent
      }
      return leaf
    }
  }
}

private func isSpace(_ unit: UInt16) -> Bool {
  Unicode.Scalar(unit)?.properties.isWhitespace ?? false
}

private enum Wish: CustomStringConvertible {
  case style(InlineStyle, isOn: Bool)
  case link(String?)
  case heading(Int?)
  case quote(isOn: Bool)

  var description: String {
    switch self {
    case .style(let style, let isOn): "\(isOn ? "wrap" : "unwrap") \(style)"
    case .link(let destination): destination.map { "link \($0)" } ?? "unlink"
    case .heading(let level): "heading \(level ?? 0)"
    case .quote(let isOn): isOn ? "quote" : "unquote"
    }
  }

  func change(_ builder: EditBuilder, _ range: TextRange) throws(FormattingError) -> SourceChange {
    switch self {
    case .style(let style, isOn: true): try builder.wrap(style, range)
    case .style(let style, isOn: false): try builder.unwrap(style, range)
    case .link(let destination?): try builder.link(range, to: destination)
    case .link(nil): try builder.unlink(range)
    case .heading(let level): try builder.setHeading(level, range)
    case .quote(isOn: true): try builder.wrapQuote(range)
    case .quote(isOn: false): try builder.unwrapQuote(range)
    }
  }

  /// What a block that the range touches must be.
  func applied(to leaf: LeafBlock) -> LeafBlock {
    var leaf = leaf
    switch self {
    case .heading(let level): if leaf.level != nil { leaf.level = level ?? 0 }
    case .quote(isOn: true): leaf.quotes = max(1, leaf.quotes)
    case .quote(isOn: false): leaf.quotes = max(0, leaf.quotes - 1)
    case .style, .link: break
    }
    return leaf
  }

  func applied(to look: Looks.Look) -> Looks.Look {
    var look = look
    switch self {
    case .style(let style, isOn: true): look.style.insert(style.textStyle)
    case .style(let style, isOn: false): look.style.remove(style.textStyle)
    case .link(let destination):
      if !look.style.contains(.image) { look.destination = destination.map { "\($0) -" } }
      if destination == nil { look.style.remove(.link) } else { look.style.insert(.link) }
    case .heading, .quote: break
    }
    return look
  }
}

@Suite struct EditBuilderPropertyTests {
  /// How many random operations: `DIPLE_EDIT_RUNS`, or a share that takes a few seconds.
  private static let runs =
    ProcessInfo.processInfo.environment["DIPLE_EDIT_RUNS"].flatMap { Int($0) } ?? 2_000

  /// Says what is wrong with a change; nil when nothing is.
  private func fault(
    _ old: ParsedDocument, _ change: SourceChange, _ wish: Wish, _ range: TextRange
  ) -> String? {
    let new = change.document
    var bytes = old.source.bytes
    var end = bytes.count
    for edit in change.edits.reversed() {
      if edit.range.bytes.upperBound > end { return "the edits overlap or are not sorted" }
      end = edit.range.bytes.lowerBound
      bytes.replaceSubrange(edit.range.bytes, with: Array(edit.replacement.utf8))
    }
    switch wish {
    case .style, .link:
      let leaves = old.blocks.filter { block in
        block.text.overlaps(range) && LeafBlock.isLeaf(block)
      }
      let isInside = change.edits.allSatisfy { edit in
        leaves.contains {
          $0.source.bytes.lowerBound <= edit.range.bytes.lowerBound
            && edit.range.bytes.upperBound <= $0.source.bytes.upperBound
        }
      }
      if !isInside { return "an edit lies outside the blocks of the range" }
    case .heading, .quote: break
    }
    if bytes != new.source.bytes { return "the edits do not give the document" }
    if new.text != old.text { return "the text changed" }
    func silent(_ document: ParsedDocument) -> Int {
      document.inlines.count {
        switch $0.kind {
        case .rawHTML, .footnoteReference: true
        case .link, .image: $0.text.isEmpty
        default: false
        }
      }
    }
    if silent(old) != silent(new) { return "something silent is gone" }
    return blockFault(old, new, wish, range)
      ?? fault(old, Looks(old).units, Looks(new).units, wish, range)
  }

  private func blockFault(
    _ old: ParsedDocument, _ new: ParsedDocument, _ wish: Wish, _ range: TextRange
  ) -> String? {
    let (before, after) = (LeafBlock.all(in: old), LeafBlock.all(in: new))
    if before.count != after.count { return "there are \(after.count) leaves" }
    let touched = before.filter { $0.text.overlaps(range) && !$0.text.isEmpty }
    for (leaf, result) in zip(before, after) {
      let isTouched = touched.contains(leaf)
      var expected = isTouched ? wish.applied(to: leaf) : leaf
      if !isTouched, leaf.unit != nil, touched.contains(where: { $0.unit == leaf.unit }) {
        expected.quotes = result.quotes
      }
      expected.unit = result.unit
      if expected != result { return "the block \(leaf.text) is \(result) instead of \(expected)" }
    }
    return nil
  }

  private func fault(
    _ old: ParsedDocument, _ before: [Looks.Look], _ after: [Looks.Look], _ wish: Wish,
    _ range: TextRange
  ) -> String? {
    let asked = before.indices.map {
      range.utf16.contains($0) ? wish.applied(to: before[$0]) : before[$0]
    }
    let isSpaces = old.text.utf16.map(isSpace)
    for unit in before.indices where after[unit] != asked[unit] {
      guard isSpaces[unit] else { return "unit \(unit) looks wrong" }
      if !after[unit].style.subtracting(before[unit].style.union(asked[unit].style)).isEmpty {
        return "the blank at \(unit) has a new style"
      }
      // A blank between two characters that look alike, with nothing else at it, looks like them.
      guard unit > 0, unit + 1 < before.count, !isSpaces[unit - 1], !isSpaces[unit + 1],
        old.text.utf16[unit] == 32, asked[unit - 1] == asked[unit], asked[unit] == asked[unit + 1],
        !old.inlines.contains(where: {
          unit...unit + 1 ~= $0.text.utf16.lowerBound || unit...unit + 1 ~= $0.text.utf16.upperBound
        })
      else { continue }
      return "the blank at \(unit) lost its style"
    }
    return nil
  }

  private func report(
    _ what: String, _ old: ParsedDocument, _ change: SourceChange, _ detail: String
  ) {
    Issue.record(
      "\(what) \(detail)\n--- before\n\(old.markdown)\n--- after\n\(change.markdown)\n---")
  }

  @Test func `random styles and links leave the text and all else as they were`() {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var generator = GeneratedMarkdown(seed: seed)
    var done = (changed: 0, unchanged: 0, refused: 0, cornered: 0)
    var reasons: [FormattingError.Obstacle: Int] = [:]
    var document = ParsedDocument(parsing: MarkdownSource(generator.document()))
    for run in 0..<Self.runs {
      // Some operations on one document, so that they meet what earlier ones wrote.
      if run % 8 == 0 {
        document = ParsedDocument(parsing: MarkdownSource(generator.document()))
      }
      guard !document.text.utf16.isEmpty else { continue }
      let range = Self.range(in: document, &random)
      let wish = Self.wish(document, range, &random)
      do {
        let change = try wish.change(EditBuilder(document), range)
        if let fault = fault(document, change, wish, range) {
          report("\(wish) \(range): \(fault)", document, change, "")
        }
        if change.isEmpty { done.unchanged += 1 } else { done.changed += 1 }
        if case .quote(isOn: false) = wish {
          // Each time takes one quote away.
        } else if !(try wish.change(EditBuilder(change.document), range)).isEmpty {
          report("\(wish) \(range) again is a change", document, change, "")
        }
        document = change.document
      } catch .inexpressible(_, .surroundings, _) {
        done.cornered += 1
        if ProcessInfo.processInfo.environment["DIPLE_EDIT_SHOW"] != nil {
          print(
            "cornered: \(wish) '\(document.text.substring(range))' in",
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
    #expect(Double(done.cornered) <= 0.03 * total)
  }

  @Test func `in plain prose nearly every range can have every style, and lose it again`() throws {
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
        let wish = Wish.style(style, isOn: true)
        if let fault = fault(document, change, wish, range) {
          report("\(wish) \(range): \(fault)", document, change, "")
        }
        #expect(try EditBuilder(change.document).state(of: style, in: range) == .all)
        if change.edits.count == 2, change.edits.allSatisfy({ $0.range.isEmpty }) {
          count.plain += 1
        }
        let back = try EditBuilder(change.document).unwrap(style, range)
        if back.markdown == document.markdown {
          count.returned += 1
        } else {
          report("unwrapping does not give back", document, back, change.markdown)
        }
      } catch {
        count.refused += 1
        print("refused: \(style) \(range) \(error): \(document.markdown)")
      }
    }
    print(
      "figures: \(count.tried) ranges of plain prose: \(count.refused) refused,",
      "\(count.plain) with two insertions, \(count.returned) undone exactly")
    #expect(count.refused * 1_000 <= count.tried * 5)
  }

  @Test func `whatever the bytes are, a change is right or refused`() {
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
      let wish = Self.wish(document, range, &random)
      do {
        let change = try wish.change(EditBuilder(document), range)
        count.changed += 1
        if let fault = fault(document, change, wish, range) {
          report("\(wish) \(range): \(fault)", document, change, "\(bytes)")
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
      let wish = Self.wish(document, range, &random)
      do {
        let change = try wish.change(EditBuilder(document), range)
        count.changed += 1
        if let fault = fault(document, change, wish, range) {
          report("\(wish) \(range): \(fault)", document, change, "")
        }
      } catch .inexpressible(_, .surroundings, _) {
        count.cornered += 1
      } catch { count.refused += 1 }
    }
    print("figures: \(name): \(count)")
    #expect(count.changed > 0)
  }

  /// Something to ask for; of a style mostly what the range does not have yet, or has.
  private static func wish(
    _ document: ParsedDocument, _ range: TextRange, _ random: inout SeededGenerator
  ) -> Wish {
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

  /// A range that divides no character, mostly short.
  private static func range(in document: ParsedDocument, _ random: inout SeededGenerator)
    -> TextRange
  {
    var borders = [0]
    for character in document.text.string { borders.append(borders.last! + character.utf16.count) }
    // Half of them begin and end where a span does.
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
