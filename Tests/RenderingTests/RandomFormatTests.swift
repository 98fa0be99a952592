import MarkdownParse
import Model
import RichText
import RichTextChecks
import TestSupport
import Testing

@testable import Rendering

/// Tests random formats of random documents: all text is drawn, with its offsets.
@Suite struct RandomFormatTests {
  private static let pieces = [
    "word ", "longer words in a row ", "*soft* ", "**strong** ", "`code` ", "[a link](x.md) ",
    "日本語 ",
    "👩‍👩‍👧 ", "אבג דהו ", "e\u{301}ß ", "\t", "12.50\t", "==marked== ", "$x^2$ ", "a\\\nb ",
    "supercalifragilistic",
  ]
  private static let frames = [
    "", "# ", "## ", "#### ", "- ", "1. ", "> ", "> - ", "    ", "- [ ] ", "> [!note] T\n> ",
  ]

  static func markdown(_ random: inout SeededGenerator) -> String {
    (0..<Int.random(in: 1...8, using: &random)).map { _ in
      if Int.random(in: 0..<8, using: &random) == 0 {
        return "| a | b\tc |\n|---|--:|\n| *one* 日本 two | three four five |\n"
      }
      let text = (0..<Int.random(in: 1...24, using: &random)).map { _ in
        pieces.randomElement(using: &random)!
      }.joined()
      return frames.randomElement(using: &random)! + text + "\n"
    }.joined(separator: "\n")
  }

  static func format(_ units: [UInt16], _ random: inout SeededGenerator) throws -> AttributedText {
    var text = AttributedText(units: units)
    for _ in 0..<Int.random(in: 1...24, using: &random) where !units.isEmpty {
      let start = Int.random(in: 0..<units.count, using: &random)
      let end = min(units.count, start + Int.random(in: 0...60, using: &random))
      try text.change(start..<end, RandomFormat.changes(&random), limits: .files)
      try text.changeParagraphs(start..<end, RandomFormat.paragraphChanges(&random), limits: .files)
    }
    return text
  }

  @Test func `all text is drawn with its offsets, and no line is too long`() throws {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for round in 0..<400 {
      let markdown = Self.markdown(&random)
      let document = ParsedDocument(parsing: MarkdownSource(markdown))
      let units = Array(document.text.utf16)
      let text = try Self.format(units, &random)
      var options = PageOptions(
        width: Int.random(in: 20...100, using: &random),
        color: ColorMode.allCases.randomElement(using: &random)!)
      options.isOnScreen = .random(using: &random)
      options.ordersText = .random(using: &random)
      var page = Page(document: document, options: options)
      if Bool.random(using: &random), units.count > 10 {
        page.overlays = [Overlay(range: TextRange(utf16: 2..<units.count / 2), color: .green)]
      }
      page.format = ShownFormat(
        layer: text.layer, styles: text.styles, defaults: FormatDefaults.standard)
      // Draw by chunks, so that rows are requested as by a reader.
      let longest = Bool.random(using: &random) ? 64 : LazyLayout.longestChunk
      var lazy = LazyLayout(page, PageBlocks(document, longest: longest))
      let rows = (0..<lazy.count).flatMap { lazy.rows(ofChunk: $0) }
      var drawn = [Bool](repeating: false, count: units.count)
      for row in rows {
        let width = row.cells.reduce(0) { $0 + $1.width }
        #expect(width <= options.width, "round \(round): \(String(row.cells.map(\.text)))")
        for cell in row.content {
          guard let range = cell.range else { continue }
          let written = String(decoding: units[range], as: UTF16.self)
          try #require(Self.shows(cell, written), "round \(round): \(cell.text) for \(written)")
          for place in range { drawn[place] = true }
        }
      }
      for (place, isDrawn) in drawn.enumerated() where !isDrawn {
        // Only blanks at line ends and separators between blocks are on no row.
        try #require([9, 10, 32].contains(units[place]), "round \(round): \(place) in \(markdown)")
      }
      // With colours a reader reserves columns for the letters of highlights.
      if longest == LazyLayout.longestChunk, options.color == .none {
        let lines = PageLayout.lines(of: page).map { $0.spans.map(\.text).joined() }
        #expect(lines == rows.map { String($0.cells.map(\.text)) }, "round \(round)")
      }
    }
  }

  /// Returns whether a cell shows a part of the text: unchanged, as a capital, as a superscript or
  /// subscript, as a mirrored sign or a symbol of TeX, or as a column of a tab.
  private static func shows(_ cell: Cell, _ written: String) -> Bool {
    if written == "\t" { return " .·-_━=".contains(cell.text) }
    guard let letter = written.first, written.count == 1 else {
      return cell.spanStyle.style.contains(.math)
    }
    if cell.text == letter.sanitizedForTerminal || cell.text == LetterForms.capital(of: letter) {
      return true
    }
    if LetterForms.form(of: letter, .superscript) == cell.text
      || LetterForms.form(of: letter, .subscript) == cell.text
    {
      return true
    }
    return cell.level & 1 == 1 || cell.spanStyle.style.contains(.math)
  }
}
