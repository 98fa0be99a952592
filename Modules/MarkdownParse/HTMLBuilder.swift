import Model

/// Builds the blocks of an HTML block: paragraphs, headings, lists, tables and code, with their
/// text in pieces.
///
/// Tags may be unclosed or overlap. All open elements end with the HTML block. O(bytes).
struct HTMLBuilder {
  /// The tree, whose last node is the HTML block.
  var tree = BlockTree()
  let root: Int
  let leaf: LeafText
  let bytes: Bytes

  /// An open list, list item or quotation.
  struct Container {
    var element: HTMLElement
    /// The index of the block; -1 for a list without items.
    var node: Int
    /// The number of a list's next item.
    var number = 1
  }

  /// An open style or link.
  struct Open {
    var span: HTMLSpan
    var link: Int
    var tag: Range<Int>
    /// The number of open tags of this kind.
    var depth = 1
    /// Whether its opening delimiter was already written to a leaf.
    var isWritten = false
  }

  /// The open containers, at most `deepest`.
  var containers: [Container] = []
  /// The number of open containers beyond `deepest`, which have no effect.
  var overflow = 0
  static let deepest = 16
  /// The maximum number of blocks on the path from an HTML block to one of its leaves.
  static let deepestBlock = deepest + 4
  /// The open styles and links, at most one of each kind.
  var opens: [Open] = []

  // The current leaf. Offsets refer to the joined lines.
  var leafNode = -1
  var firstPiece = 0
  var pieceEnd = 0
  var pending: [Int] = []
  var hasPendingBreak = false
  /// The offset before which no leaf may begin.
  var earliestLeafStart = 0

  var heading: (level: Int, start: Int)?
  var isPreformatted = false
  var skipsFeed = false
  var isTerm = false
  /// Whether a character directly precedes the current position.
  var isAttached = false
  /// The end of the last text; 0 after a character reference.
  var textEnd = 0
  /// The form of the current superscript or subscript, and the offset of its closing tag.
  var script: (form: ScriptForm, end: Int)?
  /// Whether text in the form `apart` has begun whose closing tag was not found in advance.
  var hasWordsApart = false

  // The current table, and the number of open tables in its cells.
  var hasTable = false
  var table = -1
  var row = -1
  var cell = -1
  var isHeaderCell = false
  var columns = 0
  var cells = 0
  var innerTables = 0
  static let mostColumns = 64

  /// Creates a builder.
  ///
  /// - Parameters:
  ///   - root: the index of the HTML block.
  ///   - leaf: the lines of the HTML block.
  init(_ root: Int, _ leaf: LeafText) {
    (self.root, self.leaf, bytes) = (root, leaf, leaf.bytes)
  }

  /// Builds the blocks and appends them to the tree.
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

  var isFlat: Bool { cell >= 0 || heading != nil || isPreformatted }

  mutating func open(_ element: HTMLElement, _ tag: Range<Int>) {
    switch element {
    case .other: hide(tag)
    case .strong, .emphasis, .strikethrough, .mark, .code: begin(element.span!, tag)
    case .link:
      guard let address = HTMLTokens.attribute("href", in: tag, of: bytes) else { return hide(tag) }
      end(.link, tag.prefix(0))
      begin(.link, tag, link: tree.links.append(html: address, leaf, bytes))
    case .image: image(tag)
    case .superscript, .subscript: beginScript(element.script!, tag)
    case .lineBreak: lineBreak(tag)
    default: openBlock(element, tag)
    }
  }

  mutating func openBlock(_ element: HTMLElement, _ tag: Range<Int>) {
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
        earliestLeafStart = tag.upperBound
      default: break
      }
    }
  }

  mutating func close(_ element: HTMLElement, _ tag: Range<Int>) {
    switch element {
    case .other, .image, .hidden: return hide(tag)
    case .superscript, .subscript: return endScript(tag)
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

  mutating func openContainer(_ element: HTMLElement, _ tag: Range<Int>) {
    guard overflow == 0, containers.count < Self.deepest else {
      overflow += 1
      return
    }
    var container = Container(element: element, node: -1)
    if element == .quote {
      container.node = add(.blockQuote, to: parent(), tag)
      earliestLeafStart = tag.upperBound
    } else if element == .orderedList,
      let start = HTMLTokens.attribute("start", in: tag, of: bytes),
      let number = Int(String(decoding: bytes[start], as: UTF8.self)), (0...999_999) ~= number
    {
      container.number = number
    }
    containers.append(container)
  }

  mutating func openItem(_ tag: Range<Int>) {
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
    earliestLeafStart = tag.upperBound
  }

  mutating func closeContainer(_ element: HTMLElement) {
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

  /// Returns the block in which the next block begins. The result is never a list or a table,
  /// because content between items or cells ends the list or table.
  mutating func parent() -> Int {
    endTableNode()
    if let last = containers.last, last.element == .bulletList || last.element == .orderedList {
      containers[containers.count - 1].node = -1
    }
    return containers.last {
      $0.node >= 0 && $0.element != .bulletList && $0.element != .orderedList
    }?.node ?? root
  }

  mutating func add(_ kind: Node.Kind, to parent: Int, _ tag: Range<Int>) -> Int {
    let index = tree.append(kind, to: parent, start: leaf.sourceOffset(tag.lowerBound))
    tree.nodes[index].isOpen = false
    tree.nodes[index].isHTML = true
    return index
  }
}
