import MarkdownParse
import Model
import RichText

/// Writes the blocks of a plan as Markdown and parses the result.
struct BlockMarkdown {
  /// The minimum level of escaping in all leaves.
  enum Care { case usual, escaped, references }

  /// The written document, and the text that it should render.
  struct Written {
    var markdown: String
    var document: ParsedDocument
    var expected: ExpectedText
    var isAsExpected: Bool { document.text.utf16 == expected.units }
  }

  private let plan: ConversionPlan
  private let options: MarkdownConversion.Options
  private var care = InlineMarkdown.Care.meaning
  private var lines: [String] = []
  private var expected = ExpectedText()
  private var lists = OpenLists()

  init(_ plan: ConversionPlan, _ options: MarkdownConversion.Options) {
    (self.plan, self.options) = (plan, options)
  }

  /// Writes the whole plan.
  func write(_ care: Care) -> Written {
    var writer = self
    writer.care =
      switch care {
      case .usual: .meaning
      case .escaped: .all
      case .references: .references
      }
    writer.write(plan.blocks)
    for (index, note) in plan.notes.enumerated() {
      var inner = writer
      (inner.lines, inner.lists) = ([], OpenLists())
      writer.expected = ExpectedText()
      inner.write(note)
      writer.expected = inner.expected
      if !writer.lines.isEmpty { writer.lines.append("") }
      writer.add(inner.lines, first: "[^\(index + 1)]: ", next: "    ")
    }
    let body = writer.lines.isEmpty ? "" : writer.lines.joined(separator: "\n") + "\n"
    let markdown = options.frontMatter + body
    return Written(
      markdown: markdown,
      document: ParsedDocument(parsing: MarkdownSource(markdown), options: options.dialect),
      expected: writer.expected)
  }

  private mutating func write(_ blocks: [ConversionPlan.Block]) {
    var before: ConversionPlan.Block?
    for block in blocks {
      let item = block.item.map { lists.next($0, isQuote: block.isQuote) }
      if item == nil { lists.closeAll() }
      if let before {
        // The items of a list are on consecutive lines.
        let isTight = item?.isTight == true && before.item != nil
        if !isTight { lines.append(before.isQuote && block.isQuote ? ">" : "") }
      }
      var inner = self
      inner.lines = []
      // Only `inner` keeps the text while it appends to it. A second reference would copy the text
      // for each block.
      expected = ExpectedText()
      inner.write(block.content)
      expected = inner.expected
      let quote = block.isQuote ? "> " : ""
      if let item {
        add(
          inner.lines, first: quote + item.indent + item.mark,
          next: quote + item.indent + String(repeating: " ", count: item.mark.utf8.count))
      } else {
        add(inner.lines, first: quote, next: quote)
      }
      before = block
    }
  }

  /// Appends lines after the markers of a container. An empty line gets the marker without trailing
  /// spaces.
  private mutating func add(_ inner: [String], first: String, next: String) {
    for (index, line) in inner.enumerated() {
      let mark = index == 0 ? first : next
      if line.isEmpty {
        var bare = mark
        while bare.utf8.last == 0x20 { bare.removeLast() }
        lines.append(bare)
      } else {
        lines.append(mark + line)
      }
    }
  }

  private mutating func write(_ content: ConversionPlan.Block.Content) {
    switch content {
    case .paragraph(let leaf):
      expected.separate()
      expected.append(leaf)
      lines += markdown(leaf, .paragraph).lines
    case .heading(let level, let leaf):
      expected.separate()
      expected.append(leaf)
      lines.append(String(repeating: "#", count: level) + " " + markdown(leaf, .heading))
    case .code(let leaves):
      var content: [String] = []
      for leaf in leaves {
        expected.separate()
        expected.append(leaf)
        content += String(units: leaf.units).lines
      }
      let longest = content.flatMap { $0.utf8.split { $0 != 0x60 }.map(\.count) }.max() ?? 0
      let fence = String(repeating: "`", count: max(3, longest + 1))
      lines.append(fence)
      lines += content
      lines.append(fence)
    case .table(let rows): write(rows)
    }
  }

  private mutating func write(_ rows: [[ConversionLeaf]]) {
    for (index, row) in rows.enumerated() {
      // A row is visible in the rendered text if it has several cells or one that isn't empty.
      if row.count > 1 || row.contains(where: { !$0.isEmpty }) { expected.separate() }
      for (column, cell) in row.enumerated() {
        if column > 0 {
          expected.appendTab(row[column - 1].source, row[column - 1].terminator)
        }
        expected.append(cell)
      }
      let cells = row.map { markdown($0, .cell) }
      lines.append("| " + cells.joined(separator: " | ") + " |")
      if index == 0 {
        lines.append("|" + String(repeating: " --- |", count: row.count))
      }
    }
  }

  private func markdown(_ leaf: ConversionLeaf, _ place: InlineMarkdown.Place) -> String {
    LeafCheck(leaf: leaf, place: place, links: plan.links, options: options).markdown(care)
  }
}

extension String {
  fileprivate var lines: [String] {
    split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
  }
}

/// The open lists that the next item may belong to.
private struct OpenLists {
  struct Item {
    var indent: String
    var mark: String
    var isTight: Bool
  }

  private struct List {
    var list: Int
    var level: Int
    var isOrdered: Bool
    var delimiter: Character
    var width = 0
  }

  private struct Counted: Hashable {
    var list: Int
    var level: Int
  }

  private var open: [List] = []
  /// The delimiter of the last closed list at each depth. A list that follows it uses another
  /// delimiter.
  private var closed: [Int: Character] = [:]
  private var isQuote = false
  private var numbers: [Int: [Int]] = [:]

  /// Closes all lists, before a block that isn't an item.
  mutating func closeAll() {
    open = []
    closed = [:]
  }

  /// Returns the indentation and the marker of the next item.
  mutating func next(_ item: ListItem, isQuote: Bool) -> Item {
    if isQuote != self.isQuote { closeAll() }
    self.isQuote = isQuote
    let isOrdered = item.marker != .bullet
    var isTight = !open.isEmpty
    while let last = open.last, last.level > item.level { close() }
    if let last = open.last, last.level == item.level,
      last.list != item.list || last.isOrdered != isOrdered
    {
      close()
      isTight = !open.isEmpty
    }
    var counts = numbers[item.list] ?? [Int](repeating: 0, count: 9)
    let level = min(max(item.level, 0), 8)
    counts[level] += 1
    for deeper in level + 1..<10 where deeper < 9 { counts[deeper] = 0 }
    numbers[item.list] = counts
    if open.last?.level != item.level {
      let other: Character? = closed[open.count]
      let delimiter: Character =
        isOrdered ? (other == "." ? ")" : ".") : (other == "-" ? "*" : "-")
      // A list that doesn't start at 1 can't interrupt a paragraph.
      if isOrdered, counts[level] != 1 { isTight = false }
      open.append(
        List(list: item.list, level: item.level, isOrdered: isOrdered, delimiter: delimiter))
    }
    let indent = open.dropLast().reduce(0) { $0 + $1.width }
    let delimiter = open[open.count - 1].delimiter
    let mark = isOrdered ? "\(min(counts[level], 999_999_999))\(delimiter) " : "\(delimiter) "
    open[open.count - 1].width = mark.utf8.count
    closed = closed.filter { $0.key < open.count }
    return Item(indent: String(repeating: " ", count: indent), mark: mark, isTight: isTight)
  }

  private mutating func close() {
    guard let last = open.popLast() else { return }
    closed[open.count] = last.delimiter
  }
}
