import MarkdownParse
import Model
import RichText
import RichTextChecks
import TestSupport
import Testing

@testable import Rendering

@Suite struct CharacterFormatTests {
  private let page = FormatPage("one two **strong** three *soft* ~~struck~~ ==mark== [link](x.md)")

  @Test func `formats add and remove bold, italic and strikethrough`() {
    #expect(page.with("two", .bold(true), .italic(true)).paint("two") == "1;3")
    #expect(page.with("strong", .bold(false)).paint("strong") == "")
    #expect(page.with("soft", .italic(false)).paint("soft") == "")
    #expect(page.with("struck", .strikethrough(.none)).paint("struck") == "")
    #expect(page.with("two", .strikethrough(.double)).paint("two") == "9")
    #expect(FormatPage("# T").paint("T").hasPrefix("1;"))
    #expect(!FormatPage("# T").with("T", .bold(false)).paint("T").hasPrefix("1"))
  }

  @Test(arguments: [
    (UnderlineStyle.none, "", ""), (.single, "4", "4"), (.words, "4", "4"), (.thick, "4", "4"),
    (.double, "4", "4:2"), (.wave, "4", "4:3"), (.dotted, "4", "4:4"), (.dashed, "4", "4:5"),
    (.dashDot, "4", "4:5"), (.dashDotDot, "4", "4:5"),
  ])
  func `only the underline styles of the terminal are used`(
    style: UnderlineStyle, plain: String, styled: String
  ) {
    var page = page.with("two", .underline(style))
    #expect(page.paint("two") == plain)
    page.page.options.hasUnderlineStyles = true
    #expect(page.paint("two") == styled)
  }

  @Test func `an underline of words skips blanks`() {
    let page = page.with("one two", .underline(.words))
    #expect(page.paint("one two") == "4||4")
  }

  @Test func `a link is underlined unless its format removes the underline`() {
    #expect(page.paint("link").hasPrefix("4;"))
    #expect(page.with("two", .link("y.md")).paint("two") == page.paint("link"))
    #expect(!page.with("link", .underline(.none)).paint("link").hasPrefix("4"))
    var linked = page.with("two", .link("https://diple.example"))
    linked.page.options.hyperlinks = true
    let spans = PageLayout.lines(of: linked.page).flatMap(\.spans)
    #expect(spans.contains { $0.spanStyle.destination == "https://diple.example" })
  }

  @Test func `capitals are drawn if they have the same length`() {
    let page = FormatPage("straße é e\u{301} ŉ ﬁ 日 ä", color: .trueColor)
    let text = "straße é e\u{301} ŉ ﬁ 日 ä"
    #expect(page.with(text, .capitals(.small)).lines == ["STRAßE É E\u{301} ŉ ﬁ 日 Ä"])
    #expect(page.with(text, .capitals(.normal)).lines == [text])
    // The output of a pipe is the original text.
    var piped = page.with(text, .capitals(.all))
    piped.page.options.color = .none
    #expect(piped.lines == [text])
    piped.page.options.isOnScreen = true
    #expect(piped.lines == ["STRAßE É E\u{301} ŉ ﬁ 日 Ä"])
  }

  @Test func `superscripts and subscripts are Unicode letters or faint text`() {
    let page = FormatPage("x2 H2O 1st Q")
    #expect(page.with("2", .position(.superscript)).lines == ["x² H2O 1st Q"])
    #expect(page.with("2O", .position(.subscript)).lines == ["x2 H2O 1st Q"])
    #expect(page.with("2O", .position(.subscript)).paint("2O") == "2")
    #expect(page.with("st", .position(.superscript)).lines == ["x2 H2O 1ˢᵗ Q"])
    #expect(page.with("Q", .position(.superscript)).paint("Q") == "2")
  }

  @Test func `superscript and subscript letters have the width of the plain letters`() {
    for byte in 0x20..<0x7F as Range<UInt8> {
      let letter = Character(Unicode.Scalar(byte))
      for position in BaselinePosition.allCases {
        guard let form = LetterForms.form(of: letter, position) else { continue }
        #expect(form.utf16.count == 1 && displayWidth(of: form) == 1, "\(letter) \(form)")
      }
    }
  }

  @Test(arguments: ColorMode.allCases)
  func `custom colours have enough contrast`(mode: ColorMode) throws {
    for theme in [Theme.light, .dark, .standard(nil), .highContrast(.light)] {
      for number in [0, 0xFFFFFF, 0xFFFF00, 0x0000FF, 0x808080, 0xFF0000, 0x101010] as [UInt32] {
        var page = page.with("two", .color(.rgb(number)))
        (page.page.options.color, page.page.options.theme) = (mode, theme)
        if mode == .none { #expect(page.paint("two") == "") }
        for paper in theme.papers where mode == .trueColor {
          let color = try #require(Self.color(page.paint("two"), "38"))
          let least = theme.papers.count > 1 ? 3 : 4.5
          #expect(color.contrast(with: paper) >= least, "\(number) on \(paper)")
        }
        for other in [0x123456, 0xFFFFFF, 0x00FF00, 0x808080] as [UInt32] {
          var page = page.with("two", .background(.rgb(other)))
          (page.page.options.color, page.page.options.theme) = (mode, theme)
          let paint = page.paint("two")
          if mode == .none { #expect(paint == "") }
          guard mode == .trueColor || mode == .xterm256 else { continue }
          let text = try #require(Self.color(paint, "38"))
          let behind = try #require(Self.color(paint, "48"))
          #expect(text.contrast(with: behind) >= 4.5, "\(number) on \(other): \(paint)")
        }
      }
    }
  }

  /// Returns the last colour that a sequence sets.
  private static func color(_ paint: String, _ kind: String) -> RGB? {
    let parts = paint.split(separator: ";").compactMap { Int($0) }
    var color: RGB?
    var index = 0
    while index < parts.count {
      let isColor = parts[index] == 38 || parts[index] == 48
      if isColor, index + 2 < parts.count, parts[index + 1] == 5 {
        if "\(parts[index])" == kind { color = RGB.xterm[parts[index + 2]] }
        index += 3
      } else if isColor, index + 4 < parts.count {
        let number = parts[index + 2] << 16 | parts[index + 3] << 8 | parts[index + 4]
        if "\(parts[index])" == kind { color = RGB(number) }
        index += 5
      } else {
        index += 1
      }
    }
    return color
  }

  @Test func `a highlight replaces a background and keeps other character formats`() {
    var page = page.with("two", .background(.rgb(0x00FF00)), .bold(true), .underline(.single))
    page.page.overlays = [Overlay(range: TextRange(utf16: page.range(of: "two")), color: .yellow)]
    #expect(page.paint("two") == "1;4;38;2;26;26;26;48;2;255;243;109")
  }

  @Test func `the automatic colour removes the colour that the Markdown determines`() {
    #expect(page.with("link", .color(.automatic)).paint("link") == "4")
    #expect(page.paint("mark") == "7")
    #expect(page.with("mark", .background(.automatic)).paint("mark") == "")
  }

  @Test func `a named style applies where Markdown has no formatting`() {
    let style = NamedStyle(
      id: StyleID("loud"), title: "Loud",
      characters: [.bold(false), .italic(true), .underline(.single)])
    let page = page.with(style).with("two", [.style(StyleID("loud"))])
    #expect(page.paint("two") == "3;4")
    #expect(page.paint("strong") == "1;3;4")
    #expect(page.with("two", .italic(false)).paint("two") == "4")
    // The style of ordinary paragraphs has no attributes.
    #expect(page.with("two", [.style(.body)]).paint("two") == "")
  }

  @Test func `a format never divides a grapheme`() {
    let page = FormatPage("a 👩‍👩‍👧 e\u{301}x")
    let start = page.range(of: "👩‍👩‍👧").lowerBound
    var text = AttributedText(units: Array(page.page.document.text.utf16))
    try! text.change(start + 1..<start + 3, [.set(.bold(true))])
    try! text.change(page.range(of: "\u{301}"), [.set(.italic(true))])
    var other = page
    other.page.format = ShownFormat(layer: text.layer)
    #expect(other.lines == page.lines)
  }
}

@Suite struct ParagraphFormatTests {
  private let page = FormatPage(
    "one two three four five six seven eight nine ten eleven\n\nsecond", width: 26)

  @Test func `paragraphs are aligned left, right, centred or justified`() {
    #expect(
      page.with("one", [.alignment(.left)]).lines == [
        "one two three four five", "six seven eight nine ten", "eleven", "", "second",
      ])
    #expect(
      page.with("one", [.alignment(.right)]).lines == [
        "   one two three four five", "  six seven eight nine ten", "                    eleven",
        "", "second",
      ])
    #expect(
      page.with("one", [.alignment(.center)]).lines == [
        " one two three four five", " six seven eight nine ten", "          eleven", "", "second",
      ])
    #expect(
      page.with("one", [.alignment(.justified)]).lines == [
        "one two  three  four  five", "six seven  eight nine  ten", "eleven", "", "second",
      ])
  }

  @Test func `all columns of a widened blank refer to that blank`() throws {
    let lines = PageLayout.lines(of: page.with("one", [.alignment(.justified)]).page)
    let spans = lines[0].spans
    #expect(spans.count == 1 && spans[0].range == TextRange(utf16: 0..<23))
  }

  @Test func `an indent has a column for each six points`() {
    let page = page.with(
      "one", [.firstLineIndent(.points(12)), .headIndent(.points(6)), .tailIndent(.points(-18))])
    #expect(
      page.lines == [
        "   one two three four", " five six seven eight", " nine ten eleven", "", "second",
      ])
    let hanging = self.page.with("one", [.firstLineIndent(.points(-18)), .headIndent(.points(18))])
    #expect(hanging.lines[0].hasPrefix("one") && hanging.lines[1].hasPrefix("   "))
  }

  @Test func `indents leave a minimum width for the text`() {
    for width in [20, 26, 60, 100] {
      let page = FormatPage(String(repeating: "word ", count: 60), width: width).with(
        "word",
        [.firstLineIndent(.points(144)), .headIndent(.points(288)), .tailIndent(.points(-288))])
      let least = max(20, width / 2)
      for line in page.lines {
        #expect(line.prefix { $0 == " " }.count <= width - least && line.count <= width)
      }
      #expect(page.lines.dropLast().allSatisfy { $0.drop { $0 == " " }.count > least - 6 })
    }
  }

  @Test func `space before and after is rounded to blank lines`() {
    let spaced = page.with("one", [.spaceBefore(.points(12)), .spaceAfter(.points(20))])
    #expect(
      spaced.lines == [
        "", "one two three four five", "six seven eight nine ten", "eleven", "", "", "", "second",
      ])
    #expect(page.with("one", [.spaceAfter(.points(5))]).lines == page.lines)
  }

  @Test(arguments: [
    (ParagraphAttribute.lineHeight(.times(1.7)), false), (.lineHeight(.times(1.75)), true),
    (.lineHeight(.exactly(.points(24))), true), (.lineHeight(.atLeast(.points(14))), false),
    (.lineSpacing(.points(9)), true), (.lineSpacing(.points(8)), false),
  ])
  func `a large line height inserts blank lines`(
    attribute: ParagraphAttribute, isSpaced: Bool
  ) {
    let lines = page.with("one", [attribute]).lines
    #expect(
      lines
        == (isSpaced
          ? [
            "one two three four five", "", "six seven eight nine ten", "", "eleven", "", "second",
          ] : page.lines))
  }

  @Test func `each paragraph between the line feeds of a block has a separate layout`() {
    let page = FormatPage("one\\\ntwo\\\nthree", width: 20)
      .with("two", [.alignment(.right), .spaceBefore(.points(12))])
    #expect(page.lines == ["one", "", "                 two", "three"])
  }

  @Test func `tabs reach left, right, centred and decimal stops with leaders`() {
    func stop(_ column: Int, _ kind: TabStop.Kind, _ leader: TabStop.Leader = .none)
      -> ParagraphAttribute
    {
      .tabStops([TabStop(position: .points(column * 6), kind: kind, leader: leader)])
    }
    func line(_ text: String, _ stop: ParagraphAttribute) -> String {
      FormatPage(text, width: 30).with("a", [stop]).lines[0]
    }
    #expect(line("a\tword", stop(10, .left)) == "a         word")
    #expect(line("a\tword", stop(10, .right)) == "a     word")
    #expect(line("a\tword", stop(10, .center)) == "a       word")
    #expect(line("a\t12.50 EUR", stop(10, .decimal)) == "a       12.50 EUR")
    #expect(line("a\t12 EUR", stop(10, .decimal)) == "a       12 EUR")
    #expect(line("a\tword", stop(30, .right, .dots)) == "a.........................word")
    #expect(line("a\tword", stop(90, .right, .hyphens)) == "a-------------------------word")
    #expect(line("a\tb\tc", stop(10, .left)) == "a         b c")
    #expect(line("a\t日本", stop(10, .right, .middleDots)) == "a·····日本")
  }

  @Test func `formatted lists, quotes and code keep their prefixes`() {
    let page = FormatPage("- item\n\n> quoted\n\n```\ncode\n```", width: 30)
      .with("item", [.firstLineIndent(.points(12))]).with("quoted", [.alignment(.right)])
      .with("code", [.alignment(.right), .firstLineIndent(.points(12))])
      .with("code", .underline(.single))
    #expect(
      page.lines == [
        "•   item", "", "│" + String(repeating: " ", count: 23) + "quoted", "", "    code",
      ])
    #expect(page.paint("code") == "4")
  }

  @Test func `table cells have character formats`() {
    let page = FormatPage("| a | b |\n|---|---|\n| one | two |").with("two", .underline(.single))
      .with("one", [.alignment(.right)])
    #expect(page.lines == ["a   │ b", "────┼────", "one │ two"])
    #expect(page.paint("two") == "4")
  }

  @Test func `right-to-left text stays on its side unless it has an alignment`() {
    var page = FormatPage("- אבג דהו", width: 30)
    page.page.options.ordersText = true
    let plain = page.lines
    #expect(page.with("אבג", [.spaceBefore(.points(3))]).lines == plain)
    #expect(
      page.with("אבג", [.headIndent(.points(12))]).lines == [
        String(plain[0].dropFirst(2).dropLast(2)) + "   •"
      ])
    #expect(page.with("אבג", [.alignment(.left)]).lines[0].hasPrefix("והד"))
  }

  @Test func `the default format applies to paragraphs outside of other blocks`() {
    let page = FormatPage("# T\n\none\\\ntwo\n\n> three\n\n- four\n\nfive", color: .none)
    let defaults = FormatDefaults(
      paragraphs: [.firstLineIndent(.points(36)), .alignment(.left), .spaceBefore(.points(12))])
    // A line break in the Markdown begins no paragraph.
    #expect(
      page.with(defaults).lines == [
        "# T", "", "", "      one", "two", "", "│ three", "", "• four", "", "", "      five",
      ])
    #expect(page.with(FormatDefaults()).lines == page.lines)
    let justified = FormatPage("a b\\\nc d", width: 30, color: .none).with(
      FormatDefaults(paragraphs: [.alignment(.justified), .headIndent(.points(12))]))
    #expect(justified.lines == ["  a b", "  c d"])
    // The paragraph's own value takes precedence, and its lines are separate paragraphs.
    #expect(
      page.with(defaults).with("two", [.firstLineIndent(.points(12))]).lines[3...5]
        == ["      one", "", "  two"])
    let rightToLeft = FormatPage("שלום", width: 20)
    #expect(
      rightToLeft.with(defaults).lines.last
        == rightToLeft.with(
          FormatDefaults(
            paragraphs: [.firstLineIndent(.points(36)), .spaceBefore(.points(12))])
        ).lines.last)
  }

  @Test func `default colours are drawn and give way to the text's own`() {
    let page = FormatPage("one **two**")
    let red = FormatDefaults(characters: [.color(.rgb(0xFF0000)), .size(40), .family("Menlo")])
    #expect(page.with(red).paint("one") == page.with("one", .color(.rgb(0xFF0000))).paint("one"))
    let blue = CharacterAttribute.color(.rgb(0x0000FF))
    #expect(page.with(red).with("one", blue).paint("one") == page.with("one", blue).paint("one"))
  }

  @Test func `margins are columns and rows around the text`() {
    var page = FormatPage("one two\n\n- item", width: 80, color: .none).with(
      FormatDefaults(),
      margins: EditorMargins(
        left: .points(36), right: .points(120), top: .points(24), bottom: .points(12)))
    let plain = page.lines
    page.page.options.isOnScreen = true
    #expect(plain == ["one two", "", "• item"])
    #expect(page.lines == ["", "", "      one two", "", "      • item", ""])
    let words = String(repeating: "word ", count: 40)
    var long = FormatPage(words, width: 80).with(
      FormatDefaults(), margins: EditorMargins(sides: .points(60), ends: .points(0)))
    long.page.options.isOnScreen = true
    #expect(long.lines.allSatisfy { $0.hasPrefix("          word") && $0.count <= 70 })
    #expect(long.lines.count == 4)
    // A passage is shown without the margins.
    page.page.options.range = TextRange(utf16: 0..<3)
    #expect(page.lines == ["one two"])
  }

  @Test(arguments: [(20, 0, 0), (44, 1, 3), (60, 5, 15), (200, 17, 50)])
  func `a narrow page has narrower margins`(width: Int, left: Int, right: Int) {
    var page = FormatPage("text", width: width).with(
      FormatDefaults(),
      margins: EditorMargins(
        left: .points(100), right: .points(300), top: .points(0), bottom: .points(0)))
    page.page.options.isOnScreen = true
    let margins = PageMargins(of: page.page, gutter: 0)
    #expect((margins.left, margins.right) == (left, right))
  }

  @Test func `margins are the same in the reader as in the whole page`() {
    var page = FormatPage("# T\n\n" + String(repeating: "word ", count: 99), color: .none).with(
      .standard, margins: .wide)
    page.page.options.isOnScreen = true
    let plan = PageBlocks(page.page.document, longest: LazyLayout.longestChunk)
    var lazy = LazyLayout(page.page, plan)
    var rows: [String] = []
    for chunk in 0..<lazy.count {
      rows += lazy.rows(ofChunk: chunk).map { row in row.line.spans.map(\.text).joined() }
    }
    #expect(rows == page.lines)
  }

  @Test func `an unknown style changes nothing`() {
    #expect(page.with("one", [.style(StyleID("gone"))]).lines == page.lines)
  }

  @Test func `a heading's rule is as wide and as indented as its text`() {
    var page = FormatPage("## A heading of some words\n\ntext", width: 20)
      .with("heading", [.firstLineIndent(.points(18)), .alignment(.right)])
    page.page.options.isOnScreen = true
    #expect(page.lines.allSatisfy { $0.count <= 20 })
    let plain = FormatPage("## Words\n\ntext", width: 30).with("Words", [.alignment(.right)])
    var screen = plain
    screen.page.options.isOnScreen = true
    #expect(
      screen.lines.prefix(2) == [
        String(repeating: " ", count: 25) + "Words", String(repeating: " ", count: 25) + "─────",
      ])
  }

  @Test func `support for underline styles is detected from the environment`() {
    #expect(ANSIWriter.knowsUnderlineStyles(["TERM": "xterm-kitty"]))
    #expect(ANSIWriter.knowsUnderlineStyles(["TERM": "xterm-256color", "VTE_VERSION": "7006"]))
    #expect(ANSIWriter.knowsUnderlineStyles(["TERM": "screen-256color", "TERM_PROGRAM": "tmux"]))
    #expect(!ANSIWriter.knowsUnderlineStyles(["TERM": "screen", "VTE_VERSION": "7006"]))
    #expect(!ANSIWriter.knowsUnderlineStyles(["TERM": "xterm-256color"]))
    #expect(!ANSIWriter.knowsUnderlineStyles(["TERM": "linux", "KITTY_WINDOW_ID": "1"]))
    #expect(!ANSIWriter.knowsUnderlineStyles([:]))
  }
}
