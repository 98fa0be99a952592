public import Model

/// One block of a document, in a flat array in document order (a parent stands before its
/// children). Links are indices into `ParsedDocument.blocks`.
public struct Block: Hashable, Sendable {
  /// What it is.
  public var kind: Kind
  /// The enclosing block; -1 for the document itself, which is block 0.
  public var parent: Int
  /// The first block inside; -1 when there is none.
  public var firstChild: Int
  /// The next block with the same parent; -1 when there is none.
  public var nextSibling: Int
  /// The bytes from the block's first marker to its last content.
  public var source: SourceRange
  /// What it contributes to the rendered text; empty for blocks that render nothing.
  public var text: TextRange
  /// The indices in `ParsedDocument.inlines` of the spans inside a leaf block.
  public var inlines: Range<Int>

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
    /// Raw HTML: a decoration, not text.
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
  }

  /// How a list's items are marked and spaced.
  public struct ListStyle: Hashable, Sendable {
    /// The first number of an ordered list; nil for a bullet list.
    public var start: Int?
    /// The marker's byte: `-`, `+`, `*`, `.` or `)`.
    public var delimiter: UInt8
    /// Whether no blank line stands between items.
    public var isTight: Bool

    /// Makes a style of its parts.
    public init(start: Int?, delimiter: UInt8, isTight: Bool) {
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
