import Model

/// Makes blocks of an HTML block: paragraphs, headings, lists, tables, code, with their text in pieces.
/// Tags may be left open or cross each other; whatever is open ends with the HTML block. O(bytes).
struct HTMLBuilder {
  /// The tree, in which the HTML block is the last one.
  var tree = BlockTree()
  private let root: Int
  private let leaf: LeafText
  private let bytes: Bytes

  /// A list, an item or a quote that is open.
  private struct Container {
    var element: HTMLElement
    /// The block; -1 for a list without an item.
    var node: Int
    /// The number of a list's next item.
    var number = 1
  }

  /// A style or a link that is open.
  private struct Open {
    var span: HTMLSpan
    var link: Int
    var tag: Range<Int>
    /// How many tags of its kind are open.
    var depth = 1
    /// Whether it was open in a leaf before.
    var isWritten = false
  }

  /// The containers that are open, at most `deepest`.
  private var containers: [Container] = []
  /// How many more are open.
  private var overflow = 0
  private static let deepest = 16
  /// The most blocks from an HTML block to a leaf in it.
  static let deepestBlock = deepest + 4
  /// The styles and links that are open, one of a kind.
  private var opens: [Open] = []

  // The leaf that is being written; offsets are of the joined lines.
  private var leafNode = -1
  private var firstPiece = 0
  private var pieceEnd = 0
  private var pending: [Int] = []
  private var hasPendingBreak = false
  /// No leaf may begin before this offset.
  private var floor = 0

  private var heading: (level: Int, start: Int)?
  private var isPreformatted = false
  private var skipsFeed = false
  private var isTerm = false

  // The table that is open, and how many are open in its cells.
  private var hasTable = false
  private var table = -1
  private var row = -1
  private var cell = -1
  private var isHeaderCell = false
  private var columns = 0
  private var cells = 0
  private var innerTables = 0
  private static let mostColumns = 64

  /// - Parameters:
  ///   - root: the HTML block.
  ///   - bytes: its joined lines.
  init(_ root: Int, _ leaf: LeafText, _ bytes: Bytes) {
    (self.root, self.leaf, self.bytes) = (root, leaf, bytes)
  }

  /// Makes the blocks.
  mutating func build() {
    var tokens = HTMLTokens(bytes)
    while let token = tokens.token() {
      switch token.kind {
      case .text: if isPreformatted { preformatted(token.range) } else { text(token.range) }
      case .hidden: hide(token.range)
      case .open(let element):
        tree.noteAnchor(in: token.range, element, leaf, bytes)
        open(element, token.range)
      case .close(let element): close(element, token.range)
      }
    }
    endCell(at: bytes.count)
    endLeaf()
    endTable()
  }

  // MARK: - Tags

  private var isFlat: Bool { cell >= 0 || heading != nil || isPreformatted }

  private mutating func open(_ element: HTMLElement, _ tag: Range<Int>) {
    switch element {
    case .other: hide(tag)
    case .strong, .emphasis, .strikethrough, .mark, .code: begin(element.span!, tag)
    case .link:
      guard let address = HTMLTokens.attribute("href", in: tag, of: bytes) else { return hide(tag) }
      end(.link, tag.prefix(0))
      begin(.link, tag, link: tree.links.append(html: address, leaf, bytes))
    case .image: image(tag)
    case .lineBreak: lineBreak(tag)
    default: openBlock(element, tag)
    }
  }

  private mutating func openBlock(_ element: HTMLElement, _ tag: Range<Int>) {
    if openTablePart(element, tag) { return }
    if let level = element.headingLevel, cell < 0, !isPreformatted {
      endLeaf(at: tag)
      heading = (level, tag.lowerBound)
    } else if isFlat {
      breakLine(tag)
      if element == .preformatted { (isPreformatted, skipsFeed) = (true, true) }
    } else {
      endLeaf(at: tag)
      switch element {
      case .preformatted: (isPreformatted, skipsFeed) = (true, true)
      case .term:
        isTerm = true
        begin(.strong, tag)
      case .bulletList, .orderedList, .quote: openContainer(element, tag)
      case .listItem: openItem(tag)
      case .rule:
        let rule = add(.thematicBreak, to: parent(), tag)
        tree.nodes[rule].end = leaf.source(tag).bytes.upperBound
        floor = tag.upperBound
      default: break
      }
    }
  }

  private mutating func close(_ element: HTMLElement, _ tag: Range<Int>) {
    switch element {
    case .other, .image, .hidden: return hide(tag)
    case .lineBreak: return lineBreak(tag)
    case .strong, .emphasis, .strikethrough, .mark, .code, .link: return end(element.span!, tag)
    case .row, .cell, .headerCell, .table, .tableSection: return closeTablePart(element, tag)
    default: break
    }
    if element.headingLevel != nil, heading != nil, cell < 0, !isPreformatted {
      endLeaf(at: tag)
      heading = nil
    } else if element == .preformatted, isPreformatted {
      if cell >= 0 || heading != nil { breakLine(tag) } else { endLeaf(at: tag) }
      isPreformatted = false
    } else if isFlat {
      breakLine(tag)
    } else if element == .term {
      end(.strong, tag)
      isTerm = false
      endLeaf()
    } else {
      endLeaf(at: tag)
      closeContainer(element)
    }
  }

  // MARK: - Containers

  private mutating func openContainer(_ element: HTMLElement, _ tag: Range<Int>) {
    guard overflow == 0, containers.count < Self.deepest else {
      overflow += 1
      return
    }
    var container = Container(element: element, node: -1)
    if element == .quote {
      container.node = add(.blockQuote, to: parent(), tag)
      floor = tag.upperBound
    } else if element == .orderedList,
      let start = HTMLTokens.attribute("start", in: tag, of: bytes),
      let number = Int(String(decoding: bytes[start], as: UTF8.self)), (0...999_999) ~= number
    {
      container.number = number
    }
    containers.append(container)
  }

  private mutating func openItem(_ tag: Range<Int>) {
    if overflow > 0 { return }
    endTableNode()
    let border = containers.lastIndex { $0.element != .listItem }
    if let border, containers[border].element != .quote {
      containers.removeLast(containers.count - border - 1)
    } else if containers.count < Self.deepest {
      containers.append(Container(element: .bulletList, node: -1))
    } else {
      return
    }
    let list = containers.count - 1
    if containers[list].node < 0 {
      let outer = containers.removeLast()
      let node = add(.list, to: parent(), tag)
      containers.append(outer)
      containers[list].node = node
      let isOrdered = outer.element == .orderedList
      tree.nodes[node].list.delimiter = isOrdered ? UInt8(ascii: ".") : UInt8(ascii: "-")
      tree.nodes[node].list.start = isOrdered ? outer.number : nil
    }
    containers[list].number += 1
    containers.append(
      Container(element: .listItem, node: add(.item, to: containers[list].node, tag)))
    floor = tag.upperBound
  }

  private mutating func closeContainer(_ element: HTMLElement) {
    endTableNode()
    switch element {
    case .bulletList, .orderedList, .quote:
      if overflow > 0 {
        overflow -= 1
      } else if let index = containers.lastIndex(where: { $0.element == element }) {
        containers.removeLast(containers.count - index)
      }
    case .listItem:
      guard overflow == 0, let item = containers.lastIndex(where: { $0.element == .listItem }),
        !containers[item...].contains(where: { $0.element != .listItem })
      else { return }
      containers.removeLast(containers.count - item)
    default: break
    }
  }

  /// The block in which the next one begins, which is no list and no table: what stands between their
  /// parts divides them.
  private mutating func parent() -> Int {
    endTableNode()
    if let last = containers.last, last.element == .bulletList || last.element == .orderedList {
      containers[containers.count - 1].node = -1
    }
    return containers.last {
      $0.node >= 0 && $0.element != .bulletList && $0.element != .orderedList
    }?.node ?? root
  }

  private mutating func add(_ kind: Node.Kind, to parent: Int, _ tag: Range<Int>) -> Int {
    let index = tree.append(kind, to: parent, start: leaf.sourceOffset(tag.lowerBound))
    tree.nodes[index].isOpen = false
    tree.nodes[index].isHTML = true
    return index
  }

  // MARK: - Tables

  /// True when the tag is a table's or a part's of one.
  private mutating func openTablePart(_ element: HTMLElement, _ tag: Range<Int>) -> Bool {
    switch element {
    case .table, .tableSection, .row, .cell, .headerCell: break
    default: return false
    }
    if cell >= 0, innerTables > 0 || element == .table {
      if element == .table { innerTables += 1 }
      breakLine(tag)
      return true
    }
    guard heading == nil, !isPreformatted || cell >= 0 else {
      breakLine(tag)
      return true
    }
    endCell(at: tag.lowerBound)
    endLeaf(at: tag)
    switch element {
    case .table:
      endTable()
      hasTable = true
    case .cell, .headerCell: if hasTable { openCell(element, tag) }
    default:
      hasTable = hasTable || element == .row
      endRow()
    }
    return true
  }

  private mutating func openCell(_ element: HTMLElement, _ tag: Range<Int>) {
    if table < 0 { table = add(.table, to: parent(), tag) }
    if row < 0 { row = add(.tableRow, to: table, tag) }
    // What is too much goes on in the last one.
    cells += 1
    if cells > Self.mostColumns { return }
    columns = max(columns, cells)
    cell = add(.tableCell, to: row, tag)
    tree.nodes[cell].end = leaf.source(tag).bytes.upperBound
    floor = tag.upperBound
    isHeaderCell = element == .headerCell && !opens.contains { $0.span == .strong }
    if isHeaderCell { opens.append(Open(span: .strong, link: -1, tag: tag, isWritten: true)) }
  }

  private mutating func closeTablePart(_ element: HTMLElement, _ tag: Range<Int>) {
    if cell >= 0, innerTables > 0 {
      if element == .table { innerTables -= 1 }
      return breakLine(tag)
    }
    guard hasTable || cell >= 0 else {
      if isFlat { breakLine(tag) } else { endLeaf(at: tag) }
      return
    }
    if cell < 0, isFlat { return breakLine(tag) }
    endCell(at: tag.lowerBound)
    endLeaf(at: tag)
    switch element {
    case .table: endTable()
    case .row, .tableSection: endRow()
    default: break
    }
  }

  private mutating func endCell(at offset: Int) {
    guard cell >= 0 else { return }
    endLeaf()
    if isHeaderCell, let index = opens.firstIndex(where: { $0.span == .strong }) {
      opens.remove(at: index)
    }
    (cell, innerTables, isPreformatted, isHeaderCell) = (-1, 0, false, false)
    floor = max(floor, offset)
  }

  private mutating func endRow() { (row, cells) = (-1, 0) }

  private mutating func endTableNode() {
    endRow()
    guard table >= 0 else { return }
    tree.nodes[table].columns = tree.columns.count
    tree.columns.append(Array(repeating: .none, count: columns))
    (table, columns) = (-1, 0)
  }

  private mutating func endTable() {
    endTableNode()
    hasTable = false
  }

  // MARK: - Spans

  private mutating func begin(_ span: HTMLSpan, _ tag: Range<Int>, link: Int = -1) {
    if let index = opens.firstIndex(where: { $0.span == span }) {
      opens[index].depth += 1
      return hide(tag)
    }
    opens.append(Open(span: span, link: link, tag: tag, isWritten: leafNode >= 0))
    if leafNode >= 0 { append(.open, tag, span, link: link) }
  }

  private mutating func end(_ span: HTMLSpan, _ tag: Range<Int>) {
    guard let index = opens.firstIndex(where: { $0.span == span }) else { return hide(tag) }
    guard opens[index].depth == 1 || span == .link else {
      opens[index].depth -= 1
      return hide(tag)
    }
    if leafNode >= 0 {
      for _ in opens[(index + 1)...] { append(.close, tag.prefix(0)) }
      append(.close, tag)
      for inner in opens[(index + 1)...] {
        append(.open, tag.upperBound..<tag.upperBound, inner.span, link: inner.link)
      }
    }
    opens.remove(at: index)
  }

  // MARK: - Leaves

  private mutating func append(
    _ kind: HTMLPiece.Kind, _ range: Range<Int>, _ span: HTMLSpan = .link, link: Int = -1
  ) {
    tree.html.append(HTMLPiece(kind, leaf.source(range).bytes, span: span, link: link))
    pieceEnd = max(pieceEnd, range.upperBound)
  }

  private mutating func appendPending(_ kind: HTMLPiece.Kind, _ range: Range<Int>) {
    pending.append(tree.html.count)
    tree.html.append(HTMLPiece(kind, leaf.source(range).bytes))
    hasPendingBreak = hasPendingBreak || kind != .pendingSpace
    if kind == .pendingBreak { pieceEnd = range.upperBound }
  }

  /// Says that something is shown at an offset.
  private mutating func show(at offset: Int) {
    guard leafNode >= 0 else { return beginLeaf(at: offset) }
    for index in pending {
      let piece = tree.html[index]
      // There is no space beside a line's end.
      if hasPendingBreak, piece.kind == .pendingSpace { continue }
      tree.html[index].kind = piece.kind.shown
    }
    pending.removeAll(keepingCapacity: true)
    hasPendingBreak = false
  }

  private mutating func beginLeaf(at offset: Int) {
    let first = opens.first { !$0.isWritten && $0.tag.lowerBound >= floor }
    let start = first?.tag.lowerBound ?? offset
    if cell >= 0 {
      leafNode = cell
    } else if let heading {
      leafNode = add(
        .heading, to: parent(), min(start, max(floor, heading.start))..<offset)
      tree.nodes[leafNode].number = heading.level
    } else {
      leafNode = add(isPreformatted ? .indentedCode : .paragraph, to: parent(), start..<offset)
    }
    firstPiece = tree.html.count
    pieceEnd = start
    for index in opens.indices {
      let open = opens[index]
      let tag = open.isWritten || open.tag.lowerBound < floor ? start..<start : open.tag
      append(.open, tag, open.span, link: open.link)
      opens[index].isWritten = true
    }
  }

  /// Ends the leaf and a term before a tag of another block.
  private mutating func endLeaf(at tag: Range<Int>) {
    if isTerm {
      isTerm = false
      end(.strong, tag.prefix(0))
    }
    endLeaf()
  }

  private mutating func endLeaf() {
    guard leafNode >= 0 else { return }
    for _ in opens { append(.close, pieceEnd..<pieceEnd) }
    tree.nodes[leafNode].info = firstPiece..<tree.html.count
    tree.nodes[leafNode].end = leaf.source(pieceEnd..<pieceEnd).bytes.upperBound
    floor = pieceEnd
    leafNode = -1
    pending.removeAll(keepingCapacity: true)
    hasPendingBreak = false
  }

  private mutating func hide(_ tag: Range<Int>) {
    if leafNode >= 0, !tag.isEmpty { append(.tag, tag) }
  }

  private mutating func lineBreak(_ tag: Range<Int>) {
    guard leafNode >= 0 else { return }
    let line = bytes.firstIndex(of: Byte.lineFeed, from: tag.lowerBound)
    appendPending(.pendingBreak, tag.lowerBound..<min(line, tag.upperBound))
  }

  /// A new line where a block begins or ends inside of what is one leaf here.
  private mutating func breakLine(_ tag: Range<Int>) {
    if hasPendingBreak { hide(tag) } else { lineBreak(tag) }
  }

  private mutating func text(_ range: Range<Int>) {
    var index = range.lowerBound
    while index < range.upperBound {
      let start = index
      if bytes[index].isSpace {
        var feed: Int?
        while index < range.upperBound, bytes[index].isSpace {
          if feed == nil, bytes[index] == Byte.lineFeed { feed = index }
          index += 1
        }
        // Of two blanks around a span's end the outer one is kept.
        if pending.count == 1, !hasPendingBreak, tree.html.last?.kind == .close {
          pending.removeAll(keepingCapacity: true)
        }
        if leafNode >= 0, pending.isEmpty {
          let place = feed ?? start
          appendPending(.pendingSpace, place..<place + 1)
        }
        continue
      }
      index = characters(from: index, to: range.upperBound) { $0.isSpace }
    }
  }

  private mutating func preformatted(_ range: Range<Int>) {
    var index = range.lowerBound
    if skipsFeed, bytes[index] == Byte.lineFeed { index += 1 }
    skipsFeed = false
    while index < range.upperBound {
      if bytes[index] == Byte.lineFeed {
        if leafNode >= 0 { appendPending(.pendingFeed, index..<index + 1) }
        index += 1
      } else {
        index = characters(from: index, to: range.upperBound) { $0 == Byte.lineFeed }
      }
    }
  }

  /// Writes characters up to one at which text ends.
  private mutating func characters(from start: Int, to end: Int, until isEnd: (UInt8) -> Bool)
    -> Int
  {
    show(at: start)
    var first = start
    var index = start
    while index < end, !isEnd(bytes[index]) {
      if bytes[index] == UInt8(ascii: "&"), let entity = Entities.match(bytes, at: index),
        index + entity.length <= end
      {
        if index > first { append(.text, first..<index) }
        append(.entity, index..<index + entity.length)
        index += entity.length
        first = index
      } else {
        index += 1
      }
    }
    if index > first { append(.text, first..<index) }
    return index
  }

  private mutating func image(_ tag: Range<Int>) {
    let picture = HTMLPicture(tag, bytes)
    guard let shown = picture.shown else { return hide(tag) }
    show(at: tag.lowerBound)
    let link = tree.links.append(html: picture.address ?? tag.prefix(0), leaf, bytes)
    append(.open, tag.lowerBound..<shown.lowerBound, .image, link: link)
    if picture.isDescribed {
      text(shown)
      pending.removeAll(keepingCapacity: true)
    } else {
      append(picture.isPlain ? .text : .name, shown)
    }
    append(.close, shown.upperBound..<tag.upperBound)
  }
}
