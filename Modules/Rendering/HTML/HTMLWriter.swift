import MarkdownParse
import Model

/// Writes the blocks of a document as HTML, in order. The format is documented at `HTMLBody`.
struct HTMLWriter {
  let page: Page
  let options: HTMLOptions
  var piece = HashedHTML(base: 0)
  var marks: HTMLHighlights
  let names: HTMLNames
  /// Writes the classes of the document's format; nil if the document has no format.
  var format: HTMLFormatWriter?
  /// The ids of the highlights that begin in the current block.
  var begun: [String] = []
  /// The highlights that have begun and whose signs are written with their text.
  var signs: [Overlay] = []
  /// The footnotes whose first reference was written.
  var referredNotes: Set<Int> = []
  /// The containers around the current block, each with its closing tag.
  private var open: [(block: Int, end: String, runsFromRight: Bool)] = []
  private var letters: FirstLetters

  var document: ParsedDocument { page.document }

  /// The maximum nesting of elements. HTML parsers flatten elements that are nested more than a few
  /// hundred deep.
  private static let deepest = 100

  init(_ page: Page, _ options: HTMLOptions) {
    (self.page, self.options) = (page, options)
    let leaves = page.document.blocks.filter { $0.firstChild < 0 && !$0.text.isEmpty }
      .map(\.text.utf16)
    marks = HTMLHighlights(page, leaves)
    names = HTMLNames(page.document, leaves, options.namePrefix)
    letters = FirstLetters(page.document.text.utf16)
    let format = page.options.source == nil ? page.format : nil
    self.format = format.map { HTMLFormatWriter($0, options.colors) }
  }

  mutating func parts() -> [HTMLBody.Part] {
    if page.options.source != nil { return sourceParts() }
    var parts: [HTMLBody.Part] = []
    var hasTitle = false
    var occurrences: [Int: Int] = [:]
    let blocks = document.blocks
    var next = blocks[0].firstChild
    while next >= 0 {
      let (first, block) = (next, blocks[next])
      next = block.nextSibling
      piece = HashedHTML(base: block.text.utf16.lowerBound)
      for index in first..<(next < 0 ? blocks.count : next) { write(index) }
      close(above: 0)
      let (html, hash) = piece.finish()
      guard !html.isEmpty else { continue }
      var isTitle = false
      if case .heading(level: 1) = block.kind, !hasTitle, !block.text.isEmpty {
        (isTitle, hasTitle) = (true, true)
      }
      parts.append(
        HTMLBody.Part(
          html: html, range: block.text.utf16,
          key: HTMLBody.Key(hash: hash, occurrence: occurrences[hash, default: 0]),
          highlights: begun, isTitle: isTitle))
      occurrences[hash, default: 0] += 1
      begun = []
    }
    return parts
  }

  /// Closes the containers that don't contain a block.
  private mutating func close(above parent: Int) {
    while let last = open.last, last.block != parent {
      piece.write(last.end)
      open.removeLast()
    }
  }

  /// Opens a container, which is closed after its last block.
  ///
  /// - Parameter hasDirection: whether its first letter decides on the side of its bullets or bar.
  ///   Otherwise it has the direction of the container around it.
  private mutating func begin(
    _ block: Int, _ element: String, _ attributes: String = "", hasDirection: Bool = false
  ) {
    let (direction, runsFromRight) = hasDirection ? self.direction(of: block) : inherited
    if open.count < Self.deepest { piece.write("<\(element)\(attributes)\(direction)>\n") }
    open.append((block, open.count < Self.deepest ? "</\(element)>\n" : "", runsFromRight))
  }

  /// The direction of the current container, without an attribute.
  private var inherited: (attribute: String, runsFromRight: Bool) {
    ("", open.last?.runsFromRight ?? false)
  }

  /// Returns the text of a container without the label of a callout, which may be the name of its
  /// type.
  private func content(of index: Int) -> Range<Int> {
    let block = document.blocks[index]
    let range = block.text.utf16
    guard block.firstChild >= 0, case .calloutLabel = document.blocks[block.firstChild].kind,
      document.blocks[block.firstChild].nextSibling >= 0
    else { return range }
    let second = document.blocks[document.blocks[block.firstChild].nextSibling]
    return second.text.utf16.lowerBound..<range.upperBound
  }

  /// Returns the direction of a container's first letter. The attribute is empty if the container
  /// around it has the same direction.
  private mutating func direction(of block: Int) -> (attribute: String, runsFromRight: Bool) {
    let own = letters.runFromRight(in: content(of: block))
    guard let own, own != inherited.runsFromRight else { return inherited }
    return (own ? " dir=\"rtl\"" : " dir=\"ltr\"", own)
  }

  /// Returns the HTML of the blocks that overlap a range; all if nil.
  mutating func html(of range: TextRange?) -> String {
    for index in document.blocks.indices.dropFirst() {
      if let range, !document.blocks[index].text.overlaps(range) { continue }
      write(index)
    }
    close(above: 0)
    return piece.finish().html
  }

  private mutating func write(_ index: Int) {
    let block = document.blocks[index]
    close(above: block.parent)
    switch block.kind {
    case .document, .definition, .frontMatter, .hidden: break
    case .thematicBreak: piece.write("<hr>\n")
    case .blockQuote, .admonition: beginQuote(index)
    case .list(let style):
      guard let start = style.start else {
        return begin(index, "ul", tight(style), hasDirection: true)
      }
      begin(
        index, "ol", (start == 1 ? "" : " start=\"\(start)\"") + tight(style), hasDirection: true)
    case .listItem(let task):
      begin(index, "li", task == nil ? "" : " class=\"task\"")
      guard let task else { return }
      piece.write(
        "<input type=\"checkbox\" disabled\(task ? " checked" : "") data-x aria-label=\"\(task ? "done" : "to do")\"> "
      )
    case .descriptionList: begin(index, "dl", hasDirection: true)
    case .description: begin(index, "dd")
    case .footnoteDefinition(let label):
      let name = options.isEmbedded ? "" : names.attribute(ofFootnote: index)
      begin(index, "div", " class=\"footnote\" role=\"note\"\(name)", hasDirection: true)
      piece.write(
        "<span class=\"label\" data-x>[\(document.source.text(in: label).escapedForHTML)]</span>\n")
    case .htmlBlock:
      if block.firstChild >= 0 { begin(index, "div") } else { writeLeaf(index, "div") }
    case .table: beginTable(index)
    case .tableRow: begin(index, "tr")
    case .tableCell: writeCell(index)
    case .heading(let level): writeLeaf(index, "h\(level)")
    case .paragraph: writeLeaf(index, "p")
    case .calloutLabel(let type): writeLabel(index, type)
    case .descriptionTerm: writeLeaf(index, "dt")
    case .codeBlock(let info): writeCode(index, info)
    }
  }

  private func tight(_ style: Block.ListStyle) -> String { style.isTight ? " class=\"tight\"" : "" }

  private mutating func beginQuote(_ index: Int) {
    guard let type = document.calloutType(index) else {
      return begin(index, "blockquote", hasDirection: true)
    }
    let kind = CalloutKind.key(of: type).map { " " + $0.rawValue.drop { $0 != "." }.dropFirst() }
    begin(index, "div", " class=\"callout\(kind ?? "")\" role=\"note\"", hasDirection: true)
  }

  private mutating func writeLabel(_ index: Int, _ type: SourceRange) {
    let name = document.calloutName(document.blocks[index], type)
    writeLeaf(
      index, "p", " class=\"label\"",
      before: name.map { "<span data-x dir=\"ltr\">\($0.escapedForHTML): </span>" } ?? "")
  }

  private mutating func writeCode(_ index: Int, _ info: SourceRange?) {
    if let info, let title = document.codeTitle(in: info) {
      piece.write("<p class=\"code-title\" data-x dir=\"auto\">\(title.escapedForHTML)</p>\n")
    }
    let code = document.blocks[index].inlines.isEmpty ? ColoredCode(index, of: page) : nil
    writeLeaf(index, "pre", inside: "code", code: code, direction: "ltr")
  }

  // MARK: - Tables

  private mutating func beginTable(_ index: Int) {
    // A table is always opened, even at the maximum depth, because its rows would be lost without
    // it.
    let (direction, runsFromRight) = direction(of: index)
    piece.write("<div class=\"table\"\(direction)><table>\n")
    open.append((index, "</table></div>\n", runsFromRight))
  }

  private mutating func writeCell(_ index: Int) {
    let blocks = document.blocks
    let row = blocks[index].parent
    let table = blocks[row].parent
    let isHead = blocks[table].firstChild == row
    var alignment = ""
    if case .table(let columns) = blocks[table].kind {
      let column = cellColumn(index, in: row)
      if columns.indices.contains(column) {
        switch columns[column] {
        case .none: break
        case .left: alignment = " class=\"left\""
        case .center: alignment = " class=\"center\""
        case .right: alignment = " class=\"right\""
        }
      }
    }
    writeLeaf(
      index, isHead ? "th" : "td", (isHead ? " scope=\"col\"" : "") + alignment, isCell: true)
  }

  /// The block and the column of the last cell that was written.
  private var lastCell = (block: -1, column: -1)

  private mutating func cellColumn(_ index: Int, in row: Int) -> Int {
    let isFirst = document.blocks[row].firstChild == index
    lastCell = (index, isFirst ? 0 : lastCell.column + 1)
    return lastCell.column
  }
}
