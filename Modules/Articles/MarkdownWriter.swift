import MarkdownParse

/// Writes blocks as Markdown that shows their text, in every dialect with tables: what it writes is
/// parsed again, and what does not show its text is written with more care.
package struct MarkdownWriter {
  private var lines: [String] = []

  private init() {}

  /// The Markdown of an article, with a line feed at its end; empty for none.
  ///
  /// - Parameter notes: the blocks of each footnote, in the order of their numbers.
  package static func write(_ blocks: [Block], notes: [[Block]] = []) -> String {
    var writer = MarkdownWriter()
    writer.write(blocks)
    for (index, note) in notes.enumerated() {
      var inner = MarkdownWriter()
      inner.write(note.isEmpty ? [.paragraph([.text("–")])] : note)
      if !writer.lines.isEmpty { writer.lines.append("") }
      writer.add(inner.lines, first: "[^\(index + 1)]: ", next: "    ")
    }
    return writer.lines.isEmpty ? "" : writer.lines.joined(separator: "\n") + "\n"
  }

  /// The text that a document shows, and an article's, without blanks and with plain letters for raised
  /// ones: what must be equal.
  package static func comparable(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars where !scalar.properties.isWhitespace {
      result.append(ScriptLetters.plain(of: scalar) ?? scalar)
    }
    return String(result)
  }

  private mutating func write(_ blocks: [Block]) {
    var before: Block?
    for block in blocks {
      if before != nil { lines.append("") }
      // Two lists would be one.
      let isOther = before?.isList == true && block.isList
      write(block, asOtherList: isOther && !usesOtherMark)
      usesOtherMark = isOther && !usesOtherMark
      before = block
    }
  }

  /// Whether the list before has the second kind of mark.
  private var usesOtherMark = false

  private mutating func write(_ block: Block, asOtherList: Bool) {
    switch block {
    case .paragraph(let line): lines += Self.leaf(line, in: .paragraph).lines
    case .heading(let level, let line):
      lines.append(String(repeating: "#", count: level) + " " + Self.leaf(line, in: .heading))
    case .rule: lines.append("---")
    case .quote(let blocks):
      var inner = MarkdownWriter()
      inner.write(blocks)
      add(inner.lines, first: "> ", next: "> ")
    case .list(let start, let items): writeList(start, items, asOtherList)
    case .code(let text, let language):
      let longest = text.split { $0 != "`" }.map(\.count).max() ?? 0
      let fence = String(repeating: "`", count: max(3, longest + 1))
      lines.append(fence + language)
      lines += text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
      lines.append(fence)
    case .math(let tex):
      lines += ["$$", tex, "$$"]
    case .table(let rows, let alignments): writeTable(rows, alignments)
    }
  }

  private mutating func writeList(_ start: Int?, _ items: [[Block]], _ asOtherList: Bool) {
    // Lists whose items are one line each, with lists in them, have no blank lines between.
    let isTight = items.allSatisfy { item in
      item.dropFirst().allSatisfy(\.isList) && (item.first?.isLine ?? true)
    }
    for (index, item) in items.enumerated() {
      if index > 0, !isTight { lines.append("") }
      let mark: String
      if let start {
        mark = "\(start + index)" + (asOtherList ? ") " : ". ")
      } else {
        mark = asOtherList ? "* " : "- "
      }
      var inner = MarkdownWriter()
      inner.write(item)
      let written = isTight ? inner.lines.filter { !$0.isEmpty } : inner.lines
      add(written, first: mark, next: String(repeating: " ", count: mark.utf8.count))
    }
  }

  private mutating func writeTable(_ rows: [[[Inline]]], _ alignments: [Block.Alignment]) {
    guard let head = rows.first else { return }
    func row(_ cells: [[Inline]]) -> String {
      "| " + cells.map { Self.leaf($0, in: .cell) }.joined(separator: " | ") + " |"
    }
    lines.append(row(head))
    let marks = head.indices.map { index -> String in
      switch index < alignments.count ? alignments[index] : .none {
      case .none: "---"
      case .left: ":--"
      case .center: ":-:"
      case .right: "--:"
      }
    }
    lines.append("| " + marks.joined(separator: " | ") + " |")
    lines += rows.dropFirst().map(row)
  }

  /// Adds lines behind marks; an empty line has the marks without the blank at their end.
  private mutating func add(_ inner: [String], first: String, next: String) {
    for (index, line) in inner.enumerated() {
      let mark = index == 0 ? first : next
      if line.isEmpty {
        lines.append(String(mark.reversed().drop { $0 == " " }.reversed()))
      } else {
        lines.append(mark + line)
      }
    }
    if inner.isEmpty { lines.append(String(first.reversed().drop { $0 == " " }.reversed())) }
  }

  // MARK: - Lines that show their text

  private static func leaf(_ line: [Inline], in place: InlineWriter.Place) -> String {
    let wanted = comparable(line.plain)
    var text = ""
    for care in InlineWriter.Care.allCases {
      text = InlineWriter.write(line, in: place, care)
      // What no mark of any dialect is in shows itself.
      if care == .usual, place != .cell, text.utf8.allSatisfy(\.isHarmless),
        !text.hasPrefix("import "), !text.hasPrefix("export ")
      {
        return text
      }
      if shows(text, wanted, of: line, in: place) { return text }
    }
    return text
  }

  private static let dialects = MarkdownDialect.allCases.filter { $0 != .commonmark }

  /// Whether a line shows a text in all dialects.
  private static func shows(
    _ markdown: String, _ wanted: String, of line: [Inline], in place: InlineWriter.Place
  ) -> Bool {
    let source: String =
      switch place {
      case .paragraph: markdown
      case .heading: "# " + markdown
      case .cell: "| a |\n|---|\n| \(markdown) |"
      }
    return dialects.allSatisfy { dialect in
      let document = ParsedDocument(
        parsing: MarkdownSource(Array(source.utf8)), options: dialect.options)
      var shown = comparable(document.text.string)
      if place == .cell, shown.first == "a" { shown.removeFirst() }
      return shown == wanted || isEqual(shown, wanted, in: line)
    }
  }

  /// Whether a shown text is the wanted one but for what stands for pictures without words and for signs
  /// of notes.
  private static func isEqual(_ shown: String, _ wanted: String, in line: [Inline]) -> Bool {
    guard line.hasUnspoken else { return false }
    // The wanted text is what is left when something is left out.
    var rest = wanted.unicodeScalars[...]
    for scalar in shown.unicodeScalars where scalar == rest.first { rest.removeFirst() }
    return rest.isEmpty
  }
}

extension Block {
  fileprivate var isList: Bool { if case .list = self { true } else { false } }

  /// Whether it is one line, or a list of such.
  fileprivate var isLine: Bool {
    switch self {
    case .paragraph: true
    case .list(_, let items):
      items.allSatisfy { $0.dropFirst().allSatisfy(\.isList) && ($0.first?.isLine ?? true) }
    default: false
    }
  }
}

extension [Inline] {
  /// Whether it has what is shown otherwise than by its words.
  fileprivate var hasUnspoken: Bool {
    contains { part in
      switch part {
      case .note, .image: true
      case .style(let style, let inner): style == .raised || style == .lowered || inner.hasUnspoken
      case .link(let inner, _): inner.hasUnspoken
      default: false
      }
    }
  }
}

extension String {
  fileprivate var lines: [String] {
    split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
  }
}

extension UInt8 {
  /// Whether it has a meaning in no dialect, wherever it stands.
  fileprivate var isHarmless: Bool {
    self >= 0x80 || self == 0x20 || self == UInt8(ascii: ",")
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
  }
}
