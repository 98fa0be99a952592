import MarkdownParse
import Model
import RichMarkdown
import RichText
import RichTextChecks
import TestSupport

/// Checks conversions independently of their offsets: the letters of two texts are compared one by
/// one, and each must have the same format.
enum RichMarkdownChecks {
  struct Broken: Error, CustomStringConvertible {
    var description: String
  }

  /// Returns whether a unit must survive a conversion. White space, control characters and U+FEFF
  /// may be removed or inserted.
  static func isLetter(_ unit: UInt16) -> Bool {
    switch unit {
    case 0...0x20, 0x7F...0x9F, 0x2028, 0x2029, 0xFEFF: false
    default: true
    }
  }

  /// A letter with its effective format.
  struct Letter: Equatable {
    var unit: UInt16
    var format: FormatDefaults
  }

  /// Returns the letters of a text. Lists are compared only by which items share one.
  static func letters(_ text: AttributedText, _ context: FormatContext = FormatContext())
    -> [Letter]
  {
    var numbers: [Int: Int] = [:]
    return text.units.indices.filter { isLetter(text.units[$0]) }.map { offset in
      var format = text.resolved(at: offset, context)
      // Attributes with the value `off` are removed, because they are off by default.
      let off = format.characters.values.filter { $0.off == $0 }.map(\.kind)
      format.characters = format.characters.removing(off)
      if case .list(var item)? = format.paragraphs[.list] {
        let number = numbers[item.list] ?? numbers.count + 1
        numbers[item.list] = number
        item.list = number
        format.paragraphs.set(.list(item))
      }
      return Letter(unit: text.units[offset], format: format)
    }
  }

  static func compare(_ found: [Letter], _ wanted: [Letter], _ what: String, isLinkLost: Bool)
    throws(Broken)
  {
    let texts = (found.map(\.unit), wanted.map(\.unit))
    guard texts.0 == texts.1 else {
      throw Broken(
        description:
          "\(what): \(String(decoding: texts.0, as: UTF16.self).debugDescription) for \(String(decoding: texts.1, as: UTF16.self).debugDescription)"
      )
    }
    for (index, (a, b)) in zip(found, wanted).enumerated() {
      var (a, b) = (a, b)
      if isLinkLost, b.format.characters[.link] == nil {
        a.format.characters = a.format.characters.removing([.link])
        b.format.characters = b.format.characters.removing([.link])
      }
      guard a != b else { continue }
      throw Broken(
        description: "\(what): letter \(index), \(String(decoding: [a.unit], as: UTF16.self)): "
          + "\(a.format.characters.values) \(a.format.paragraphs.values) for "
          + "\(b.format.characters.values) \(b.format.paragraphs.values)")
    }
  }

  /// Checks the conversion of a text.
  static func check(
    _ text: AttributedText, _ options: MarkdownConversion.Options = MarkdownConversion.Options()
  ) throws(Broken) {
    let conversion = MarkdownConversion(text, options)
    func fail(_ what: String) -> Broken {
      Broken(
        description:
          "\(what)\nmarkdown: \(conversion.markdown.debugDescription)\ntext: \(text.string.debugDescription)"
      )
    }
    if conversion.losses.contains(where: { $0.kind == .text || $0.kind == .attributes }) {
      throw fail("losses: \(conversion.losses)")
    }
    let problem =
      conversion.layer.characters.violatedInvariant ?? conversion.layer.paragraphs.violatedInvariant
    if let problem { throw fail(problem) }
    let isLinkLost = conversion.losses.contains { $0.kind == .addresses }
    do {
      let exported = try roundTrip(conversion, isLinkLost)
      try compare(
        letters(exported), letters(text), "exported again", isLinkLost: isLinkLost)
    } catch {
      throw fail(error.description)
    }
  }

  /// Checks that converting a document and its layer for a word processor keeps the text and its
  /// format, and that converting the result back does too.
  static func check(_ document: ParsedDocument, _ layer: FormatLayer) throws(Broken) {
    let rich = RichDocument(document, layer: layer)
    let problem = rich.text.characters.violatedInvariant ?? rich.text.paragraphs.violatedInvariant
    if let problem { throw Broken(description: problem) }
    for note in rich.notes where rich.text.units[note.offset] != 0xFFFC {
      throw Broken(description: "no mark at \(note.offset)")
    }
    let semantics = FormatContext(semantics: FormatLayer(semanticsOf: document))
    if rich.notes.isEmpty {
      let shown = AttributedText(units: document.text.utf16, layer: layer)
      let items = letters(rich.text).map { letter in
        var letter = letter
        letter.format.paragraphs = letter.format.paragraphs.removing([.list])
        return letter
      }
      let wanted = letters(shown, semantics).map { letter in
        var letter = letter
        letter.format.paragraphs = letter.format.paragraphs.removing([.list])
        return letter
      }
      try compare(items, wanted, "as a text", isLinkLost: false)
    }
    let conversion = MarkdownConversion(rich)
    let lost = conversion.losses.filter { $0.kind == .text || $0.kind == .attributes }
    if !lost.isEmpty {
      throw Broken(description: "\(lost)\n\(conversion.markdown.debugDescription)")
    }
    let isLinkLost = conversion.losses.contains { $0.kind == .addresses }
    let found = conversion.document.text.utf16.filter(isLetter)
    let wanted = document.text.utf16.filter(isLetter)
    guard found == wanted else {
      throw Broken(
        description: "converted: \(String(decoding: found, as: UTF16.self).debugDescription) for "
          + "\(String(decoding: wanted, as: UTF16.self).debugDescription)\n"
          + conversion.markdown.debugDescription)
    }
    let again = RichDocument(
      conversion.document, layer: conversion.layer, styles: conversion.styles,
      defaults: conversion.defaults)
    do {
      try compare(
        letters(again.text), letters(rich.text), "a text again", isLinkLost: isLinkLost)
      guard again.notes.count == rich.notes.count else {
        throw Broken(description: "\(again.notes.count) notes for \(rich.notes.count)")
      }
      for (note, before) in zip(again.notes, rich.notes) {
        try compare(
          letters(note.text), letters(before.text), "a note again", isLinkLost: isLinkLost)
      }
    } catch {
      throw Broken(description: "\(error)\n\(conversion.markdown.debugDescription)")
    }
  }

  /// Converts the document and layer of a conversion to rich text and returns that text. Checks
  /// that converting the rich text once more gives the same.
  static func roundTrip(_ conversion: MarkdownConversion, _ isLinkLost: Bool) throws(Broken)
    -> AttributedText
  {
    let document = RichDocument(
      conversion.document, layer: conversion.layer, styles: conversion.styles,
      defaults: conversion.defaults)
    let again = MarkdownConversion(document)
    if again.document.text.utf16 != conversion.document.text.utf16 {
      throw Broken(
        description: "converted again: \(again.document.text.string.debugDescription) for "
          + "\(conversion.document.text.string.debugDescription)")
    }
    let exported = RichDocument(
      again.document, layer: again.layer, styles: again.styles, defaults: again.defaults)
    try compare(
      letters(exported.text), letters(document.text), "converted again", isLinkLost: isLinkLost)
    return document.text
  }

  // MARK: - Texts

  private static let pieces = [
    "word", "a", " ", " ", "  ", "\n", "\n", "\n\n", "\t", "\u{2028}", "\u{2028}\u{2028}", "*",
    "**",
    "_", "__", "`", "``", "[", "]", "](x)", "<", ">", "<b>", "&", "&amp;", "\\", "#", "# ", "## ",
    "1. ", "1) ", "- ", "+ ", "> ", "===", "---", "***", "~~", "~", "==", "|", "||", "$", "$$", ":",
    "::", ":tada:", "!", "![", "[^1]", "[^1]: ", "[x]: y", "{", "}", "{#id}", "{%", "%%", "^", "@",
    "中文。", "“中”", "，", "عربي ", "שלום", "👩‍👩‍👧", "𝒳", "é", "e\u{301}", "\u{A0}", "\u{FEFF}", "\u{1}",
    "\u{FFFC}", "\u{AD}", "\u{200B}", "(", ")", ".", ",", "'", "\"", "…", "—", "0", "12", "=", "+",
    "-",
    "```", "~~~", "\u{85}", "\u{B}", "https://a.example/x_y_", "www.a.example", "me@a.example",
    "import a", "export b", "\u{3000}", "\u{2003}", "<!-- ", "</p>", "<?", "TOC", "[TOC]",
    "| - |", ":-", "\r\n", "\r", "\u{2029}",
  ]

  private static let links = [
    "https://example.org/a", "https://e.org/(x)?a=1&b=2;", "#part", "a b<c>\\d", "../x_y_*z*|`",
    "mailto:me@a.example", "ü/ö", "[a]", "x y",
  ]

  static func words(_ random: inout SeededGenerator, _ count: Int) -> String {
    (0..<count).map { _ in pieces.randomElement(using: &random)! }.joined()
  }

  /// Returns a random text with special characters and with formats that Markdown has or lacks.
  static func text(_ random: inout SeededGenerator) throws -> AttributedText {
    var text = AttributedText(words(&random, Int.random(in: 0...40, using: &random)))
    let count = text.units.count
    for _ in 0..<Int.random(in: 0...8, using: &random) {
      let start = text.boundary(Int.random(in: 0...count, using: &random))
      let end = text.boundary(min(count, start + Int.random(in: 0...12, using: &random)))
      let attribute: CharacterAttribute =
        switch Int.random(in: 0..<9, using: &random) {
        case 0, 1: .bold(true)
        case 2, 3: .italic(true)
        case 4: .strikethrough(.single)
        case 5: .family(["Menlo", "Courier New", "Palatino"].randomElement(using: &random)!)
        case 6: .link(links.randomElement(using: &random)!)
        case 7: .background(.rgb(0xFFF36D))
        default: RandomFormat.character(&random)
        }
      try text.change(start..<end, [.set(attribute)], limits: .files)
    }
    for _ in 0..<Int.random(in: 0...4, using: &random) {
      let start = Int.random(in: 0...count, using: &random)
      let end = min(count, start + Int.random(in: 0...30, using: &random))
      let attribute: ParagraphAttribute =
        switch Int.random(in: 0..<5, using: &random) {
        case 0, 1:
          .style(
            [.heading(1), .heading(3), .blockQuote, .code, .body, StyleID("heading-5")]
              .randomElement(using: &random)!)
        case 2, 3:
          .list(
            ListItem(
              list: Int.random(in: 1...3, using: &random),
              level: [0, 0, 1, 1, 2, 3, 8].randomElement(using: &random)!,
              marker: [.bullet, .bullet, .decimal, .lowerRoman].randomElement(using: &random)!))
        default: RandomFormat.paragraph(&random)
        }
      try text.changeParagraphs(start..<end, [.set(attribute)], limits: .files)
    }
    if Int.random(in: 0..<3, using: &random) == 0 {
      text.defaults = FormatDefaults(characters: [.family("Courier")], paragraphs: [])
    }
    return text
  }
}

extension RichMarkdownChecks {
  /// Returns a random Markdown document with blocks of all kinds. Footnotes are numbered in order,
  /// and defined at the end.
  static func markdown(_ random: inout SeededGenerator) -> String {
    let spans = [
      "word", "two words", "**bold**", "*it*", "***both***", "~~gone~~", "`code`", "[a *b*](c.md)",
      "==mark==", "a**b**c", "<b>tag</b>", "x\\\ny", "中文", "**中文**", "\\*", "&amp;",
      "<https://a.b>",
      "https://c.d/e", "😀", "`a  b`", "[**x** y](<a b>)", "**a *b* c**", "H~2~O", "$x^2$",
      "![pic](a/b.png)",
      "![](c.jpg)", "line\nline", "עברית", ":tada:",
    ]
    var notes = 0
    func line() -> String {
      var parts = (0..<Int.random(in: 1...5, using: &random)).map { _ in
        spans.randomElement(using: &random)!
      }
      if Int.random(in: 0..<6, using: &random) == 0 {
        notes += 1
        parts.append(" [^\(notes)] ")
      }
      return parts.joined(separator: Bool.random(using: &random) ? " " : "")
    }
    func plain() -> String { line().replacing("\\\n", with: " ").replacing("\n", with: " ") }
    func indented(_ text: String, _ first: String, _ next: String) -> String {
      text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map {
        $0.offset == 0 ? first + $0.element : next + $0.element
      }.joined(separator: "\n")
    }
    func block(_ depth: Int) -> String {
      switch Int.random(in: 0..<(depth > 2 ? 4 : 9), using: &random) {
      case 0, 1: return line()
      case 2:
        return String(repeating: "#", count: Int.random(in: 1...6, using: &random)) + " " + plain()
      case 3: return "```swift\nlet a = 1\n\n  b*c*\n```"
      case 4:
        return (0..<Int.random(in: 1...3, using: &random)).map { _ in
          indented(line(), "- ", "  ")
        }.joined(separator: Bool.random(using: &random) ? "\n" : "\n\n")
      case 5:
        return (1...Int.random(in: 1...3, using: &random)).map { number in
          indented(
            line() + "\n" + (Bool.random(using: &random) ? "" : "\n") + block(depth + 2),
            "\(number). ", "   ")
        }.joined(separator: "\n")
      case 6: return indented(block(depth + 1), "> ", "> ")
      case 7:
        let columns = Int.random(in: 1...3, using: &random)
        func row() -> String {
          "| "
            + (0..<columns).map { _ in
              Int.random(in: 0..<4, using: &random) == 0 ? "" : plain()
            }.joined(separator: " | ") + " |"
        }
        return row() + "\n|" + String(repeating: " --- |", count: columns) + "\n" + row() + "\n"
          + row()
      default: return "---"
      }
    }
    var blocks = (0..<Int.random(in: 0...6, using: &random)).map { _ in block(0) }
    for number in 0..<notes {
      blocks.append("[^\(number + 1)]: **Note** \(number)\n\n    - with a list")
    }
    // A leading thematic break could be front matter.
    return "start\n\n" + blocks.joined(separator: "\n\n") + "\n"
  }

  /// Returns a random layer of a text.
  static func layer(_ text: [UInt16], _ random: inout SeededGenerator) throws -> FormatLayer {
    var attributed = AttributedText(units: text)
    for _ in 0..<Int.random(in: 0...6, using: &random) {
      let start = attributed.boundary(Int.random(in: 0...text.count, using: &random))
      let end = attributed.boundary(min(text.count, start + Int.random(in: 0...20, using: &random)))
      let change = RandomFormat.character(&random)
      try attributed.change(start..<end, [.set(change)], limits: .files)
      if Int.random(in: 0..<3, using: &random) == 0 {
        try attributed.changeParagraphs(
          start..<end, [.set(RandomFormat.paragraph(&random))], limits: .files)
      }
    }
    return attributed.layer
  }
}

extension AttributedText {
  /// Returns the offset, or the previous one if it is within a surrogate pair.
  fileprivate func boundary(_ offset: Int) -> Int {
    let isInside = offset > 0 && offset < units.count && units[offset] & 0xFC00 == 0xDC00
    return isInside ? offset - 1 : offset
  }
}
