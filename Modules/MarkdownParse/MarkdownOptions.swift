/// The set of enabled extensions of CommonMark.
public struct MarkdownOptions: Hashable, Sendable {
  /// Enables GFM tables.
  package var tables = false
  /// Enables `~struck~` and `~~struck~~`.
  package var strikethrough = false
  /// Enables `[ ]` and `[x]` at the start of list items.
  package var taskLists = false
  /// Enables bare `www.`, `http://`, `https://` and email addresses.
  package var autolinks = false
  /// Enables `[^label]` and `[^label]: text`.
  package var footnotes = false
  /// Enables YAML between lines of `---`, or TOML between lines of `+++`, at the start of the file.
  package var frontMatter = false
  /// Enables `==marked==`.
  package var mark = false
  /// Enables `$TeX$` and `$$TeX$$`.
  package var math = false
  /// Enables `> [!NOTE]` and the other four alerts of GitHub.
  package var alerts = false
  /// Enables `> [!any type]- Title`, the callouts of Obsidian.
  package var callouts = false
  /// Enables `:::note Title` … `:::`, and `::: {.note}`.
  package var directives = false
  /// Enables backtick fences around Markdown, for `{note}` and other admonitions.
  package var fencedDirectives = false
  /// Enables `!!! note "Title"`, `??? note` and `=== "Tab"`, with an indented body.
  package var admonitions = false
  /// Enables `[[Note|alias]]` and `![[embedded]]`.
  package var wikiLinks = false
  /// Enables `%%comment%%`.
  package var comments = false
  /// Enables `^id` at the end of a block.
  package var blockIDs = false
  /// Enables a `Term` with a line `: description` below it.
  package var descriptionLists = false
  /// Enables `:tada:`.
  package var emoji = false
  /// Hides a paragraph `[TOC]`, which a table of contents replaces in other programs.
  package var contents = false
  /// Enables MDX: tags with expressions, `import` and `export`, and `{/* comment */}`.
  package var mdx = false
  /// Enables `{% tag %}`.
  package var liquid = false
  /// Enables `{{< tag >}}` and `{{% tag %}}`.
  package var shortcodes = false
  /// Enables `2^10^` and `H~2~O`.
  package var scripts = false
  /// Enables `^[inline note]`.
  package var inlineNotes = false
  /// Enables `{.class key=value}` after a link, an image, code or emphasis.
  package var attributes = false
  /// Enables `{: .class}` after a span or on a separate line.
  package var colonAttributes = false
  /// Enables `[words]{.class}`.
  package var bracketedSpans = false
  /// Enables `:material-home:`, an image from an icon font.
  package var icons = false
  /// Enables `++ctrl+c++`.
  package var keys = false
  /// Enables `\(TeX\)` and `\[TeX\]`.
  package var texBrackets = false
  /// Enables `` $`TeX`$ ``.
  package var codeMath = false
  /// Enables Markdown between HTML tags with the attribute `markdown`.
  package var markdownTags = false
  /// Enables `*[HTML]: explanation`.
  package var abbreviations = false
  /// Uses a heading at the start of `::: {.callout-note}` as its title.
  package var calloutHeadings = false
  /// Enables `title="main.js"` after a code fence.
  package var codeTitles = false
  /// Enables `(name)=`, `% comment` and `+++` on separate lines, `{role}` before code, directives
  /// for images, and options of code directives.
  package var roles = false
  /// Treats the text between HTML tags as text, and tags with a Markdown equivalent as markup.
  package var htmlText = false
  /// Shows the file name of an image without a description.
  package var imageNames = false
  /// Enables `{#name .class key=value}` after a heading.
  package var headingAttributes = false

  /// Creates options without any extension.
  package init() {}

  /// CommonMark without extensions.
  package static let commonMark = MarkdownOptions()

  /// The extensions of GFM: tables, strikethrough, task lists and autolinks.
  package static let gfm: MarkdownOptions = {
    var options = MarkdownOptions()
    options.tables = true
    options.strikethrough = true
    options.taskLists = true
    options.autolinks = true
    return options
  }()

  /// The options of the default dialect, GitHub's.
  public static let standard = MarkdownDialect.github.options

  /// The options of Obsidian's dialect.
  public static let obsidian = MarkdownDialect.obsidian.options

  /// The extensions that all dialects except CommonMark share.
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

  /// Whether blocks are enabled that neither CommonMark nor GFM defines.
  var hasDialectBlocks: Bool {
    directives || admonitions || comments || descriptionLists || mdx || liquid || shortcodes
      || colonAttributes
      || markdownTags || abbreviations || roles
  }

  /// Whether spans are enabled that neither CommonMark nor GFM defines.
  var hasOwnSpans: Bool {
    wikiLinks || comments || emoji || mdx || liquid || shortcodes || scripts || inlineNotes
      || attributes
      || colonAttributes || icons || keys || texBrackets || roles
  }
}
