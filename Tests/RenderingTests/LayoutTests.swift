import Foundation
import MarkdownParse
import Model
import Rendering
import TestSupport
import Testing

private let sample = """
  # Title with many words that will not fit on one narrow line

  A paragraph with **bold**, *italic*, `code`, a [link](https://diple.example/a-rather-long-address/x),
  日本語の文章です。 Emoji 👋🏽 👨‍👩‍👧‍👦 and averyveryverylongwordthatfitsnowhereatallonanarrowscreen.

  1. one
  2. two
     - [x] done
     - [ ] open

  > quoted
  > > twice

  | left | middle | right |
  |:-----|:------:|------:|
  | 日本 | a cell with quite some text in it | 1 |

  ```
  let x = "a long line of code that is wider than the narrow page"
  	tab
  ```

  ***
  """

@Suite struct LayoutTests {
  @Test(arguments: [20, 40, 80, 200], ColorMode.allCases)
  func `no line is wider than the page`(width: Int, mode: ColorMode) {
    let document = ParsedDocument(parsing: MarkdownSource(sample))
    let overlays = stride(from: 0, to: document.text.count - 9, by: 13).map {
      Overlay(range: TextRange(utf16: $0..<$0 + 9), color: .green)
    }
    let page = Page(
      document: document, overlays: overlays, options: PageOptions(width: width, color: mode))
    for line in PageLayout.lines(of: page) {
      #expect(line.width <= width, "\(line.spans.map(\.text).joined())")
    }
  }

  @Test func `all text is drawn in order, with its offsets`() {
    // The rows of a wrapped table are drawn side by side, so their text is not in order on the
    // lines.
    let text = sample.replacing("| 日本 | a cell with quite some text in it | 1 |\n", with: "")
    let document = ParsedDocument(parsing: MarkdownSource(text))
    let lines = PageLayout.lines(of: Page(document: document, options: PageOptions(width: 33)))
    let shown = lines.flatMap(\.spans).filter { $0.range != nil }.map(\.text).joined()
    let isSpace: (Character) -> Bool = { $0.isWhitespace }
    #expect(shown.filter { !isSpace($0) } == document.text.string.filter { !isSpace($0) })
  }

  @Test
  func
    `without colours, highlights are in brackets, doubtful ones marked and orphaned ones omitted`()
  {
    let document = ParsedDocument(parsing: MarkdownSource("one two three four"))
    let page = Page(
      document: document,
      overlays: [
        Overlay(range: TextRange(utf16: 0..<3), color: .yellow),
        Overlay(range: TextRange(utf16: 4..<7), color: .pink, state: .doubtful),
        Overlay(range: TextRange(utf16: 8..<13), color: .blue, state: .orphaned),
      ])
    let text = PageLayout.lines(of: page).map { $0.spans.map(\.text).joined() }
    #expect(text == ["[Y:one] [P?:two] three four"])
  }

  @Test func `of overlapping highlights the later one is on top, and the overlap is marked`() {
    let document = ParsedDocument(parsing: MarkdownSource("one two three"))
    let page = Page(
      document: document,
      overlays: [
        Overlay(range: TextRange(utf16: 0..<7), color: .yellow),
        Overlay(range: TextRange(utf16: 4..<13), color: .blue),
      ], options: PageOptions(color: .trueColor))
    let spans = PageLayout.lines(of: page)[0].spans.filter { $0.range != nil }
    #expect(spans.map(\.text) == ["one ", "two", " three"])
    #expect(spans.map(\.spanStyle.highlight) == [.yellow, .blue, .blue])
    #expect(spans.map(\.spanStyle.isOverlap) == [false, true, false])
  }

  @Test func `of two highlights with the same start the shorter one is on top`() {
    let document = ParsedDocument(parsing: MarkdownSource("one two three"))
    let page = Page(
      document: document,
      overlays: [
        Overlay(range: TextRange(utf16: 0..<3), color: .pink),
        Overlay(range: TextRange(utf16: 0..<7), color: .yellow),
      ], options: PageOptions(color: .trueColor))
    let spans = PageLayout.lines(of: page)[0].spans.filter { $0.range != nil }
    #expect(spans.map(\.text) == ["one", " two", " three"])
    #expect(spans.map(\.spanStyle.highlight) == [.pink, .yellow, nil])
  }

  @Test func `only the paragraph that contains the range is drawn`() {
    let document = ParsedDocument(parsing: MarkdownSource("# A\n\none\n\ntwo\n\nthree"))
    let page = Page(document: document, options: PageOptions(range: TextRange(utf16: 6..<9)))
    #expect(PageLayout.lines(of: page).map { $0.spans.map(\.text).joined() } == ["two"])
  }

  @Test func `very deep nesting is drawn`() {
    let deep = String(repeating: "> ", count: 50_000) + "a"
    let document = ParsedDocument(parsing: MarkdownSource(deep))
    let lines = PageLayout.lines(of: Page(document: document, options: PageOptions(width: 40)))
    #expect(lines.count == 1 && lines[0].width <= 40)
  }
}

@Suite struct ColorModeTests {
  @Test(arguments: [
    (["TERM": "xterm-256color"], true, ColorMode.Choice.auto, ColorMode.xterm256),
    (["TERM": "xterm"], true, .auto, .ansi16), (["TERM": "dumb"], true, .auto, .none),
    (["TERM": "xterm", "COLORTERM": "truecolor"], true, .auto, .trueColor),
    (["TERM": "xterm", "NO_COLOR": "1"], true, .auto, .none),
    (["TERM": "xterm", "NO_COLOR": ""], true, .auto, .ansi16),
    (["TERM": "xterm"], false, .auto, .none),
    (["TERM": "xterm", "NO_COLOR": "1"], false, .always, .ansi16),
    (["TERM": "xterm-256color"], true, .never, .none),
  ])
  func `the colour mode follows from the environment and the option`(
    environment: [String: String], isTerminal: Bool, choice: ColorMode.Choice, mode: ColorMode
  ) {
    #expect(
      ColorMode.detect(environment: environment, isTerminal: isTerminal, choice: choice) == mode)
  }
}

@Suite struct DisplayWidthTests {
  @Test(arguments: [
    ("a", 1), ("é", 1), ("e\u{301}", 1), ("日", 2), ("한", 2), ("ｱ", 1), ("Ａ", 2), ("👋🏽", 2),
    ("👨‍👩‍👧‍👦", 2), ("❤️", 2), ("🇩🇪", 2), ("\u{200B}", 0), ("", 0), ("日本 ok", 7),
    ("क्ष", 2), ("कि", 2), ("स्त्र", 3), ("கொ", 2), ("กำ", 2), ("ខ្មែ", 3), ("☝🏽", 2), ("ｶﾞ", 2),
    ("🏴‍☠️", 2), ("1️⃣", 2), ("각", 2), ("한", 2),
  ])
  func `the display width of a text is its number of columns`(text: String, width: Int) {
    #expect(displayWidth(of: text) == width)
  }

  /// Graphemes with the widths of the Python package wcwidth.
  private static let oracle: [(String, Int)] = {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "python3", "-c",
      """
      import sys, unicodedata
      from wcwidth import wcswidth
      out = []
      for first, last in ((0x20, 0x7F), (0xA1, 0x250), (0x370, 0x530), (0x3041, 0x30FF), (0x4E00, 0x5800),
                          (0xAC00, 0xB400), (0xFF01, 0xFF5F), (0x1F300, 0x1F640), (0x2500, 0x2600)):
          for code in range(first, last):
              text = chr(code)
              if unicodedata.category(text)[0] in "CM": continue
              out.append(text)
              if code < 0x250 and unicodedata.category(text)[0] == "L": out.append(text + "\\u0301")
      for text in out:
          print(text.encode("utf-8").hex(), wcswidth(text))
      """,
    ]
    // The folder in which `Tooling/test` installs the package if the system has none.
    let packages = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: ".cache/python")
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["PYTHONPATH": packages.path]) { $1 }
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return [] }
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    guard (try? process.end()) == 0 else { return [] }
    return String(decoding: data, as: UTF8.self).split(separator: "\n").compactMap { line in
      let parts = line.split(separator: " ")
      guard parts.count == 2, let width = Int(parts[1]) else { return nil }
      let digits = Array(parts[0].utf8)
      let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
        UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
      }
      return (String(decoding: bytes, as: UTF8.self), width)
    }
  }()

  @Test(.enabled(if: !oracle.isEmpty, "python3 with wcwidth is not installed"))
  func `grapheme widths equal those of wcwidth`() {
    #expect(Self.oracle.count >= 5_000)
    let different = Self.oracle.filter { displayWidth(of: $0.0) != $0.1 }
    // Tables of other Unicode versions may differ in a few newer characters.
    #expect(different.count <= 10, "\(different.prefix(20))")
  }
}
