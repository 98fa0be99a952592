import Model

/// A block while the tree is being built; nothing in it is counted by reference.
struct Node {
  enum Kind: UInt8 {
    case document, blockQuote, list, item, paragraph, heading, fencedCode, indentedCode, html
    case thematicBreak, definition, table, tableRow, tableCell, footnote, frontMatter
    case calloutLabel, admonition, descriptionList, descriptionTerm, description, hidden
  }

  var kind: Kind
  @Packed var parent: Int
  @Packed var firstChild = -1
  @Packed var lastChild = -1
  @Packed var next = -1
  /// Bytes of the source.
  @Packed var start: Int
  @Packed var end: Int
  @Packed private var linesStart = 0
  @Packed private var linesEnd = 0
  var isOpen = true
  var lastLineIsBlank = false
  var list = ListData()
  /// A heading's level, a fence's length (0 for an admonition with an indented body), an HTML block's
  /// kind, a `HiddenMarkup`.
  @Packed var number = 0
  /// A fence's byte.
  var fence: UInt8 = 0
  /// The columns before a fence, which its lines may have too. Where a name begins that a closing tag has,
  /// or what is shown of a picture's tag; `columns` is the end of either.
  @Packed var fenceOffset = 0
  @Packed private var infoStart = -1
  @Packed private var infoEnd = -1
  /// A table's place in `BlockTree.columns`.
  @Packed var columns = -1
  /// Whether a list item's box is ticked; nil where it has none.
  var task: Bool?
  /// Whether blank lines stand between a list's items.
  var isLoose = false
  /// Whether HTML tags made it. Such a leaf has no lines, but pieces: `info` of `BlockTree.html`.
  var isHTML = false

  init(_ kind: Kind, parent: Int, start: Int) {
    self.kind = kind
    self.parent = parent
    self.start = start
    end = start
  }

  /// The leaf's lines in `BlockTree.lines`.
  var lines: Range<Int> {
    get { linesStart..<linesEnd }
    set { (linesStart, linesEnd) = (newValue.lowerBound, newValue.upperBound) }
  }

  /// Appends a line to the leaf: the index of the next line of `BlockTree.lines`.
  @inline(__always)
  mutating func addLine(_ index: Int) {
    if linesStart == linesEnd { linesStart = index }
    linesEnd = index + 1
  }

  /// A fence's info string, a footnote's label, a callout's type, or the pieces of a leaf in HTML.
  var info: Range<Int>? {
    get { infoStart < 0 ? nil : infoStart..<infoEnd }
    set { (infoStart, infoEnd) = (newValue?.lowerBound ?? -1, newValue?.upperBound ?? -1) }
  }

  var isLeafOfLines: Bool {
    switch kind {
    case .paragraph, .heading, .fencedCode, .indentedCode, .html, .tableCell, .calloutLabel,
      .descriptionTerm, .hidden:
      true
    default: false
    }
  }

  func canContain(_ child: Kind) -> Bool {
    switch kind {
    case .document, .blockQuote, .item, .footnote, .admonition, .description:
      child != .item && child != .description
    case .list: child == .item
    case .descriptionList: child == .description
    default: false
    }
  }
}

/// What the marker of a list item says.
struct ListData: Equatable {
  /// `-`, `+`, `*`, `.` or `)`.
  var delimiter: UInt8 = 0
  @Packed private var number = -1
  /// Columns before the marker.
  @Packed var markerOffset = 0
  /// Columns from the marker to the content.
  @Packed var padding = 0

  /// The number of an ordered list's first item.
  var start: Int? {
    get { number < 0 ? nil : number }
    set { number = newValue ?? -1 }
  }

  /// Whether two items belong to the same list.
  func matches(_ other: ListData) -> Bool {
    delimiter == other.delimiter && (start == nil) == (other.start == nil)
  }
}

/// One line of a leaf block, as it lies in the source after the markers of its containers.
struct LineSlice {
  /// The content's bytes, without the line ending.
  @Packed var start: Int
  @Packed var end: Int
  /// The first byte after the line ending.
  @Packed var next: Int
  /// Columns of a tab before `start` that belong to the content though the tab's first columns
  /// were taken by a container; the tab is the byte before `start`.
  @Packed var tabRest = 0
}

/// The blocks of a document with their lines, before inlines are looked at.
struct BlockTree {
  var nodes: [Node] = []
  var lines: [LineSlice] = []
  var links = LinkTable()
  /// The columns of each table.
  var columns: [[Block.ColumnAlignment]] = []
  /// The blocks' parts, as they are met: those of definitions only when their paragraph ends.
  var parts: [BlockPart] = []
  /// Link reference definitions by normalized label; the first of each label wins.
  var definitions: [String: Int] = [:]
  /// What leaves in HTML consist of.
  var html: [HTMLPiece] = []
  /// The names that tags and headings have.
  var anchors: [AnchorName] = []
  /// The normalized labels of footnotes.
  var footnotes: Set<String> = []

  /// The parts in the order of the source.
  var sortedParts: [BlockPart] {
    let isSorted = zip(parts, parts.dropFirst()).allSatisfy {
      $0.source.bytes.lowerBound <= $1.source.bytes.lowerBound
    }
    return isSorted
      ? parts : parts.sorted { $0.source.bytes.lowerBound < $1.source.bytes.lowerBound }
  }

  @discardableResult
  mutating func append(_ kind: Node.Kind, to parent: Int, start: Int) -> Int {
    let index = nodes.count
    nodes.append(Node(kind, parent: parent, start: start))
    if parent >= 0 {
      if nodes[parent].lastChild >= 0 {
        nodes[nodes[parent].lastChild].next = index
      } else {
        nodes[parent].firstChild = index
      }
      nodes[parent].lastChild = index
    }
    return index
  }
}
