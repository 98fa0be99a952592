import Model

/// Combines the two phases of the parser: walks the blocks in order, parses the inlines of each
/// leaf, and writes the rendered text with its source map.
struct Assembler {
  let bytes: Bytes
  let options: MarkdownOptions
  var tree: BlockTree
  /// The lines of the tree.
  let lines: UnsafeBufferPointer<LineSlice>
  var writer: TextWriter
  private(set) var blocks: [Block] = []
  var inlines: [Inline] = []
  var parser: InlineParser
  var marks: [(range: Range<Int>, mark: Mark)] = []
  /// Memory that is reused for each leaf: its lines, and the indices of its spans in `inlines`.
  var leafLines = LeafLines()
  var placed: [Int] = []
  /// The meaning of the tags in the current leaf, by the index of their atoms.
  var tags = InlineTags()
  /// The rules for spaces around unrendered markup in the current leaf.
  var blanks = BlankRules()
  /// The offset of the current leaf in the rendered text.
  var leafStart = 0
  /// The form of the current superscript or subscript, and the offset in the leaf at which it ends.
  var script: (form: ScriptForm, end: Int)?

  /// Creates an assembler for the blocks of a document.
  ///
  /// - Parameter lines: the tree's lines, which must stay valid until the document is assembled.
  init(
    _ tree: BlockTree, _ lines: UnsafeBufferPointer<LineSlice>, _ bytes: Bytes,
    _ options: MarkdownOptions
  ) {
    self.bytes = bytes
    self.options = options
    self.tree = tree
    self.lines = lines
    writer = TextWriter(bytes)
    parser = InlineParser(tree, options: options)
    // Growing the array of spans would temporarily take twice its memory, so its capacity is
    // reserved for a long document.
    if bytes.count > RenderedText.storedLimit { inlines.reserveCapacity(bytes.count / 40) }
  }

  func links(of source: MarkdownSource) -> DocumentLinks {
    DocumentLinks(source: source, table: parser.links)
  }

  /// Returns the text, and removes it from the assembler.
  mutating func takeText() -> RenderedText { writer.takeText() }
  func map(of source: MarkdownSource) -> SourceMap {
    SourceMap(stored: writer.runs, count: writer.count, source: source)
  }

  mutating func assemble() {
    blocks.reserveCapacity(tree.nodes.count)
    for index in tree.nodes.indices {
      if options.contents { hideContents(index) }
      let node = tree.nodes[index]
      let firstInline = inlines.count
      if node.kind == .tableCell {
        let isFirst = tree.nodes[node.parent].firstChild == index
        if isFirst { writer.separate() } else { writer.separateCell() }
      } else if node.isLeafOfLines {
        writer.separate()
      }
      let start = writer.nextOffset
      write(node)
      let range = min(start, writer.count)..<writer.count
      if writer.count < start {
        // Nothing was written after the separator, so the empty spans are moved back to the end of
        // the text.
        for index in firstInline..<inlines.count { inlines[index].text.utf16 = range }
      }
      blocks.append(
        Block(
          kind(of: node), parent: node.parent, firstChild: node.firstChild,
          nextSibling: node.next, source: node.start..<max(node.start, node.end), text: range,
          inlines: firstInline..<inlines.count))
    }
    encloseChildren()
  }

  /// Extends the ranges of each container to include its children. Children follow their parents,
  /// so one backward pass is enough.
  private mutating func encloseChildren() {
    for index in blocks.indices.dropFirst().reversed() {
      let parent = blocks[index].parent
      let source = blocks[index].source.bytes
      let outer = blocks[parent].source.bytes
      blocks[parent].source.bytes =
        min(outer.lowerBound, source.lowerBound)..<max(outer.upperBound, source.upperBound)
      let text = blocks[index].text.utf16
      guard !text.isEmpty else { continue }
      let enclosing = blocks[parent].text.utf16
      blocks[parent].text.utf16 =
        enclosing.isEmpty
        ? text
        : min(enclosing.lowerBound, text.lowerBound)..<max(enclosing.upperBound, text.upperBound)
    }
  }

  @inline(__always)
  private func kind(of node: Node) -> PackedKind {
    switch node.kind {
    case .document: .document
    case .blockQuote: .blockQuote
    case .list:
      .list(
        start: node.list.start.map { Int32($0) } ?? -1, delimiter: node.list.delimiter,
        isTight: !node.isLoose)
    case .item: .listItem(task: node.task)
    case .paragraph: .paragraph
    case .heading: .heading(level: UInt8(node.number))
    case .fencedCode: node.info.map { .infoCode(info: PackedRange($0)) } ?? .code
    case .indentedCode: .code
    case .html: .htmlBlock
    case .thematicBreak: .thematicBreak
    case .definition: .definition
    case .table: .table(columns: tree.columns[node.columns])
    case .tableRow: .tableRow
    case .tableCell: .tableCell
    case .footnote: .footnoteDefinition(label: PackedRange(node.info ?? node.start..<node.start))
    case .frontMatter: .frontMatter
    default: dialectKind(of: node)
    }
  }

  private mutating func write(_ node: Node) {
    if node.isHTML { return writeHTML(node) }
    switch node.kind {
    case .fencedCode, .indentedCode: writeCode(node)
    case .paragraph where node.fence == UInt8(ascii: "!"): writePicture(node)
    case .paragraph, .heading, .tableCell, .descriptionTerm: writeInlines(node)
    case .calloutLabel where node.lines.isEmpty: writeType(node)
    case .calloutLabel where node.fence == UInt8(ascii: "<"): writeLiteral(node)
    case .calloutLabel: writeInlines(node)
    default: break
    }
  }

  /// Writes a code block. Consecutive lines without a prefix are copied in one step.
  private mutating func writeCode(_ node: Node) {
    var piece = 0..<0
    for index in node.lines {
      let line = lines[index]
      if line.tabRest > 0 || line.start != piece.upperBound {
        writer.verbatim(piece)
        piece = line.start..<line.start
      }
      if line.tabRest > 0 {
        writer.atomic(
          repeatElement(Byte.space, count: line.tabRest), source: line.start - 1..<line.start)
      }
      piece = piece.lowerBound..<line.end
      guard index + 1 < node.lines.upperBound else { break }
      if line.next - line.end == 1, bytes[line.end] == Byte.lineFeed {
        piece = piece.lowerBound..<line.next
      } else {
        writer.verbatim(piece)
        writer.atomic(Byte.lineFeed, source: line.end..<line.next)
        piece = line.next..<line.next
      }
    }
    writer.verbatim(piece)
  }
}
