public import Model

/// A block of a document.
///
/// The blocks are in a flat array in document order, so a parent precedes its children. They refer
/// to each other by their indices in `ParsedDocument.blocks`.
///
/// ```swift
/// for block in document.blocks {
///   if case .heading(let level) = block.kind {
///     print(level, document.text.substring(block.text))
///   }
/// }
/// ```
public struct Block: Hashable, Sendable {
  private var storedKind: PackedKind
  @Packed private var storedParent: Int
  @Packed private var storedFirstChild: Int
  @Packed private var storedNext: Int
  private var storedSource: PackedRange
  private var storedText: PackedRange
  private var storedInlines: PackedRange

  /// Packs the properties of a block. Blocks must be small, because a table can have two of them
  /// for every few words.
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

  /// The kind of the block.
  public var kind: Kind { storedKind.kind }
  /// The index of the parent; -1 for the document, which is block 0.
  package var parent: Int { storedParent }
  /// The index of the first child; -1 if the block has no children.
  package var firstChild: Int { storedFirstChild }
  /// The index of the next block with the same parent; -1 for the last one.
  package var nextSibling: Int { storedNext }

  /// The bytes from the block's first marker to the end of its content.
  package internal(set) var source: SourceRange {
    get { SourceRange(bytes: storedSource.range) }
    set { storedSource = PackedRange(newValue.bytes) }
  }

  /// The block's range in the rendered text; empty for blocks that render nothing.
  public internal(set) var text: TextRange {
    get { TextRange(utf16: storedText.range) }
    set { storedText = PackedRange(newValue.utf16) }
  }

  /// The indices in `ParsedDocument.inlines` of the spans in a leaf block.
  public var inlines: Range<Int> { storedInlines.range }

  /// Whether the block contains text but no blocks.
  package var isLeaf: Bool {
    switch kind {
    case .paragraph, .heading, .codeBlock, .tableCell, .calloutLabel, .descriptionTerm: true
    default: false
    }
  }

  /// The kinds of blocks in CommonMark and the supported extensions.
  public enum Kind: Hashable, Sendable {
    /// The root of the document.
    case document
    /// A block quote.
    case blockQuote
    /// A list.
    case list(ListStyle)
    /// A list item. `task` is the state of its checkbox; nil if it has no checkbox.
    case listItem(task: Bool?)
    /// A paragraph.
    case paragraph
    /// A heading of level 1 … 6.
    case heading(level: Int)
    /// A fenced or indented code block. `info` is the range of a fence's info string; nil if it has
    /// none.
    case codeBlock(info: SourceRange?)
    /// An HTML block. The blocks that its tags define are its children.
    case htmlBlock
    /// A thematic break, rendered as a horizontal rule.
    case thematicBreak
    /// A link reference definition.
    case definition
    /// A table. Its rows are its children; the first is the header.
    case table(columns: [ColumnAlignment])
    /// A row of a table.
    case tableRow
    /// A cell of a row.
    case tableCell
    /// The text of a footnote.
    case footnoteDefinition(label: SourceRange)
    /// YAML or TOML before the document, which isn't rendered.
    case frontMatter
    /// The label of a callout: the first child of a block quote or an admonition. `type` is the
    /// range of the word that determines the callout's type.
    case calloutLabel(type: SourceRange)
    /// A callout between `:::` fences, or with an indented body.
    case admonition(type: SourceRange, isIndented: Bool)
    /// A list of terms with their descriptions.
    case descriptionList
    /// A term of a description list, on one line.
    case descriptionTerm
    /// The description of a term.
    case description
    /// Markup that isn't rendered, such as a comment, a template tag or the position of a table of
    /// contents.
    case hidden
  }

  /// The marker and the spacing of a list's items.
  public struct ListStyle: Hashable, Sendable {
    /// The first number of an ordered list; nil for a bullet list.
    package var start: Int?
    /// The byte that marks the items: `-`, `+`, `*`, `.` or `)`.
    package var delimiter: UInt8
    /// Whether the items are not separated by blank lines.
    package var isTight: Bool

    package init(start: Int?, delimiter: UInt8, isTight: Bool) {
      self.start = start
      self.delimiter = delimiter
      self.isTight = isTight
    }
  }

  /// The alignment of a table column.
  public enum ColumnAlignment: Hashable, Sendable {
    /// No alignment was set; rendered like `left`.
    case none
    /// Aligned to the left.
    case left
    /// Centred.
    case center
    /// Aligned to the right.
    case right
  }
}

/// The kind of a block, in nine bytes.
enum PackedKind: Hashable, Sendable {
  case document, blockQuote, paragraph, code, htmlBlock, thematicBreak, definition
  case tableRow, tableCell, frontMatter, descriptionList, descriptionTerm, description, hidden
  case calloutLabel(type: PackedRange)
  case fencedAdmonition(type: PackedRange)
  case indentedAdmonition(type: PackedRange)
  /// A list with its first number; -1 for bullets.
  case list(start: Int32, delimiter: UInt8, isTight: Bool)
  case listItem(task: Bool?)
  case heading(level: UInt8)
  /// A code block with an info string.
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
