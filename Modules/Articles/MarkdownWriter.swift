import MarkdownParse

/// Writes blocks as Markdown that shows the intended text in every dialect with tables.
///
/// ```swift
/// MarkdownWriter.write([.heading(level: 1, [.text("Walden")]), .paragraph([.text("It is late.")])])
/// // "# Walden\n\nIt is late.\n"
/// ```
///
/// Text that could be markup is parsed again in each dialect. If it does not show the intended
/// text, it is written with more escapes.
package struct MarkdownWriter {
  private var lines: [String] = []

  private init() {}

  /// Returns the Markdown of an article, with a line feed at its end; empty if there are no blocks.
  ///
  /// - Parameter notes: the blocks of each footnote, in the order of their numbers from 1.
  package static func write(_ blocks: [ArticleBlock], notes: [[ArticleBlock]] = []) -> String {
    var writer = MarkdownWriter()
    writer.write(blocks)
    for (index, note) in notes.enumerated() {
      var inner = MarkdownWriter()
      inner.write(note.isEmpty ? [.paragraph([.text("–")])] : note)
      if !writer.lines.isEmpty { writer.lines.append("") }
      writer.add(inner.lines, first: "[^\(index + 1)]: ", next: "    ")
    }
    var result = ""
    result.reserveCapacity(writer.lines.reduce(0) { $0 + $1.utf8.count + 1 })
    for line in writer.lines {
      result += line
      result += "\n"
    }
    return result
  }

  /// Returns a text without white space and with plain letters instead of superscripts. Two texts
  /// show the same content if these forms are equal.
  package static func comparable(_ text: String) -> String {
    var result: [UInt8] = []
    result.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      // Most letters are ASCII. Look up no properties for these, because that is slow.
      if scalar.value < 0x80 {
        if scalar.value > 0x20 || !(9...13).contains(scalar.value) && scalar != " " {
          result.append(UInt8(scalar.value))
        }
      } else if !scalar.properties.isWhitespace {
        result += String(ScriptLetters.plain(of: scalar) ?? scalar).utf8
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private mutating func write(_ blocks: [ArticleBlock]) {
    var before: ArticleBlock?
    for block in blocks {
      if before != nil { lines.append("") }
      // Adjacent lists with the same marker would be parsed as one list.
      let isOther = before?.isList == true && block.isList
      write(block, asOtherList: isOther && !usesOtherMark)
      usesOtherMark = isOther && !usesOtherMark
      before = block
    }
  }

  /// Whether the previous list has the alternative marker.
  private var usesOtherMark = false

  private mutating func write(_ block: ArticleBlock, asOtherList: Bool) {
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

  private mutating func writeList(_ start: Int?, _ items: [[ArticleBlock]], _ asOtherList: Bool) {
    // Lists whose items are single lines, apart from nested lists, have no blank lines between
    // items.
    let isTight = items.allSatisfy(\.isTight)
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

  private mutating func writeTable(
    _ rows: [[[ArticleInline]]], _ alignments: [ArticleBlock.Alignment]
  ) {
    guard let head = rows.first else { return }
    func row(_ cells: [[ArticleInline]]) -> String {
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

  /// Adds lines with prefixes. An empty line has the prefix without blanks at its end.
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

  // MARK: - Escaping

  /// The length in bytes of the longest leaf that is parsed in every dialect. A leaf is the text of
  /// a paragraph, a heading or a cell.
  private static let checkedLength = 1 << 20
  /// The maximum number of escapes in a leaf that is parsed. Each takes about 140 bytes of memory.
  private static let mostEscapes = 2 << 20

  /// Returns the Markdown of a leaf: the first way to write it that shows its text.
  ///
  /// A leaf of more than ``checkedLength`` bytes is written with all punctuation escaped, which no
  /// dialect reads as markup, and parsed once. Otherwise a page with a single link of 18 MB would
  /// be parsed up to 40 times. A leaf with more escapes than ``mostEscapes`` is written as text
  /// only, which needs no check.
  private static func leaf(_ line: [ArticleInline], in place: InlineWriter.Place) -> String {
    let plain = line.plain
    lazy var wanted = comparable(plain)
    lazy var targets = line.targets
    var text = ""
    // The comparable form is never longer.
    if plain.utf8.count > checkedLength, wanted.utf8.count > checkedLength {
      text = InlineWriter.write(line, in: place, .all)
      let isRight =
        text.utf8.count { $0 == UInt8(ascii: "\\") } <= mostEscapes
        && shows(text, wanted, [], of: line, in: place, dialects.prefix(1))
      return isRight ? text : InlineWriter.write(line, in: place, .reference)
    }
    for care in InlineWriter.Care.allCases {
      text = InlineWriter.write(line, in: place, care)
      // Text without any character that is markup in some dialect need not be parsed.
      if care == .least, place != .cell, text.utf8.allSatisfy(\.isHarmless),
        !text.hasPrefix("import "), !text.hasPrefix("export ")
      {
        return text
      }
      let links = care.rawValue < InlineWriter.Care.usual.rawValue ? targets : []
      if shows(text, wanted, links, of: line, in: place) { return text }
    }
    return text
  }

  private static let dialects = MarkdownDialect.allCases.filter { $0 != .commonmark }

  /// Returns whether the Markdown shows the intended text in each of the dialects, and has the
  /// links.
  private static func shows(
    _ markdown: String, _ wanted: String, _ links: [String], of line: [ArticleInline],
    in place: InlineWriter.Place, _ dialects: ArraySlice<MarkdownDialect> = dialects[...]
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
      return (shown == wanted || isEqual(shown, wanted, in: line)) && has(links, document)
    }
  }

  /// Returns whether a document has links in any order, perhaps with others, which are addresses in
  /// the text.
  private static func has(_ links: [String], _ document: ParsedDocument) -> Bool {
    guard !links.isEmpty else { return true }
    var missing: [String: Int] = [:]
    for link in links { missing[link, default: 0] += 1 }
    for link in document.links {
      guard let count = missing[link.destination] else { continue }
      missing[link.destination] = count > 1 ? count - 1 : nil
    }
    return missing.isEmpty
  }

  /// Returns whether the shown text is the intended one, apart from characters that represent
  /// pictures without alternative text and footnote references.
  private static func isEqual(_ shown: String, _ wanted: String, in line: [ArticleInline]) -> Bool {
    guard line.hasUnspoken else { return false }
    // The intended text must remain when the additional characters are removed.
    var rest = wanted.unicodeScalars[...]
    for scalar in shown.unicodeScalars where scalar == rest.first { rest.removeFirst() }
    return rest.isEmpty
  }
}

extension ArticleBlock {
  fileprivate var isList: Bool { if case .list = self { true } else { false } }

  /// Whether the block is a single line, or a list of such blocks.
  fileprivate var isLine: Bool {
    switch self {
    case .paragraph: true
    case .list(_, let items): items.allSatisfy(\.isTight)
    default: false
    }
  }
}

extension [ArticleBlock] {
  /// Whether an item is a line, apart from nested lists of such items.
  fileprivate var isTight: Bool {
    (first?.isLine ?? true) && dropFirst().allSatisfy { $0.isList && $0.isLine }
  }
}

extension [ArticleInline] {
  /// The addresses of the links and pictures, as they are written.
  fileprivate var targets: [String] {
    flatMap { part in
      switch part {
      case .image(_, let address): [WebAddress.encoded(address)]
      case .link(let inner, let address): [WebAddress.encoded(address)] + inner.targets
      case .style(_, let inner): inner.targets
      default: [String]()
      }
    }
  }

  /// Whether the text shown for a part differs from the part's own text, as for images, notes and
  /// superscripts.
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
    utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
      String(Substring($0))
    }
  }
}

extension UInt8 {
  /// Whether the byte is not markup in any dialect at any position.
  fileprivate var isHarmless: Bool {
    self >= 0x80 || self == 0x20 || self == UInt8(ascii: ",")
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
  }
}
