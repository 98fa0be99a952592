public import Model

/// One block of a document, in a flat array in document order (a parent stands before its
/// children). Links are indices into `ParsedDocument.blocks`.
public struct Block: Hashable, Sendable {
  private var storedKind: PackedKind
  @Packed private var storedParent: Int
  @Packed private var storedFirstChild: Int
  @Packed private var storedNext: Int
  private var storedSource: PackedRange
  private var storedText: PackedRange
  private var storedInlines: PackedRange

  /// Packs a block: in a table there are two for a few words.
  init(
    _ kind: PackedKind, parent: Int, firstChild: Int, nextSibling: Int, source: Range<Int>,
    text: Range<Int>, inlines: Range<Int>
  ) {
    storedKind = kind
    (storedParent, storedFirstChild, storedNext) = (parent, firstChild, nextSibling)
    storedSource = PackedRange(source)
    storedText = PackedRange(text)
    storedInlines = PackedRange(inlines)
  }

  /// What it is.
  public var kind: Kind { storedKind.kind }
  /// The enclosing block; -1 for the document itself, which is block 0.
  package var parent: Int { storedParent }
  /// The first block inside; -1 when there is none.
  package var firstChild: Int { storedFirstChild }
  /// The next block with the same parent; -1 when there is none.
  package var nextSibling: Int { storedNext }

  /// The bytes from the block's first marker to its last content.
  package internal(set) var source: SourceRange {
    get { SourceRange(bytes: storedSource.range) }
    set { storedSource = PackedRange(newValue.bytes) }
  }

  /// What it contributes to the rendered text; empty for blocks that render nothing.
  public internal(set) var text: TextRange {
    get { TextRange(utf16: storedText.range) }
    set { storedText = PackedRange(newValue.utf16) }
  }

  /// The indices in `ParsedDocument.inlines` of the spans inside a leaf block.
  public var inlines: Range<Int> { storedInlines.range }

  /// Whether it has text of its own and no blocks in it.
  package var isLeaf: Bool {
    switch kind {
    case .paragraph, .heading, .codeBlock, .tableCell, .calloutLabel, .descriptionTerm: true
    default: false
    }
  }

  /// The kinds of CommonMark and the enabled extensions.
  public enum Kind: Hashable, Sendable {
    /// The root.
    case document
    /// A block quote.
    case blockQuote
    /// A list.
    case list(ListStyle)
    /// An item of a list; `task` is nil where there is no checkbox.
    case listItem(task: Bool?)
    /// A paragraph.
    case paragraph
    /// A heading of level 1 … 6.
    case heading(level: Int)
    /// A fenced or indented code block; `info` is the range of a fence's info string.
    case codeBlock(info: SourceRange?)
    /// An HTML block; the blocks that its tags make are its children.
    case htmlBlock
    /// A horizontal rule.
    case thematicBreak
    /// A link reference definition.
    case definition
    /// A table; its rows are its children, the first one the header.
    case table(columns: [ColumnAlignment])
    /// A row of a table.
    case tableRow
    /// A cell of a row.
    case tableCell
    /// A footnote's text.
    case footnoteDefinition(label: SourceRange)
    /// YAML before the document; not rendered.
    case frontMatter
    /// The line that names a callout: the first child of a block quote or an admonition. `type` is
    /// what says its kind.
    case calloutLabel(type: SourceRange)
    /// A callout between `:::` fences, or with an indented body.
    case admonition(type: SourceRange, isIndented: Bool)
    /// Terms with their descriptions.
    case descriptionList
    /// A term, one line.
    case descriptionTerm
    /// What a term means.
    case description
    /// Markup that does not render: a comment, a tag of a template, the place of a table of contents.
    case hidden
  }

  /// How a list's items are marked and spaced.
  public struct ListStyle: Hashable, Sendable {
    /// The first number of an ordered list; nil for a bullet list.
    package var start: Int?
    /// The marker's byte: `-`, `+`, `*`, `.` or `)`.
    package var delimiter: UInt8
    /// Whether no blank line stands between items.
    package var isTight: Bool

    /// Makes a style of its parts.
    package init(start: Int?, delimiter: UInt8, isTight: Bool) {
      self.start = start
      self.delimiter = delimiter
      self.isTight = isTight
    }
  }

  /// How a table's column is aligned.
  public enum ColumnAlignment: Hashable, Sendable {
    /// Not said: to the left.
    case none
    /// To the left.
    case left
    /// In the middle.
    case center
    /// To the right.
    case right
  }
}

/// A block's kind in nine bytes.
enum PackedKind: Hashable, Sendable {
  case document, blockQuote, paragraph, code, htmlBlock, thematicBreak, definition
  case tableRow, tableCell, frontMatter, descriptionList, descriptionTerm, description, hidden
  case calloutLabel(type: PackedRange)
  case fencedAdmonition(type: PackedRange)
  case indentedAdmonition(type: PackedRange)
  /// A list's first number; negative for bullets.
  case list(start: Int32, delimiter: UInt8, isTight: Bool)
  case listItem(task: Bool?)
  case heading(level: UInt8)
  /// Code with an info string.
  case infoCode(info: PackedRange)
  case table(columns: [Block.ColumnAlignment])
  case footnoteDefinition(label: PackedRange)

  var kind: Block.Kind {
    switch self {
    case .document: .document
    case .blockQuote: .blockQuote
    case .list(let start, let delimiter, let isTight):
      .list(
        Block.ListStyle(
          start: start < 0 ? nil : Int(start), delimiter: delimiter, isTight: isTight))
    case .listItem(let task): .listItem(task: task)
    case .paragraph: .paragraph
    case .heading(let level): .heading(level: Int(level))
    case .infoCode(let info): .codeBlock(info: SourceRange(bytes: info.range))
    case .code: .codeBlock(info: nil)
    case .htmlBlock: .htmlBlock
    case .thematicBreak: .thematicBreak
    case .definition: .definition
    case .table(let columns): .table(columns: columns)
    case .tableRow: .tableRow
    case .tableCell: .tableCell
    case .footnoteDefinition(let label):
      .footnoteDefinition(label: SourceRange(bytes: label.range))
    case .frontMatter: .frontMatter
    case .descriptionList: .descriptionList
    case .descriptionTerm: .descriptionTerm
    case .description: .description
    case .hidden: .hidden
    case .calloutLabel(let type): .calloutLabel(type: SourceRange(bytes: type.range))
    case .fencedAdmonition(let type):
      .admonition(type: SourceRange(bytes: type.range), isIndented: false)
    case .indentedAdmonition(let type):
      .admonition(type: SourceRange(bytes: type.range), isIndented: true)
    }
  }
}
