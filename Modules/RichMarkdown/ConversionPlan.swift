import MarkdownParse
import Model
import RichText

/// The Markdown blocks that a text is converted to.
struct ConversionPlan {
  /// A Markdown block.
  struct Block {
    enum Content {
      case paragraph(ConversionLeaf)
      case heading(Int, ConversionLeaf)
      /// The lines of a code block.
      case code([ConversionLeaf])
      /// The cells of each row. No row has more cells than the first.
      case table([[ConversionLeaf]])

      /// Appends a row in place. Returns false if this isn't a table.
      mutating func append(row: [ConversionLeaf]) -> Bool {
        guard case .table(var rows) = self else { return false }
        // Remove the second reference to the array, so that appending doesn't copy it.
        self = .table([])
        rows.append(row)
        self = .table(rows)
        return true
      }

      /// Appends a line in place. Returns false if this isn't a code block.
      mutating func append(line: ConversionLeaf) -> Bool {
        guard case .code(var lines) = self else { return false }
        self = .code([])
        lines.append(line)
        self = .code(lines)
        return true
      }
    }
    var content: Content
    var isQuote: Bool
    /// The list item that the block begins. Always nil for headings, code and tables.
    var item: ListItem?
  }

  let document: RichDocument
  let options: MarkdownConversion.Options
  /// The document's text, followed by the texts of the numbered notes in order.
  private(set) var texts: [AttributedText]
  private(set) var blocks: [Block] = []
  private(set) var notes: [[Block]] = []
  private(set) var links: [String] = []
  private(set) var images: [MarkdownConversion.Image] = []
  /// The comments, in the order of their marks.
  private(set) var comments: [RichDocument.Note] = []
  private(set) var losses = LossCounter()

  init(_ document: RichDocument, _ options: MarkdownConversion.Options) {
    (self.document, self.options) = (document, options)
    texts = [document.text]
  }

  mutating func make() {
    var shown: [Int: (text: String, markdown: String)] = [:]
    var removed: Set<Int> = []
    let monospaced = MonospacedFonts(document.text)
    for var note in document.notes.sorted(by: { $0.offset < $1.offset }) {
      guard document.text.units.indices.contains(note.offset) else { continue }
      // Other programs write a blank between the note's number and its text.
      let blanks = note.text.units.prefix { $0 == 0x20 }.count
      if blanks > 0 { note.text = note.text.slice(blanks..<note.text.units.count) }
      if note.kind == .comment {
        comments.append(note)
        removed.insert(note.offset)
        continue
      }
      let before = losses
      let blocks = blocks(of: note.text, source: texts.count, rows: [], shown: [:], [], monospaced)
      if blocks.isEmpty {
        losses = before
        losses.add(.emptyNotes, at: note.offset)
        removed.insert(note.offset)
        continue
      }
      texts.append(note.text)
      notes.append(blocks)
      shown[note.offset] = ("[\(notes.count)]", "[^\(notes.count)]")
    }
    for image in document.images {
      guard let name = add(image) else {
        losses.add(.images, at: image.offset)
        removed.insert(image.offset)
        continue
      }
      let path = (options.imagePrefix ?? "") + name
      // An image without a description is rendered as its file name.
      shown[image.offset] = (
        path.split(separator: "/").last.map(String.init) ?? name,
        "![](\(InlineMarkdown.destination(path)))"
      )
    }
    blocks = blocks(
      of: document.text, source: 0, rows: document.tableRows, shown: shown, removed, monospaced)
  }

  /// Stores an image and returns its file name, or nil if the image can't be stored.
  private mutating func add(_ image: RichDocument.Image) -> String? {
    guard options.imagePrefix != nil, !image.bytes.isEmpty else { return nil }
    let ending =
      switch image.format {
      case .png: "png"
      case .jpeg: "jpg"
      case .emf: "emf"
      case .wmf: "wmf"
      case .other: "bin"
      }
    let name = "picture-\(images.count + 1).\(ending)"
    images.append(MarkdownConversion.Image(name: name, bytes: image.bytes))
    return name
  }

  // MARK: - Blocks

  private mutating func blocks(
    of text: AttributedText, source: Int, rows: [Range<Int>],
    shown: [Int: (text: String, markdown: String)], _ removed: Set<Int>,
    _ monospaced: MonospacedFonts
  ) -> [Block] {
    var reader = LeafReader(
      text, source: source, shown: shown, removed: removed, options: options,
      monospaced: monospaced, links: links)
    var result: [Block] = []
    let rowStarts = Set(rows.map(\.lowerBound))
    var start = 0
    var lastWasRow = false
    while start < text.units.count {
      var end = start
      while end < text.units.count, !AttributedText.isTerminator(text.units[end]) { end += 1 }
      var next = min(end + 1, text.units.count)
      if next < text.units.count, text.units[end] == 0x0D, text.units[next] == 0x0A { next += 1 }
      let isRow = rowStarts.contains(start)
      if isRow {
        addRow(start..<end, isNext: lastWasRow, &reader, to: &result)
      } else {
        addParagraph(start..<end, &reader, to: &result)
      }
      lastWasRow = isRow
      start = next
    }
    finishCode(&result)
    result = result.map { fitted($0) }
    links = reader.links
    losses.add(contentsOf: reader.losses)
    return result
  }

  private mutating func addRow(
    _ range: Range<Int>, isNext: Bool, _ reader: inout LeafReader, to result: inout [Block]
  ) {
    finishCode(&result)
    var row: [ConversionLeaf] = []
    var start = range.lowerBound
    for end in range.lowerBound...range.upperBound
    where end == range.upperBound || reader.text.units[end] == 0x09 {
      row.append(reader.leaf(start..<end, isCode: false))
      start = end + 1
    }
    // A row with only one empty cell renders as nothing. Several empty cells are visible because of
    // the tabs between them.
    if row.count == 1, row[0].isEmpty {
      losses.add(.blankParagraphs, at: range.lowerBound)
      return
    }
    let isQuote = reader.text.isQuote(at: range.lowerBound)
    if isNext, result.last?.isQuote == isQuote, result[result.count - 1].content.append(row: row) {
      return
    }
    result.append(Block(content: .table([row]), isQuote: isQuote, item: nil))
  }

  private mutating func addParagraph(
    _ range: Range<Int>, _ reader: inout LeafReader, to result: inout [Block]
  ) {
    let text = reader.text
    // A code block can't contain notes or images.
    if text.isCode(at: range.lowerBound), !range.contains(where: { reader.shown[$0] != nil }) {
      let line = reader.leaf(range, isCode: true)
      let isQuote = false
      if result.isEmpty || !result[result.count - 1].content.append(line: line) {
        result.append(Block(content: .code([line]), isQuote: isQuote, item: nil))
      }
      return
    }
    finishCode(&result)
    var leaf = reader.leaf(range, isCode: false)
    if leaf.isEmpty {
      guard options.keepsBlankParagraphs else {
        losses.add(.blankParagraphs, at: range.lowerBound)
        return
      }
      leaf.units = [0xA0]
      leaf.origins = [Int32(min(range.lowerBound, text.units.count - 1))]
      leaf.marks = [[]]
      leaf.links = [-1]
    }
    let isQuote = text.isQuote(at: range.lowerBound)
    if let level = text.headingLevel(at: range.lowerBound) {
      result.append(Block(content: .heading(level, leaf), isQuote: isQuote, item: nil))
      return
    }
    var item: ListItem?
    if case .list(let found)? = text.paragraphs[range.lowerBound][.list] { item = found }
    result.append(Block(content: .paragraph(leaf), isQuote: isQuote, item: item))
  }

  /// Removes empty lines at the start and the end of a code block.
  private mutating func finishCode(_ result: inout [Block]) {
    guard let last = result.last, case .code(let lines) = last.content else { return }
    func isBlank(_ line: ConversionLeaf) -> Bool { line.units.allSatisfy(\.isBlank) }
    var kept = Array(lines.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    losses.add(.blankParagraphs, at: lines[0].terminator, count: lines.count - kept.count)
    if kept.isEmpty {
      result.removeLast()
      return
    }
    // A paragraph of the text can contain several lines of code.
    let cut = kept[0].trimStartingLines() + kept[kept.count - 1].trimEndingLines()
    losses.add(.lineBreaks, at: kept[0].terminator, count: cut)
    result[result.count - 1].content = .code(kept)
  }

  /// Returns a table whose first row is extended to the length of the longest.
  private mutating func fitted(_ block: Block) -> Block {
    guard case .table(var rows) = block.content else { return block }
    let width = rows.map(\.count).max() ?? 0
    let missing = width - rows[0].count
    losses.add(.cells, at: rows[0][0].terminator, count: missing)
    for _ in 0..<missing {
      var empty = ConversionLeaf(source: rows[0][0].source)
      empty.terminator = rows[0].last?.terminator ?? 0
      rows[0].append(empty)
    }
    var result = block
    result.content = .table(rows)
    return result
  }
}
