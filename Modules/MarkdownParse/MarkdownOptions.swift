/// Which extensions of CommonMark are read.
public struct MarkdownOptions: Hashable, Sendable {
  /// GFM tables.
  package var tables = false
  /// `~struck~` and `~~struck~~`.
  package var strikethrough = false
  /// `[ ]` and `[x]` at the start of list items.
  package var taskLists = false
  /// Bare `www.`, `http://`, `https://` and e-mail addresses.
  package var autolinks = false
  /// `[^label]` and `[^label]: text`.
  package var footnotes = false
  /// YAML between `---` lines at the start of the file.
  package var frontMatter = false
  /// `==marked==`.
  package var mark = false
  /// `$TeX$` and `$$TeX$$`.
  package var math = false
  /// `> [!NOTE]`, and the other four kinds that GitHub knows.
  package var alerts = false
  /// `> [!any kind]- Title`, as Obsidian writes callouts.
  package var callouts = false
  /// `:::note Title` … `:::`, and `::: {.note}`.
  package var directives = false
  /// Fences of backticks that hold Markdown: those of `{note}` and the like.
  package var fencedDirectives = false
  /// `!!! note "Title"`, `??? note` and `=== "Tab"` with an indented body.
  package var admonitions = false
  /// `[[Note|alias]]` and `![[embedded]]`.
  package var wikiLinks = false
  /// `%%comment%%`.
  package var comments = false
  /// `^id` at the end of a block.
  package var blockIDs = false
  /// `Term`, and below it `: description`.
  package var descriptionLists = false
  /// `:tada:`.
  package var emoji = false
  /// `[TOC]` alone in a paragraph, in whose place a table of contents is put.
  package var contents = false
  /// Tags with expressions, `import` and `export`, `{/* comment */}`.
  package var mdx = false
  /// `{% tag %}`.
  package var liquid = false
  /// `{{< tag >}}` and `{{% tag %}}`.
  package var shortcodes = false
  /// `2^10^` and `H~2~O`.
  package var scripts = false
  /// `^[a note where it stands]`.
  package var inlineNotes = false
  /// `{.class key=value}` behind a link, a picture, code or emphasis.
  package var attributes = false
  /// `{: .class}`, behind a span and in a line of its own.
  package var colonAttributes = false
  /// `[words]{.class}`.
  package var bracketedSpans = false
  /// `:material-home:`, a picture from a font.
  package var icons = false
  /// `++ctrl+c++`.
  package var keys = false
  /// `\(TeX\)` and `\[TeX\]`.
  package var texBrackets = false
  /// `$`TeX`$`.
  package var codeMath = false
  /// Tags with an attribute `markdown`, between which Markdown stands.
  package var markdownTags = false
  /// `*[HTML]: what it means`.
  package var abbreviations = false
  /// A heading at the start of `::: {.callout-note}` is its title.
  package var calloutHeadings = false
  /// `title="main.js"` behind a fence.
  package var codeTitles = false
  /// `(name)=`, `% comment` and `+++` in lines of their own, `{role}` before code, pictures as
  /// directives, and options of code.
  package var roles = false
  /// Text between HTML tags is text, and tags that mean the same as Markdown's markup are markup.
  package var htmlText = false
  /// A picture without a description shows its file's name.
  package var imageNames = false
  /// `{#name .class key=value}` behind a heading.
  package var headingAttributes = false

  /// Reads no extension.
  package init() {}

  /// CommonMark and nothing else.
  package static let commonMark = MarkdownOptions()

  /// What GitHub's dialect adds: tables, strikethrough, task lists, autolinks.
  package static let gfm: MarkdownOptions = {
    var options = MarkdownOptions()
    options.tables = true
    options.strikethrough = true
    options.taskLists = true
    options.autolinks = true
    return options
  }()

  /// What is read where nothing says which dialect a document is in: that of GitHub.
  public static let standard = MarkdownDialect.github.options

  /// What the dialects other than CommonMark share.
  static let base: MarkdownOptions = {
    var options = gfm
    options.footnotes = true
    options.frontMatter = true
    options.mark = true
    options.math = true
    options.htmlText = true
    options.imageNames = true
    options.headingAttributes = true
    return options
  }()

  /// Whether blocks may begin that neither CommonMark nor GFM knows.
  var hasOwnBlocks: Bool {
    directives || admonitions || comments || descriptionLists || mdx || liquid || shortcodes
      || colonAttributes
      || markdownTags || abbreviations || roles
  }

  /// Whether spans may begin that neither CommonMark nor GFM knows.
  var hasOwnSpans: Bool {
    wikiLinks || comments || emoji || mdx || liquid || shortcodes || scripts || inlineNotes
      || attributes
      || colonAttributes || icons || keys || texBrackets || roles
  }
}
