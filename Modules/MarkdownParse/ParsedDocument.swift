import Model

/// A Markdown document: its blocks and spans in flat arrays, the text that a reader sees, and the
/// exact map between that text and the source.
///
/// What the rendered text is, `renderVersion` says.
public struct ParsedDocument: Sendable {
  /// The version of the rules by which the text is rendered. Stored offsets depend on them: a rule
  /// that changes, or a document that comes to be read otherwise, is another version, and highlights
  /// of the old one are found again by their quotes. The rules of version 2:
  ///
  /// 1. *Leaves.* Paragraphs, headings, code blocks and cells give text, Markdown's and HTML's, in the
  ///    order of the source, footnotes where they stand. One line feed separates two leaves that have text; a leaf without
  ///    text gives no separator. Between two cells of a row stands a tab, also if they are empty;
  ///    a row has no more cells than its table's header, and cells that it lacks give no tabs.
  /// 2. *Lines.* The end of a line inside a paragraph is one space, however it is written; after two
  ///    spaces or a backslash it is one line feed. Blanks at both ends of a paragraph's lines, and
  ///    around a heading and a cell, are no text.
  /// 3. *Not text* are the markers of quotes, lists, tasks, headings and footnotes, fences with their
  ///    info strings, rules, delimiter rows, the delimiters of spans, the attributes of headings,
  ///    HTML's tags, comments, declarations, scripts, style sheets, titles and what is hidden by an
  ///    attribute, link reference definitions, front matter and a byte order mark. Of the blanks before
  ///    and behind what is no text in a leaf's line one run stays, and none at the line's ends.
  /// 4. *Spans.* A link is its text, an address between angle brackets or bare is the address; an
  ///    image is its description or, without one, the last part of its address with percent signs
  ///    resolved. A reference to a footnote is its label in brackets. Mathematics is its TeX.
  ///    Raised and lowered letters (`<sup>`, `<sub>`) are those of Unicode where it has all of them and a
  ///    character stands right before, or they are no words; else `^` or `_` and the text, in
  ///    brackets where it is more than one character; small print stays as it is (`ScriptForm`).
  ///    Words of three letters right behind a character are small print behind a blank, which is the tag's, or
  ///    the sign's; a letter or a digit below U+1100 right behind them has one before it, too.
  ///    A dollar sign beside an ASCII letter, a digit or a backtick outside begins and ends none.
  ///    Between two of them stands no code span, unless it fills all of the place; in one a `$$` ends nothing.
  ///    No mathematics holds the `](` of a bracket that is open around it.
  /// 5. *Code.* A code span has spaces for its line ends, and loses one space at both ends if it has
  ///    one there and is not all spaces. A code block keeps its lines, each end as one line feed but
  ///    the last, which is no text; a tab that its container takes in part is as many spaces as are
  ///    left of it.
  /// 6. *Characters.* An escape is its character and an entity what it names, but neither in code,
  ///    mathematics and addresses (in a cell a bar's escape is, everywhere and before all others). NUL is U+FFFD, and so is
  ///    each ill-formed sequence of bytes, counted as maximal subparts (Unicode 3.9). Nothing is
  ///    normalized, and all else is as it stands.
  /// 7. *HTML.* The text between tags is text. `br` is a line feed where text stands before and behind
  ///    it in its leaf, and so is a tag that begins or ends a block inside a leaf that holds none (a
  ///    paragraph, a heading, a cell), several of these together once; blanks and line ends beside it
  ///    are no text. In an HTML block such tags end leaves, cells of a row have tabs between them, white
  ///    space is one space, and none at both ends of a leaf; in `pre` and `textarea` it stays, without
  ///    line ends at both ends. Markdown's markup and escapes mean nothing there. A tag ends at the first
  ///    `>` outside quotes; what is open at the end of the HTML block ends there.
  /// 8. *Dialects.* What is a paragraph, a span and so on is CommonMark 0.31.2 and GFM 0.29 with
  ///    footnotes, front matter, `==marks==`, attributes of headings, mathematics, and what the document's dialect adds
  ///    (`MarkdownDialect`). A callout's label is a leaf: its own title, or its type with a capital
  ///    letter first. A term is a leaf, and so is each line of several terms. `[[note]]` is its alias or
  ///    the note's name, with ` > ` for `#`. `:tada:` is its emoji. `^[a note]` is `[a note]`. Keys have
  ///    capitals. A tag of MDX that names what it holds is a label, `title` or `label`. Not text are the markers of all
  ///    these, comments, lists of attributes, icons, abbreviations, options of directives, the tags of templates and of MDX, `import` and `export`, ids of blocks, and
  ///    the mark in whose place a table of contents is put.
  public static let renderVersion = 2

  /// The source.
  package let source: MarkdownSource
  /// The dialect it was read in.
  package let options: MarkdownOptions
  /// The blocks in document order; the first is the document itself.
  public let blocks: [Block]
  /// The spans in document order; `Block.inlines` says which belong to a block.
  public let inlines: [Inline]
  /// The markers of the blocks and what they say, in the order of the source.
  package let parts: [BlockPart]
  /// Where links and images lead.
  package let links: Links
  /// What the reader sees.
  public let text: RenderedText
  /// Between text and source.
  package let map: SourceMap
  /// The names that tags and headings give to places.
  let anchors: [AnchorName]
  /// The lines of leaf blocks after the markers of their containers, for those who need them raw.
  /// A cell is one line at most, its source; it has none here.
  let lines: [LineSlice]
  /// Which of `lines` belong to each block.
  let blockLines: BlockLines

  /// Whether another document is of the same bytes, read in the same dialect.
  package func isSame(as other: ParsedDocument) -> Bool {
    options == other.options && source == other.source
  }

  /// Parses any bytes: whatever is no Markdown is text. O(bytes × depth of nesting).
  public init(parsing source: MarkdownSource, options: MarkdownOptions = .standard) {
    self.source = source
    self.options = options
    let (assembler, tree) = source.bytes.withUnsafeBufferPointer { bytes in
      var parser = BlockParser(bytes, options: options)
      let tree = parser.parse()
      return tree.lines.withUnsafeBufferPointer { lines in
        var assembler = Assembler(tree, lines, bytes, options)
        assembler.assemble()
        return (assembler, tree)
      }
    }
    parts = tree.sortedParts
    blocks = assembler.blocks
    inlines = assembler.inlines
    links = assembler.links(of: source)
    anchors = assembler.tree.anchors
    text = assembler.text
    map = assembler.map(of: source)
    (lines, blockLines) = BlockLines.gathered(tree)
  }
}

extension ParsedDocument {
  /// The UTF-16 units of the text, ascending, at which a line of the source begins in the midst of a
  /// paragraph: the line's end before it is a space in the text. O(runs).
  package var lineStarts: [Int] {
    map.runs.compactMap { run in
      guard run.kind == .atomic, run.text.utf16.count == 1,
        text.utf16[run.text.utf16.lowerBound] == 32,
        case let byte = source.bytes[run.source.bytes.lowerBound], byte == 10 || byte == 13
      else { return nil }
      return run.text.utf16.upperBound
    }
  }
}
