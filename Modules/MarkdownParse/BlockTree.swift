import Model

/// A block during parsing. It contains no references, so a copy is cheap.
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
  /// The range in the source, in bytes.
  @Packed var start: Int
  @Packed var end: Int
  @Packed private var linesStart = 0
  @Packed private var linesEnd = 0
  var isOpen = true
  var lastLineIsBlank = false
  var list = ListData()
  /// The level of a heading; the length of a fence, which is 0 for an admonition with an indented
  /// body; the kind of an HTML block; or the raw value of a `HiddenMarkup`.
  @Packed var number = 0
  /// The byte of which a fence consists. `%` means a Liquid tag, and `{` a shortcode. In other
  /// blocks, `!` means an image, `<` a label that isn't Markdown, and 1 hidden markup that has
  /// ended; 0 means none of these.
  var fence: UInt8 = 0
  /// The number of columns before a fence, which are removed from the lines of its code.
  ///
  /// In a shortcode or an image, the start of a range that ends at `columns`: the name that the
  /// closing tag must have, or the text to show for the image. In hidden markup, both values are
  /// the state of the search for its end.
  @Packed var fenceOffset = 0
  @Packed private var infoStart = -1
  @Packed private var infoEnd = -1
  /// The index of a table in `BlockTree.columns`. For other blocks, see `fenceOffset`.
  @Packed var columns = -1
  /// The state of a list item's checkbox; nil if it has none.
  var task: Bool?
  /// Whether there are blank lines between the items of a list.
  var isLoose = false
  /// Whether the block was parsed from HTML. Such a leaf consists of pieces instead of lines: those
  /// in the range `info` of `BlockTree.html`.
  var isHTML = false

  init(_ kind: Kind, parent: Int, start: Int) {
    self.kind = kind
    self.parent = parent
    self.start = start
    end = start
  }

  /// The range of the leaf's lines in `BlockTree.lines`.
  var lines: Range<Int> {
    get { linesStart..<linesEnd }
    set { (linesStart, linesEnd) = (newValue.lowerBound, newValue.upperBound) }
  }

  /// Appends a line to the leaf. The index must follow that of the leaf's last line.
  @inline(__always)
  mutating func addLine(_ index: Int) {
    if linesStart == linesEnd { linesStart = index }
    linesEnd = index + 1
  }

  /// The range of a fence's info string, a footnote's label or a callout's type; or the indices of
  /// the pieces of an HTML leaf.
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

/// The properties of a list item's marker.
struct ListData: Equatable {
  /// The byte `-`, `+`, `*`, `.` or `)`.
  var delimiter: UInt8 = 0
  @Packed private var number = -1
  /// The number of columns before the marker.
  @Packed var markerOffset = 0
  /// The number of columns from the start of the marker to the content.
  @Packed var padding = 0

  /// The number of an ordered list's item; nil for a bullet.
  var start: Int? {
    get { number < 0 ? nil : number }
    set { number = newValue ?? -1 }
  }

  /// Whether two items belong to the same list.
  func matches(_ other: ListData) -> Bool {
    delimiter == other.delimiter && (start == nil) == (other.start == nil)
  }
}

/// A line of a leaf block: the part of a source line after the markers of the block's containers.
struct LineSlice {
  /// The range of the content in bytes, without the line ending.
  @Packed var start: Int
  @Packed var end: Int
  /// The offset of the first byte after the line ending.
  @Packed var next: Int
  /// The number of columns of a tab that belong to the content, if a container consumed the tab's
  /// first columns. The tab is the byte before `start`.
  @Packed var tabRest = 0
}

/// The blocks of a document with their lines, before inlines are parsed.
struct BlockTree {
  var nodes: [Node] = []
  var lines: [LineSlice] = []
  var links = LinkTable()
  /// The alignments of each table's columns.
  var columns: [[Block.ColumnAlignment]] = []
  /// The parts of the blocks in the order in which they were found. Those of definitions are found
  /// only when their paragraph ends.
  var parts: [BlockPart] = []
  /// The indices in `links` of link reference definitions by normalized label. The first definition
  /// of a label is used.
  var definitions: [String: Int] = [:]
  /// The pieces of leaves that were parsed from HTML.
  var html: [HTMLPiece] = []
  /// The names that tags and headings define.
  var anchors: [AnchorName] = []
  /// The normalized labels of the footnotes.
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
