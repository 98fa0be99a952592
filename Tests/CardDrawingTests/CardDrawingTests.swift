import CardDrawing
import CardStrategies
import Foundation
import FoundationXML
import Interchange
import Model
import Synchronization
import Testing

/// Returns a request with the given words.
private func order(
  _ words: String, title: String = "A title", author: String = "Somebody", source: String = "a.md",
  color: HighlightColor = .yellow, theme: String = "paper", size: CardForm.Size = .square,
  format: CardForm.Format = .svg, mark: CardForm.Mark? = nil, code: [String] = []
) -> CardOrder {
  var quote = AnnotationRecord(
    id: "1", quote: words, source: source, title: title, color: color, created: .now, updated: .now)
  quote.author = author
  quote.code = code.compactMap { words.range(of: $0).map { words.utf16Range($0) } }
  let theme = CardTheme.builtIn.first { $0.id == theme }!.theme
  return CardOrder(quote, in: theme, as: CardForm(size: size, format: format, mark: mark))
}

extension String {
  fileprivate func utf16Range(_ range: Range<Index>) -> Range<Int> {
    utf16.distance(
      from: startIndex, to: range.lowerBound)..<utf16.distance(
        from: startIndex, to: range.upperBound)
  }
}

private let sentence = "A sentence that says something, at some length. "

@Suite struct CardDrawingTests {
  @Test(arguments: CardForm.Size.allCases)
  func `a picture has the requested size`(_ size: CardForm.Size) throws {
    let (png, _) = try CardDrawing(order("Words.", size: size, format: .png)).cards()
    #expect(png[0].starts(with: [0x89, 0x50, 0x4E, 0x47]))
    func number(at offset: Int) -> Int {
      png[0][offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
    }
    #expect(number(at: 16) == size.width && number(at: 20) == size.height)
    let (pdf, _) = try CardDrawing(order("Words.", size: size, format: .pdf)).cards()
    #expect(pdf[0].starts(with: "%PDF-".utf8))
    let svg = try Drawing(order("Words.", size: size))
    #expect(svg.width == Double(size.width) && svg.height == Double(size.height))
  }

  @Test(arguments: [
    "One word", "größer & <b>\"kleiner\"</b> als 'dies' \u{1}\u{0}",
    String(repeating: "漢字かな交じり文、。", count: 7), String(repeating: "x", count: 200),
    "First paragraph.\nSecond one 😀👩‍👩‍👧 with é and e\u{301}.", "שלום עולם, מה שלומך",
    "الكتاب خير جليس في الزمان", "ข้อความภาษาไทย", "한국어 문장입니다.",
  ])
  func `fonts contain all letters, and highlights are within the margins`(_ words: String) throws {
    for theme in CardTheme.builtIn {
      for size in CardForm.Size.allCases {
        let (files, unknown) = try CardDrawing(
          order(words, theme: theme.id, size: size, mark: .box)
        ).cards()
        #expect(unknown == 0 && files.count == 1, "\(theme.id) \(size)")
        let svg = try Drawing(files[0])
        let marks = svg.marks(theme.theme.looks["yellow"]!.box)
        #expect(!marks.isEmpty)
        for mark in marks {
          #expect(mark.minX > 60 && mark.maxX < svg.width - 60, "\(theme.id) \(size) \(mark)")
          #expect(mark.minY > 96 && mark.maxY < svg.height - 96, "\(theme.id) \(size) \(mark)")
        }
        // The highlight of each line ends before the next, at the same distance in every script.
        let tops = marks.map(\.minY)
        for (a, b) in zip(marks, marks.dropFirst()) { #expect(b.minY > a.maxY) }
        let steps = Set(zip(tops, tops.dropFirst()).map { ($1 - $0).rounded() })
        #expect(words.contains("\n") || steps.count <= 1, "\(steps)")
      }
    }
  }

  @Test(arguments: [30, 60, 200], CardForm.Size.allCases)
  func `a long quote is divided among cards without losing words`(
    _ count: Int, _ size: CardForm.Size
  )
    throws
  {
    let words = (0..<count).map { "\($0). " + sentence }.joined()
    let parts = try CardDrawing(order(words, size: size)).division().parts.map(\.text)
    func bare(_ text: String) -> String { text.filter { !$0.isWhitespace } }
    #expect(bare(parts.joined()) == bare(words))
    guard parts.count > 1 else { return }
    // Each card except the last ends with a sentence, and the last is not much shorter.
    for part in parts { #expect(part.hasSuffix("."), "\(part.suffix(20))") }
    if parts.count < 6 { #expect(parts.last!.count * 3 > parts[0].count, "\(parts.map(\.count))") }
    let (files, _) = try CardDrawing(order(words, size: size)).cards()
    #expect(files.count == parts.count)
  }

  @Test func `paragraphs without sentences are divided between lines`() throws {
    let words = (0..<900).map { "word\($0)" }.joined(separator: " ")
    let parts = try CardDrawing(order(words)).division().parts.map(\.text)
    #expect(parts.count > 2 && parts.joined(separator: " ") == words)
    let signs = try CardDrawing(order(String(repeating: "字", count: 900))).division().parts
      .map(\.text)
    #expect(signs.count > 1 && signs.joined() == String(repeating: "字", count: 900))
  }

  @Test func `a quote that takes more than forty cards is rejected`() {
    let words = String(repeating: sentence, count: 2_000)
    #expect(throws: CardError("the quote needs more than 40 cards")) {
      try CardDrawing(order(words)).cards()
    }
    #expect(throws: CardError.self) {
      try CardDrawing(order(String(repeating: "x\n", count: 200_000))).cards()
    }
  }

  @Test func `shorter quotes have larger letters`() throws {
    let sizes = try [1, 3, 6, 12].map {
      try CardDrawing(order(String(repeating: sentence, count: $0))).division().size
    }
    #expect(sizes == sizes.sorted(by: >) && sizes[0] > sizes[3])
  }

  @Test func `a divided quote has letters as large as the number of cards allows`() throws {
    for count in 1..<40 {
      let words = String(repeating: sentence, count: count)
      let (parts, size, _) = try CardDrawing(order(words)).division()
      guard parts.count > 1 else { continue }
      #expect(size > CardDrawing.sizes.last!)
      return
    }
    Issue.record("all quotes fit on one card")
  }

  @Test(arguments: [";", ",", "؛", "،", "、"])
  func `a quote without sentences is divided at the ends of its clauses`(_ sign: String) throws {
    let clause = sign == "、" ? "文字を読む人の言葉と" : "a clause that says something at length"
    let blank = sign == "、" ? "" : " "
    let words = Array(repeating: clause, count: 40).joined(separator: sign + blank)
    let parts = try CardDrawing(order(words)).division().parts.map(\.text)
    #expect(parts.count > 1 && parts.joined(separator: blank) == words)
    for part in parts.dropLast() { #expect(part.hasSuffix(sign), "\(part.suffix(20))") }
  }

  @Test func `a semicolon is a better end of a card than a comma, and a number has no end`() throws
  {
    let clause = "one thing, 1,000 other things and many more; "
    let parts = try CardDrawing(order(String(repeating: clause, count: 30))).division().parts
    #expect(parts.count > 1)
    for part in parts { #expect(part.text.hasSuffix(";"), "\(part.text.suffix(20))") }
    let numbers = Array(repeating: "1,000,000", count: 200).joined(separator: " ")
    for part in try CardDrawing(order(numbers)).division().parts {
      #expect(part.text.hasPrefix("1,000,000") && part.text.hasSuffix("1,000,000"))
    }
  }

  @Test(arguments: CardForm.Mark.allCases)
  func `lines are about equally long`(_ mark: CardForm.Mark) throws {
    for words in [
      "A woman must have money and a room of her own if she is to write fiction.",
      "I went to the woods because I wished to live deliberately, to front only the essential.",
      "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。",
    ] {
      for size in CardForm.Size.allCases {
        let lines = try CardDrawing(order(words, size: size, mark: mark)).lines()[0]
        let counts = lines.map(\.count)
        #expect(counts.min()! * 10 >= counts.max()! * 4, "\(lines)")
      }
    }
  }

  @Test func `no hyphen is inserted where a word is broken`() throws {
    for mark in CardForm.Mark.allCases where mark != .sign && mark != .box {
      let words = String(repeating: "x", count: 200)
      let svg = try Drawing(order(words, title: "", author: "", mark: mark))
      #expect(svg.glyphs.count == 200 && Set(svg.glyphs.map(\.name)).count == 1)
    }
  }

  @Test func `code has a monospaced font and is broken only at blanks`() throws {
    let words = "Call with_capacity_and_hasher(n, S::default()) when without-/_any is known."
    let code = ["with_capacity_and_hasher(n, S::default())", "without-/_any"]
    func fonts(_ code: [String]) throws -> Int {
      let svg = try Drawing(
        order(words, title: "", author: "", theme: "clean", mark: .bar, code: code))
      return Set(svg.glyphs.map { $0.name.split(separator: "-")[0] }).count
    }
    #expect(try fonts([]) == 1 && fonts(code) == 2)
    for theme in CardTheme.builtIn {
      for size in CardForm.Size.allCases {
        let lines = try CardDrawing(order(words, theme: theme.id, size: size, code: code)).lines()
        #expect(lines.joined().joined(separator: " ") == words)
        #expect(lines.joined().contains { $0.contains("without-/_any") }, "\(lines)")
      }
    }
    // Parts outside the quote are ignored.
    var wrong = order("Words.")
    wrong.code = [3..<900, 1_000..<1_001]
    #expect(try CardDrawing(wrong).cards().files.count == 1)
  }

  @Test(arguments: [
    #"print("hello")"#, "See a_long_name_of_a_function_that(never).ends for it.",
    "See /" + String(repeating: "x", count: 300) + " for it.",
    String(repeating: "Words before it. ", count: 40) + "a_long_name_of_a_function(x).ends",
  ])
  func `code without blanks is within the margins, and broken only in small letters`(
    _ words: String
  ) throws {
    let code = words.components(separatedBy: " ").max { $0.count < $1.count }!
    for theme in CardTheme.builtIn {
      for size in CardForm.Size.allCases {
        let order = order(words, theme: theme.id, size: size, mark: .box, code: [code])
        let drawing = CardDrawing(order)
        for file in try drawing.cards().files {
          let svg = try Drawing(file)
          let marks = svg.marks(theme.theme.looks["yellow"]!.box)
          #expect(!marks.isEmpty)
          for mark in marks {
            #expect(mark.minX > 60 && mark.maxX < svg.width - 60, "\(theme.id) \(size) \(mark)")
          }
        }
        let lines = try drawing.lines().joined()
        #expect(lines.joined().filter { $0 != " " } == words.filter { $0 != " " })
        let isWhole = lines.contains { $0.contains(code) }
        #expect(try isWhole || drawing.division().size == CardDrawing.sizes.last, "\(lines)")
        #expect(isWhole == (code.count < 100), "\(theme.id) \(size) \(lines)")
      }
    }
  }

  private static let program =
    "func greet(name: String) {\n    let text = \"Hello, \" + name\n    print(text)\n}"

  @Test(arguments: CardTheme.builtIn.map(\.id), CardForm.Size.allCases)
  func `lines of code that fit are not broken`(_ theme: String, _ size: CardForm.Size) throws {
    let wide = "git log --oneline --graph --first-parent --all"
    for code in [Self.program, wide, "let x = 1"] {
      let lines = try CardDrawing(order(code, theme: theme, size: size, code: [code])).lines()
      #expect(lines == [code.components(separatedBy: "\n")])
    }
    // Within prose, too. The prose is not much larger.
    let words = "Show the branches:\n\(wide)\nThen commit."
    let drawing = CardDrawing(order(words, theme: theme, size: size, code: [wide]))
    #expect(try drawing.lines()[0].contains(wide) && (44..<90).contains(drawing.division().size))
  }

  @Test func `code keeps its indentation and one empty line`() throws {
    func lines(_ words: String, _ code: String) throws -> [String] {
      try CardDrawing(order(words, code: [code])).lines().joined().map { $0 }
    }
    let block = "    def f():\n\t\treturn 1\n  \n\n    f()  "
    #expect(try lines(block, block) == ["def f():", "    return 1", "", "f()"].map { $0 })
    let words = "See:\n\n  a\n    b\n\nThen:\n\n\nmore"
    #expect(
      try lines(words, "  a\n    b") == ["See:", "a", "  b", "Then:", "more"])
    let first = "  \n      a\n    b"
    #expect(try lines(first, first) == ["  a", "b"])
    // The cards after the first one keep it, too.
    let long = "start\n" + (0..<60).map { "        line \($0)" }.joined(separator: "\n")
    let parts = try CardDrawing(order(long, code: [long])).division().parts.map(\.text)
    #expect(parts.count > 1 && parts.joined(separator: "\n") == long)
  }

  @Test func `lines of code have no gap between them`() throws {
    func steps(_ words: String, code: String) throws -> [Double] {
      let tops = try Drawing(order(words, mark: .box, code: [code])).marks(
        CardTheme.builtIn[0].theme.looks["yellow"]!.box
      ).map { $0.minY }
      return zip(tops, tops.dropFirst()).map { ($1 - $0).rounded() }
    }
    let code = try steps("a = 1\nb = 2\nc = 3", code: "a = 1\nb = 2\nc = 3")
    #expect(code.count == 2 && code[0] == code[1])
    let mixed = try steps("a = 1\nb = 2\nWords", code: "a = 1\nb = 2")
    #expect(mixed.count == 2 && mixed[1] > mixed[0] * 1.3)
  }

  @Test func `code has no quotation mark above it but a bar beside it`() throws {
    let code = "a = 1\nb = 2"
    func drawing(_ mark: CardForm.Mark, code: String) throws -> Drawing {
      try Drawing(order("a = 1\nb = 2", title: "", author: "", mark: mark, code: [code]))
    }
    let bar = try drawing(.bar, code: code)
    for mark in [CardForm.Mark.sign, .box] {
      #expect(try drawing(mark, code: code).glyphs.count == bar.glyphs.count)
      #expect(try drawing(mark, code: "1").glyphs.count == bar.glyphs.count + 1)
    }
    let accent = CardTheme.builtIn[0].theme.looks["yellow"]!.accent
    #expect(try drawing(.sign, code: code).marks(accent) == bar.marks(accent))
    #expect(try bar.marks(accent).count == 1 && drawing(.sign, code: "1").marks(accent).isEmpty)
  }

  @Test func `the rest of a long line of code is indented, and cards end with its lines`() throws {
    let long = "let answer = compute(first: 1, second: 2, third: 3, fourth: 4)"
    let code = long + "\n  " + long + "\nb = 2"
    let marks = try Drawing(order(code, mark: .box, code: [code])).marks(
      CardTheme.builtIn[0].theme.looks["yellow"]!.box)
    try #require(marks.count == 5)
    let indents = marks.map { ($0.minX - marks[0].minX).rounded() }
    #expect(indents[1] > 20 && indents[4] == 0, "\(indents)")
    #expect(indents[2] > 20 && abs(indents[3] - indents[1] - indents[2]) < 3, "\(indents)")
    let words = Array(repeating: long, count: 60).joined(separator: "\n")
    let parts = try CardDrawing(order(words, code: [words])).division().parts.map(\.text)
    #expect(parts.count > 1 && parts.joined(separator: "\n") == words)
    for part in parts { #expect(part.hasSuffix(long), "\(part.suffix(20))") }
  }

  @Test func `a line of code that must be broken ends after a sign, not within a name`() throws {
    let code =
      "  return wait_for_completion_interruptible(&done, convert_to_jiffies(500),flags_of_all());"
    for theme in CardTheme.builtIn {
      let lines = try CardDrawing(order(code, theme: theme.id, code: [code])).lines()[0]
      #expect(lines.count > 1)
      for line in lines.dropLast() { #expect("n(,".contains(line.last!), "\(lines)") }
      for line in lines.dropFirst() { #expect(line.first != " ", "\(lines)") }
      #expect(lines.contains { $0.contains("wait_for_completion_interruptible(") })
    }
  }

  private static let kernel =
    "static int __init start_kernel_threads(struct task_struct *task, unsigned long f)\n{\n"
    + "\tif (!task || !(flags & CLONE_VM))\n\t\treturn -EINVAL;\n"
    + "\treturn wait_for_completion_interruptible_timeout(&done, msecs_to_jiffies(500));\n}"

  @Test(arguments: CardTheme.builtIn.map(\.id), CardForm.Mark.allCases)
  func `lines of code of 80 columns are within the margins`(
    _ theme: String, _ mark: CardForm.Mark
  ) throws {
    for size in CardForm.Size.allCases {
      let order = order(
        Self.kernel, title: "", author: "", theme: theme, size: size, mark: mark,
        code: [Self.kernel])
      let svg = try Drawing(order)
      let (first, last) = try (
        #require(svg.glyphs.map(\.x).min()), #require(svg.glyphs.map(\.x).max())
      )
      // The last letter begins a column before the margin.
      #expect(first > 94 && last < svg.width - 96 - 12, "\(size) \(first) \(last)")
    }
  }

  @Test func `lines of code are broken after a comma or a bracket rather than between words`()
    throws
  {
    let lines = try CardDrawing(order(Self.kernel, code: [Self.kernel])).lines()[0]
    #expect(lines[0] == "static int __init start_kernel_threads(", "\(lines)")
    let rest = try #require(lines.first { $0.contains("wait_for") })
    #expect(rest == "    return wait_for_completion_interruptible_timeout(", "\(lines)")
    let call =
      "let result = try await session.data(for: request, delegate: delegate, timeout: .seconds(30), "
      + "retries: 3, name: \"one, two and three\")"
    let parts = try CardDrawing(order(call, code: [call])).lines()[0]
    #expect(parts.count > 1 && parts.joined().filter { $0 != " " } == call.filter { $0 != " " })
    for (part, next) in zip(parts, parts.dropFirst()) {
      #expect(",(".contains(part.last!) || next.hasPrefix("."), "\(parts)")
    }
    #expect(parts.contains { $0.contains("\"one, two and three\"") }, "\(parts)")
  }

  @Test func `the rest of a line of code has an arrow, and code is on a panel`() throws {
    for theme in CardTheme.builtIn {
      let look = theme.theme.looks["yellow"]!
      func drawing(_ mark: CardForm.Mark, _ code: [String]) throws -> Drawing {
        try Drawing(
          order(Self.kernel, title: "", author: "", theme: theme.id, mark: mark, code: code))
      }
      let svg = try drawing(.bar, [Self.kernel])
      let lines = try CardDrawing(order(Self.kernel, theme: theme.id, code: [Self.kernel])).lines()
      let rests = lines[0].count - Self.kernel.split(separator: "\n").count
      #expect(rests > 0 && svg.strokes(look.faint) == rests, "\(theme.id)")
      let share = theme.id == "night" ? 0.08 : 0.055
      let panels = svg.marks(look.background, mixedWith: look.text, share: share)
      #expect(panels.count == 1 && panels[0].minX > 40 && panels[0].maxX < svg.width - 40)
      // All letters are in it, with space around them.
      for glyph in svg.glyphs {
        #expect(glyph.x > panels[0].minX + 20 && glyph.x < panels[0].maxX - 30)
        #expect(glyph.y > panels[0].minY + 30 && glyph.y < panels[0].maxY - 20)
      }
      // Boxes are enough, and prose has no panel.
      for other in try [drawing(.box, [Self.kernel]), drawing(.bar, [])] {
        #expect(other.marks(look.background, mixedWith: look.text, share: share).isEmpty)
      }
    }
    let mixed = try Drawing(
      order(
        "See:\nlet a = 1\nlet b = 2\nand:\nlet c = 3", code: ["let a = 1\nlet b = 2", "let c = 3"]))
    let look = CardTheme.builtIn[0].theme.looks["yellow"]!
    #expect(mixed.marks(look.background, mixedWith: look.text, share: 0.055).count == 2)
  }

  @Test(arguments: CardTheme.builtIn.map(\.id), CardForm.Size.allCases)
  func `a card of code ends at an empty line, and never after a line that opens a block`(
    _ theme: String, _ size: CardForm.Size
  ) throws {
    let function = "def f(x):\n    y = x + 1\n    if y > 3:\n        return y\n    return None"
    let functions = Array(repeating: function, count: 14).joined(separator: "\n\n")
    let parts = try CardDrawing(order(functions, theme: theme, size: size, code: [functions]))
      .division().parts.map(\.text)
    #expect(parts.count > 1 && parts.joined(separator: "\n\n") == functions)
    for part in parts { #expect(part.hasPrefix("def") && part.hasSuffix("None"), "\(part)") }
    // Without empty lines.
    let block = "for item in items {\n    if item.isNew {\n        add(item)\n    }\n}"
    let blocks = Array(repeating: block, count: 20).joined(separator: "\n")
    let pages = try CardDrawing(order(blocks, theme: theme, size: size, code: [blocks]))
      .division().parts.map(\.text)
    #expect(pages.count > 1 && pages.joined(separator: "\n") == blocks)
    for page in pages {
      #expect(!page.hasSuffix("{") && page.hasPrefix("for"), "\(page)")
    }
  }

  @Test func `a band is at the edge where the quote begins`() throws {
    let clean = CardTheme.builtIn.first { $0.id == "clean" }!.theme
    for (words, isRight) in [("Words.", false), ("שלום עולם", true), ("let a = 1", false)] {
      let svg = try Drawing(
        order(words, theme: "clean", code: words.hasPrefix("let") ? [words] : []))
      let bands = svg.marks(clean.looks["yellow"]!.accent)
      #expect(bands.count == 1 && bands[0].height == svg.height && bands[0].width < 40)
      #expect(isRight ? bands[0].maxX == svg.width : bands[0].minX == 0)
    }
  }

  @Test(arguments: ["Less is more.", "A woman must have money and a room of her own to write."])
  func `the distance from the bar to the quote is small`(_ words: String) throws {
    for theme in CardTheme.builtIn where theme.theme.mark == .bar && !theme.theme.hasBand {
      let svg = try Drawing(order(words, title: "", author: "", theme: theme.id))
      let bars = svg.marks(theme.theme.looks["yellow"]!.accent)
      let first = try #require(svg.glyphs.map(\.x).min())
      #expect(bars.count == 1 && (20...56).contains(first - bars[0].maxX))
    }
  }

  @Test func `the letters of quotes are those of a font, never thickened`() throws {
    func strokes(_ theme: String, _ count: Int) throws -> Int {
      let words = Array(repeating: sentence, count: count).joined()
      let look = CardTheme.builtIn.first { $0.id == theme }!.theme.looks["yellow"]!
      return try Drawing(order(words, title: "", author: "", theme: theme)).strokes(look.text)
    }
    for theme in CardTheme.builtIn { #expect(try strokes(theme.id, 8) == 0, "\(theme.id)") }
  }

  @Test func `French words begin at one edge, with the mark and its blank before it`() throws {
    func edges(_ theme: String) throws -> [Double] {
      let words = "« Longtemps, je me suis couché de bonne heure. Longtemps, je me suis couché. »"
      let svg = try Drawing(order(words, title: "", author: "", theme: theme, mark: .underline))
      return Dictionary(grouping: svg.glyphs, by: \.y).sorted { $0.key < $1.key }
        .map { $0.value.map(\.x).min()! }
    }
    let lines = try edges("paper")
    #expect(lines.count > 1 && lines[0] < lines[1] - 20, "\(lines)")
  }

  @Test(arguments: CardTheme.builtIn.map(\.id))
  func `lines end at the ends of sentences if smaller letters allow it`(_ theme: String) throws {
    for words in [
      "Δεν ελπίζω τίποτα. Δε φοβούμαι τίποτα. Είμαι λέφτερος.",
      "Рукописи не горят. Правду говорить легко. Всё будет правильно.",
    ] {
      let lines = try CardDrawing(order(words, theme: theme)).lines()[0]
      for line in lines { #expect(line.hasSuffix("."), "\(lines)") }
    }
  }

  @Test(arguments: CardTheme.builtIn.map(\.id), CardForm.Size.allCases)
  func `a line doesn't end with the first word of a sentence`(
    _ theme: String, _ size: CardForm.Size
  ) throws {
    let words =
      "בראשית ברא אלוהים את השמיים ואת הארץ. והארץ הייתה תוהו ובוהו, וחושך על פני תהום."
    let lines = try CardDrawing(order(words, theme: theme, size: size)).lines()[0]
    for line in lines { #expect(!line.hasSuffix("והארץ") && !line.hasPrefix("הארץ."), "\(lines)") }
  }

  @Test func `the footer is at the side where the quote begins`() throws {
    for (words, isRight) in [
      ("الكتاب خير جليس في الزمان", true), ("שלום עולם, מה שלומך", true), ("Words.", false),
      ("吾輩は猫である。", false),
    ] {
      for title in ["Divan", "ديوان"] {
        let svg = try Drawing(order(words, title: title, author: "", source: ""))
        let footer = svg.glyphs.filter { $0.y > svg.height - 160 }.map(\.x)
        let (first, last) = try (#require(footer.min()), #require(footer.max()))
        #expect(isRight ? first > svg.width / 2 : last < svg.width / 2, "\(words) \(title)")
        #expect(isRight ? last > svg.width - 160 : first < 160, "\(words) \(title)")
      }
    }
  }

  @Test func `the quotation mark is that of the script`() throws {
    func sign(_ words: String) throws -> Set<String> {
      let with = try Drawing(order(words, title: "", author: "", mark: .sign))
      let without = try Drawing(order(words, title: "", author: "", mark: .bar))
      #expect(with.glyphs.count == without.glyphs.count + 1)
      return Set(with.shapes).subtracting(without.shapes)
    }
    #expect(try !sign("吾輩は猫である。").isEmpty && sign("吾輩は猫である。") != sign("Words."))
    // That of the language, if the quote has none or a straight one.
    func shown(_ words: String) throws -> [String] {
      try Drawing(order(words, title: "", author: "", mark: .sign)).shapes
    }
    for (words, sign) in [
      ("Weniger ist mehr.", "„"), ("Δεν ελπίζω τίποτα.", "«"), ("Рукописи не горят.", "«"),
      ("Je ne suis pas là pour vous.", "«"), ("Less is more.", "“"),
    ] {
      #expect(try shown(words) == shown(sign + words), "\(words)")
      #expect(try shown(words) == shown("\"" + words) && shown(words) != shown("‹" + words))
    }
    // „ would look like ” there.
    #expect(try shown("„Ja, gut.") == shown("»Ja, gut.") && shown("„Ja.") != shown("”Ja."))
  }

  @Test func `an Arabic quotation mark above the quote points as in the text`() throws {
    func points(_ words: String, mark: CardForm.Mark) throws -> [Drawing.Direction] {
      try Drawing(order(words, title: "", author: "", theme: "bold", mark: mark)).shapes
        .compactMap(Drawing.direction)
    }
    #expect(try points("كتاب «", mark: .bar) == [.right])
    #expect(try points("الكتاب", mark: .sign) == [.right])
    #expect(try points("«الكتاب", mark: .sign) == [.right])
    #expect(try points("«Le livre", mark: .sign) == [.left])
  }

  @Test(arguments: [
    "“Call me Ishmael.”", "\"Call me.\"", "„Ruf mich“", "«Appelle-moi»", "»Ruf mich«", "‘Call me’",
    "「名前はまだ無い」", "『名前』", "«الكتاب خير جليس»", "”שלום”", "\u{200F}«الكتاب»",
  ])
  func `a quotation mark that begins a quote is above it or within it`(_ words: String) throws {
    func glyphs(_ words: String, _ mark: CardForm.Mark) throws -> [Double] {
      try Drawing(order(words, title: "", author: "", mark: mark)).glyphs.map(\.y).sorted()
    }
    let without = try glyphs(words, .underline)
    for mark in [CardForm.Mark.sign, .box] {
      #expect(try glyphs(words, mark).count == without.count, "\(mark)")
      // A mark within the quote, or an apostrophe, changes nothing.
      for other in ["x " + words, "’tis " + words, "'tis " + words] {
        let with = try glyphs(other, mark)
        #expect(try with.count == glyphs(other, .underline).count + 1, "\(mark) \(other)")
      }
    }
    let sign = try glyphs(words, .sign)
    #expect(sign[1] - sign[0] > 25, "\(sign)")
  }

  @Test(arguments: CardTheme.builtIn.map(\.id))
  func `a text has one font, which has all its letters`(_ theme: String) throws {
    for words in [
      "Δεν ελπίζω τίποτα. Είμαι λέφτερος.", "Ἄνδρα μοι ἔννεπε, Μοῦσα", "Все счастливые семьи",
      "những điều trông thấy mà đau đớn lòng", "Zażółć gęślą jaźń", "Λόγος is a Greek word.",
      "Cafe\u{301} ou the\u{301}", "कर्मण्येवाधिकारस्ते", "أعزّ مكانٍ في الدُّنى", "בראשית ברא",
      "பிறர்தர வாரா", "ที่ไหนความสำเร็จ",
    ] {
      let svg = try Drawing(order(words, title: "", author: "", theme: theme, mark: .bar))
      let fonts = Set(svg.glyphs.map { $0.name.split(separator: "-")[0] })
      #expect(fonts.count == 1, "\(words) \(fonts)")
    }
  }

  @Test(
    arguments: CardTheme.builtIn.map(\.id), ["ظهرت لغة % في عام % ثم", "יצאה שפת % בשנת % ואז"]
  )
  func `Latin words and numbers in a text from right to left have one font`(
    _ theme: String, _ words: String
  ) throws {
    func fonts(_ latin: String) throws -> Set<Substring> {
      let svg = try Drawing(
        order(
          words.replacing("%", with: latin), title: "", author: "", theme: theme, mark: .bar))
      return Set(svg.glyphs.map { $0.name.split(separator: "-")[0] })
    }
    // One font for the text, and one for both letters and digits.
    #expect(try fonts("Swift").count == 2 && fonts("2014").count == 2)
    #expect(try fonts("Swift 2014").count == 2)
  }

  @Test(arguments: CardTheme.builtIn.map(\.id), CardForm.Size.allCases)
  func `no line ends within a Korean word or at a hyphen`(
    _ theme: String, _ size: CardForm.Size
  ) throws {
    for words in [
      "죽는 날까지 하늘을 우러러 한 점 부끄럼이 없기를, 잎새에 이는 바람에도 나는 괴로워했다.",
      "Все семьи похожи друг на друга, каждая несчастливая семья несчастлива по-своему.",
      "A well-known mother-in-law is a twentieth-century self-portrait, they say.",
    ] {
      let lines = try CardDrawing(order(words, theme: theme, size: size)).lines()
      #expect(lines.joined().joined(separator: " ") == words)
    }
  }

  @Test(arguments: CardTheme.builtIn.map(\.id))
  func `a Korean word of one syllable is on the line of the next word`(_ theme: String) throws {
    let words =
      "죽는 날까지 하늘을 우러러 한 점 부끄럼이 없기를, 잎새에 이는 바람에도 나는 괴로워했다. "
      + "별을 노래하는 마음으로 모든 죽어가는 것을 사랑해야지."
    let lines = try CardDrawing(order(words, theme: theme)).lines()[0]
    for line in lines { #expect(!line.hasSuffix(" 한"), "\(lines)") }
  }

  @Test(arguments: CardForm.Size.allCases)
  func `no line begins with a dash or a sign that belongs to the line before`(
    _ size: CardForm.Size
  ) throws {
    let words = String(repeating: "Жизнь — это то, что с тобой ; и ещё « так » ! ", count: 5)
    for theme in CardTheme.builtIn {
      let lines = try CardDrawing(order(words, theme: theme.id, size: size)).lines()
      for line in lines.joined() { #expect(!";»!—".contains(line.first!), "\(line)") }
    }
    // Kinsoku: small kana, the long vowel mark, closing brackets and punctuation.
    let kana = String(repeating: "「ニャーニャー」と、泣いていた。ちょっと待って！", count: 3)
    for theme in CardTheme.builtIn {
      let lines = try CardDrawing(order(kana, theme: theme.id, size: size)).lines().joined()
      for line in lines {
        #expect(!"ャーょっ」、。！".contains(line.first!), "\(line)")
        #expect(line.last != "「", "\(line)")
      }
    }
  }

  @Test(arguments: CardTheme.builtIn.map(\.id))
  func `lines of Japanese and Chinese end where a reader pauses`(_ theme: String) throws {
    let words = "学而时习之，不亦说乎？有朋自远方来，不亦乐乎？人不知而不愠，不亦君子乎？"
    let lines = try CardDrawing(order(words, theme: theme)).lines()[0]
    for line in lines { #expect("，？".contains(line.last!), "\(lines)") }
    let japanese = try CardDrawing(
      order("雨にも負けず風にも負けず雪にも夏の暑さにも負けぬ丈夫な体を持ち", theme: theme)
    ).lines()[0]
    for line in japanese.dropFirst() {
      #expect("雨負風雪夏暑丈体持".contains(line.first!), "\(japanese)")
    }
  }

  @Test(arguments: CardTheme.builtIn.map(\.id))
  func `a short text is on one line, and a line rarely ends with a word of one letter`(
    _ theme: String
  ) throws {
    #expect(try CardDrawing(order("Less is more.", theme: theme)).lines() == [["Less is more."]])
    let words =
      "I went to the woods because I wished to live deliberately, to front only the essential facts "
      + "of life, and see if I could not learn what it had to teach, and not, when I came to die, "
      + "discover that I had not lived. I did not wish to live what was not life; nor did I wish to "
      + "practise resignation, unless it was quite necessary. I wanted to live deep."
    let lines = try CardForm.Size.allCases.flatMap {
      try CardDrawing(order(words, theme: theme, size: $0)).lines()[0]
    }
    #expect(lines.count > 30 && lines.count { $0.hasSuffix(" I") } < 2, "\(lines)")
  }

  @Test func `the lines of verse are kept, without gaps`() throws {
    let verse =
      "Tyger Tyger, burning bright,\nIn the forests of the night;\nWhat immortal hand or eye,"
    for theme in CardTheme.builtIn {
      let lines = try CardDrawing(order(verse, theme: theme.id)).lines()[0]
      #expect(lines == verse.components(separatedBy: "\n"))
      let tops = try Drawing(order(verse, theme: theme.id, mark: .box)).marks(
        theme.theme.looks["yellow"]!.box
      ).map { $0.minY }
      let steps = Set(zip(tops, tops.dropFirst()).map { ($1 - $0).rounded() })
      #expect(tops.count == 3 && steps.count == 1)
    }
  }

  @Test(arguments: CardTheme.builtIn.map(\.id))
  func `the rest of a long line of verse is indented, without gaps`(_ theme: String) throws {
    let verse =
      "I celebrate myself, and sing myself, and what I assume you shall assume, every day\n"
      + "For every atom belonging to me as good belongs to you.\nI loafe and invite my soul."
    let marks = try Drawing(order(verse, title: "", author: "", theme: theme, mark: .box)).marks(
      CardTheme.builtIn.first { $0.id == theme }!.theme.looks["yellow"]!.box)
    let lines = try CardDrawing(order(verse, theme: theme, mark: .box)).lines()[0]
    #expect(marks.count == lines.count && lines.count > 3)
    let starts = verse.split(separator: "\n").map { $0.prefix(3) }
    for (mark, line) in zip(marks, lines) {
      #expect((mark.minX > marks[0].minX + 20) == !starts.contains(line.prefix(3)), "\(lines)")
    }
    let steps = zip(marks, marks.dropFirst()).map { ($1.minY - $0.minY).rounded() }
    #expect(Set(steps).count == 1, "\(steps)")
    // Speeches are paragraphs.
    let speech = "“Where are you going to now?”\n“Home, if I find the way.”\n“Oh.”"
    let tops = try Drawing(order(speech, theme: theme, mark: .box)).marks(
      CardTheme.builtIn.first { $0.id == theme }!.theme.looks["yellow"]!.box
    ).map { $0.minY }
    #expect(tops.count > 2 && tops[tops.count - 1] - tops[tops.count - 2] > steps[0])
  }

  @Test(arguments: CardTheme.builtIn.map(\.id))
  func `consonants of Devanagari are joined without a sign between them`(_ theme: String) throws {
    let svg = try Drawing(order("ङ्ग", title: "", author: "", theme: theme, mark: .bar))
    #expect(svg.glyphs.count == 1)
  }

  @Test func `no blank remains in place of the mark that is above the quote`() throws {
    func start(_ words: String) throws -> Double {
      let glyphs = try Drawing(order(words, title: "", author: "", mark: .sign)).glyphs
      let line = glyphs.map(\.y).max()!
      return try #require(glyphs.filter { $0.y > line - 1 }.map(\.x).min())
    }
    #expect(try abs(start("« Non. »") - start("Non. »")) < 1)
    #expect(try abs(start("«\u{202F}Non.\u{202F}»") - start("Non.")) < 1)
  }

  @Test func `a title that is too long is cut after a word`() throws {
    let title = Array(repeating: "Wörterbuch", count: 20).joined(separator: " ")
    let words = try Drawing(order("Words.", title: title, author: "", source: "", mark: .bar))
    let whole = try Drawing(order("Words.", title: "", author: "", source: "", mark: .bar))
    let letters = words.glyphs.count - whole.glyphs.count
    // Words of ten letters, an ellipsis, and blanks except at the end of the first line.
    #expect((letters + 1) % 11 == 0, "\(letters)")
  }

  @Test(arguments: ["“", "‘", "„", "«", "\"", "「", "『"], CardForm.Mark.allCases)
  func `a mark that begins a line is in the margin`(_ sign: String, _ mark: CardForm.Mark) throws {
    guard mark != .sign else { return }
    let isWide = "「『".contains(sign)
    let letter = isWide ? "国" : "H"
    let text = try Drawing(
      order(letter + "\n" + sign + letter, title: "", author: "", mark: mark, code: []))
    let glyphs = text.glyphs.sorted { ($0.y, $0.x) < ($1.y, $1.x) }
    // With boxes, a sign of the script may be above.
    let lines = glyphs.suffix(3)
    let (above, first, second) = (lines[lines.startIndex], lines.dropFirst().first!, lines.last!)
    switch (mark, isWide) {
    case (.box, _): #expect(abs(first.x - above.x) < 1 && second.x > above.x + 5)
    // The letters of both lines begin at the same edge, or nearly so after a wide mark.
    case (.bar, false):
      // Beside a bar there is less space, and the mark doesn't touch it.
      let bar = text.marks(CardTheme.builtIn[0].theme.looks["yellow"]!.accent)
      #expect(first.x < above.x - 5 && bar.count == 1 && first.x > bar[0].maxX + 8)
    case (_, false):
      #expect(first.x < above.x - 5 && abs(second.x - above.x) < (sign == "«" ? 30 : 1.5))
    case (_, true): #expect(first.x < above.x - 20 && second.x > above.x + 20)
    }
    #expect(isWide || first.x > 20)
  }

  @Test func `a mark that begins a line from right to left is in the right margin`() throws {
    let marks = try Drawing(
      order("שלום עולם\n”שלום עולם”", title: "", author: "", theme: "clean", mark: .underline)
    ).marks(CardTheme.builtIn[2].theme.looks["yellow"]!.accent, mixedWith: "#ffffff")
    try #require(marks.count == 2)
    #expect(marks[1].maxX > marks[0].maxX + 10 && marks[0].maxX < 1080 - 90)
  }

  @Test func `several threads draw cards in more fonts than cairo keeps open`() {
    let letters = [
      "ሰላም", "Բարեւ", "নমস্কার", "ᎣᏏᏲ", "नमस्ते", "გამარჯობა", "નમસ્તે", "ਸਤ ਸ੍ਰੀ", "שלום", "ನಮಸ್ಕಾರ",
      "ជំរាបសួរ", "ສະບາຍດີ", "നമസ്കാരം", "မင်္ဂလာပါ", "ආයුබෝවන්", "வணக்கம்", "నమస్కారం", "สวัสดี", "བཀྲ་ཤིས", "ⵜⵉⴼⵉ",
    ]
    let drawn = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 60) { index in
      let words = letters[index % letters.count] + String(repeating: " word", count: index)
      let order = order(words, theme: index % 2 == 0 ? "paper" : "clean", format: .pdf)
      let count = try? CardDrawing(order).cards().files.count
      drawn.withLock { $0 += count ?? 0 }
    }
    #expect(drawn.withLock { $0 } >= 60)
  }

  @Test func `a long title is limited to two lines`() throws {
    let long = String(repeating: "A title of many words ", count: 30)
    let plain = try CardDrawing(order("Words.", title: "Two lines")).division()
    let crowded = try CardDrawing(order("Words.", title: long, author: long)).division()
    #expect(plain.availableHeight - crowded.availableHeight < 60)
    #expect(try Drawing(order("Words.", title: long, author: long)).height == 1080)
  }

  @Test func `an invalid colour is rejected`() {
    for wrong in ["red", "#12345", "#12345g", "url(http://a.example)"] {
      var order = order("Words.")
      order.theme.looks["yellow"]?.background = wrong
      #expect(throws: CardError("'\(wrong)' is not a colour such as #fbf7ee")) {
        try CardDrawing(order).cards()
      }
      order.theme.looks = [:]
      #expect(throws: CardError.self) { try CardDrawing(order).cards() }
    }
  }

  @Test func `an SVG contains no scripts, links or file names`() throws {
    let svg = try #require(
      String(
        bytes: CardDrawing(order("</svg><script>x()</script> & <a href='javascript:x'>"))
          .cards().files[0], encoding: .utf8))
    #expect(!svg.contains("script") && !svg.contains("href=\"http") && !svg.contains("a.md"))
  }
}

/// The content of a drawing that cairo wrote.
private final class Drawing: NSObject, XMLParserDelegate {
  private(set) var width = 0.0
  private(set) var height = 0.0
  private var paths: [(fill: String, data: String)] = []
  /// The colours of lines that are not filled.
  private var lines: [String] = []
  /// The letters in the order of drawing, with the names of their shapes and their positions.
  private(set) var glyphs: [(name: String, x: Double, y: Double)] = []
  /// The outlines of the letters.
  private(set) var shapes: [String] = []
  private var isInGlyph = false

  convenience init(_ order: CardOrder) throws {
    try self.init(try CardDrawing(order).cards().files[0])
  }

  init(_ bytes: [UInt8]) throws {
    super.init()
    let parser = XMLParser(data: Data(bytes))
    parser.delegate = self
    #expect(parser.parse())
  }

  func parser(
    _: XMLParser, didStartElement name: String, namespaceURI _: String?, qualifiedName _: String?,
    attributes: [String: String] = [:]
  ) {
    if name == "svg" {
      func number(_ key: String) -> Double {
        Double((attributes[key] ?? "").prefix { $0.isNumber || $0 == "." }) ?? 0
      }
      (width, height) = (number("width"), number("height"))
    }
    if attributes["id"]?.hasPrefix("glyph") == true { isInGlyph = true }
    if name == "use", let glyph = attributes["xlink:href"], glyph.hasPrefix("#glyph") {
      func number(_ key: String) -> Double { attributes[key].flatMap(Double.init) ?? 0 }
      glyphs.append((glyph, number("x"), number("y")))
    }
    if name == "path", let data = attributes["d"] {
      if isInGlyph { return shapes.append(data) }
      paths.append((attributes["fill"] ?? attributes["style"] ?? "", data))
      let style = attributes["style"].flatMap {
        $0.split(separator: "stroke:").last.map(String.init)
      }
      if let color = attributes["stroke"] ?? style, color.hasPrefix("rgb") { lines.append(color) }
    }
  }

  func parser(
    _: XMLParser, didEndElement name: String, namespaceURI _: String?, qualifiedName _: String?
  ) {
    if name == "g" { isInGlyph = false }
  }

  private static func parts(_ color: String) -> [Double] {
    let value = Int(color.dropFirst(), radix: 16)!
    return [16, 8, 0].map { Double(value >> $0 & 0xFF) / 255 * 100 }
  }

  private static func isColor(_ text: String, _ wanted: [Double]) -> Bool {
    let numbers = text.matches(of: /(\d+(\.\d+)?)%/).map { Double($0.1)! }
    return numbers.count >= 3 && zip(numbers, wanted).allSatisfy { abs($0 - $1) < 0.5 }
  }

  /// Returns the number of lines that are drawn in a colour.
  func strokes(_ color: String) -> Int {
    lines.count { Self.isColor($0, Self.parts(color)) }
  }

  enum Direction { case left, right }

  /// Returns the direction to which an outline of two equal angles, such as « or », points; nil
  /// for other outlines.
  static func direction(_ outline: String) -> Direction? {
    let angles = outline.split(separator: "Z").map { part in
      let numbers = part.matches(of: /-?\d+(\.\d+)?/).map { Double($0.0)! }
      return stride(from: 0, to: numbers.count - 1, by: 2).map {
        CGPoint(x: numbers[$0], y: numbers[$0 + 1])
      }
    }.filter { $0.count > 4 }
    guard angles.count == 2, angles[0].count == angles[1].count else { return nil }
    let directions = angles.compactMap { points -> Direction? in
      let (top, bottom) = (points.map(\.y).min()!, points.map(\.y).max()!)
      func isInMiddle(_ point: CGPoint) -> Bool {
        abs(point.y - (top + bottom) / 2) < (bottom - top) / 6
      }
      let left = isInMiddle(points.min { $0.x < $1.x }!)
      let right = isInMiddle(points.max { $0.x < $1.x }!)
      return left == right ? nil : left ? .left : .right
    }
    return directions.count == 2 && directions[0] == directions[1] ? directions[0] : nil
  }

  /// Returns the rectangles of a colour, from top to bottom.
  ///
  /// - Parameters:
  ///   - other: a colour with which the colour is mixed; nil for none.
  ///   - share: the share of that colour.
  func marks(
    _ color: String, mixedWith other: String? = nil, share: Double = 0.5
  ) -> [CGRect] {
    let wanted = zip(Self.parts(color), Self.parts(other ?? color)).map {
      $0 * (1 - share) + $1 * share
    }
    var found: [CGRect] = []
    for (fill, data) in paths {
      guard Self.isColor(fill, wanted) else { continue }
      for part in data.split(separator: "M") {
        let values = part.matches(of: /-?\d+(\.\d+)?/).map { Double($0.0)! }
        let xs = stride(from: 0, to: values.count - 1, by: 2).map { values[$0] }
        let ys = stride(from: 1, to: values.count, by: 2).map { values[$0] }
        // A path ends with its first point, as a separate element.
        guard let x = xs.min(), let y = ys.min(), values.count > 2 else { continue }
        found.append(CGRect(x: x, y: y, width: xs.max()! - x, height: ys.max()! - y))
      }
    }
    return found.sorted { $0.minY < $1.minY }
  }
}
