import Model

/// A Markdown document: its blocks and spans in flat arrays, the text that a reader sees, and the
/// exact map between that text and the source.
///
/// The rendered text follows these rules, which `renderVersion` names; stored offsets depend on
/// them, so a change of a rule is a change of the version:
/// - Leaf blocks that have text are joined by one line feed, the cells of a table's row by a tab.
/// - A soft line break is a space, a hard one a line feed.
/// - Markers of lists, tasks and footnotes, rules, raw HTML, front matter and definitions are no
///   text. An image is its description; a link is its text; mathematics is its TeX.
/// - Code keeps its tabs and line feeds, without the last one.
/// - NUL and each ill-formed sequence of bytes is U+FFFD.
public struct ParsedDocument: Sendable {
  /// The version of the rendering rules.
  public static let renderVersion = 1

  /// The source.
  public let source: MarkdownSource
  /// The dialect it was read in.
  public let options: MarkdownOptions
  /// The blocks in document order; the first is the document itself.
  public let blocks: [Block]
  /// The spans in document order; `Block.inlines` says which belong to a block.
  public let inlines: [Inline]
  /// The markers of the blocks and what they say, in the order of the source.
  public let parts: [BlockPart]
  /// Where links and images lead.
  public let links: [Link]
  /// What the reader sees.
  public let text: RenderedText
  /// Between text and source.
  public let map: SourceMap
  /// The lines of leaf blocks after the markers of their containers, for those who need them raw.
  let lines: [LineSlice]
  /// Which of `lines` belong to each block.
  let blockLines: [Range<Int>]

  /// Parses any bytes: whatever is no Markdown is text. O(bytes × depth of nesting).
  public init(parsing source: MarkdownSource, options: MarkdownOptions = .standard) {
    self.source = source
    self.options = options
    let (assembler, tree) = source.bytes.withUnsafeBufferPointer { bytes in
      var parser = BlockParser(bytes, options: options)
      let tree = parser.parse()
      var assembler = Assembler(tree, bytes, options)
      assembler.assemble()
      return (assembler, tree)
    }
    parts = tree.sortedParts
    blocks = assembler.blocks
    inlines = assembler.inlines
    links = assembler.links
    text = assembler.text
    map = assembler.map(of: source)
    lines = tree.lines
    blockLines = tree.nodes.map(\.lines)
  }
}
