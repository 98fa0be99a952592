import Model

/// A parsed Markdown document: its blocks and spans in flat arrays, the text that a reader sees,
/// and the exact map between that text and the source.
///
/// `renderVersion` documents the rules that determine the rendered text.
///
/// ```swift
/// let document = ParsedDocument(parsing: MarkdownSource("The *quick* fox"))
/// document.text.string             // "The quick fox"
/// document.inlines[0].text.utf16   // 4..<9
/// document.map.source(of: document.inlines[0].text)  // bytes 5..<10
/// ```
public struct ParsedDocument: Sendable {
  /// The version of the rendering rules.
  ///
  /// Stored offsets depend on the rules. If a rule changes, or a document is parsed differently,
  /// the version must change. Highlights made with older versions are then found by their quotes.
  /// The rules of version 2 are:
  ///
  /// 1. *Leaves.* Paragraphs, headings, code blocks and cells have text, whether they are written
  ///    in Markdown or HTML. It is in the order of the source, including footnotes. One line feed
  ///    separates two leaves that have text; a leaf without text adds no separator. Two cells of a
  ///    row are separated by a tab, even if they are empty. A row has no more cells than the header
  ///    of its table, and missing cells add no tabs.
  /// 2. *Lines.* Every form of line ending in a paragraph is one space, or one line feed after two
  ///    spaces or a backslash. Spaces and tabs at both ends of a paragraph's lines, and around a
  ///    heading or a cell, are not text.
  /// 3. *Not text* are: the markers of quotes, lists, tasks, headings and footnotes; fences with
  ///    their info strings; thematic breaks; delimiter rows; the delimiters of spans; the
  ///    attributes of headings; HTML tags, comments, declarations, scripts, style sheets, titles
  ///    and elements that an attribute hides; link reference definitions; front matter; and a byte
  ///    order mark. Of the spaces before and after such markup on a leaf's line, one run is kept,
  ///    and none at the ends of the line.
  /// 4. *Spans.* A link is its text; an address, bare or between angle brackets, is the address. An
  ///    image is its description or, without one, the last part of its address, percent-decoded. A
  ///    footnote reference is its label in brackets.
  ///
  ///    A formula is its TeX. A dollar sign next to an ASCII letter, a digit or a backtick on its
  ///    outer side doesn't delimit a formula. An inline formula contains no code span, unless the
  ///    code span is its entire content; a `$$` in a code span doesn't end a displayed formula. No
  ///    formula contains the `](` of a bracket that was opened before it.
  ///
  ///    Superscript and subscript text (`<sup>`, `<sub>`) consists of Unicode's superscript or
  ///    subscript characters if all of its characters have such a form, and it directly follows a
  ///    character, is a single character or has no letters. Otherwise, text that directly follows a
  ///    character is preceded by `^` or `_`, with parentheses around more than one character.
  ///
  ///    Text with a word of at least three letters is always written unchanged. If it directly
  ///    follows a character, it is preceded by a space, whose source is the tag or sign; and if a
  ///    letter or digit below U+1100 directly follows it, a space precedes that, too. Any other
  ///    text is also unchanged (`ScriptForm`).
  /// 5. *Code.* In a code span, line endings are spaces, and one space is removed from both ends if
  ///    both have one and the content isn't all spaces. A code block keeps its lines. Each line
  ///    ending is one line feed, except the last, which isn't text. A tab that a container consumes
  ///    in part becomes as many spaces as columns remain.
  /// 6. *Characters.* An escape is its character and a character reference the characters to which
  ///    it refers, except in code, formulas and addresses. In a cell, the escape of a pipe is
  ///    processed everywhere, before any other rule. NUL is U+FFFD, and so is each ill-formed
  ///    sequence of bytes, counted as maximal subparts (Unicode 3.9). Nothing is normalized, and
  ///    all other characters are unchanged.
  /// 7. *HTML.* The text between tags is text. If a leaf has text before and after a `br`, the `br`
  ///    is a line feed. The same applies to a tag that begins or ends a block inside a leaf that
  ///    cannot contain blocks (a paragraph, a heading, a cell); several of these tags together are
  ///    one line feed. Whitespace beside it isn't text.
  ///
  ///    In an HTML block, such tags end leaves, and tabs separate the cells of a row. Whitespace is
  ///    one space, and none at both ends of a leaf. In `pre` and `textarea` it is unchanged, except
  ///    for line endings at both ends. Markdown markup and escapes have no effect. A tag ends at
  ///    the first `>` outside quotes. Elements that are open at the end of the HTML block end
  ///    there.
  /// 8. *Dialects.* Blocks and spans are defined by CommonMark 0.31.2 and GFM 0.29, with footnotes,
  ///    front matter, `==marks==`, attributes of headings, formulas, and the extensions of the
  ///    document's dialect (`MarkdownDialect`).
  ///
  ///    The label of a callout is a leaf: its title, or its type with a capital first letter. A
  ///    term is a leaf, and so is each line of several terms. `[[note]]` is its alias or the name
  ///    of the note, with ` > ` instead of `#`. `:tada:` is the emoji. `^[a note]` is `[a note]`.
  ///    Keys are capitalized. An MDX tag with the attribute `title` or `label` is a label.
  ///
  ///    Not text are the markers of all these extensions, comments, lists of attributes, icons,
  ///    abbreviations, options of directives, the tags of templates and of MDX, `import` and
  ///    `export`, block IDs, and the mark that a table of contents replaces.
  public static let renderVersion = 2

  /// The source of the document.
  package let source: MarkdownSource
  /// The extensions with which the source was parsed.
  package let options: MarkdownOptions
  /// The blocks in document order. The first is the document itself.
  public let blocks: [Block]
  /// The spans in document order. `Block.inlines` contains the indices of each block's spans.
  public let inlines: [Inline]
  /// The markers of the blocks and their contents, in the order of the source.
  package let parts: [BlockPart]
  /// The targets of links and images.
  package let links: DocumentLinks
  /// The rendered text, as a reader sees it.
  public let text: RenderedText
  /// The map between the rendered text and the source.
  package let map: SourceMap
  /// The names that tags and headings define.
  let anchors: [AnchorName]
  /// The lines of leaf blocks, without the markers of their containers. The lines of table cells
  /// are omitted, because a cell is at most one line and equals its source.
  let lines: [LineSlice]
  /// The indices in `lines` of each block's lines.
  let blockLines: BlockLines

  /// Whether another document has the same bytes and was parsed with the same options.
  package func isSame(as other: ParsedDocument) -> Bool {
    options == other.options && source == other.source
  }

  /// Parses a document. Any bytes are valid: text that isn't markup is plain text. O(bytes ×
  /// nesting depth).
  public init(parsing source: MarkdownSource, options: MarkdownOptions = .standard) {
    self.source = source
    self.options = options
    var (assembler, tree) = source.bytes.withUnsafeBufferPointer { bytes in
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
    text = assembler.takeText()
    map = assembler.map(of: source)
    (lines, blockLines) = BlockLines.gathered(tree)
  }
}
