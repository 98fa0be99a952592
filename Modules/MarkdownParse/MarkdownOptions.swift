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

  /// Diple's own dialect: everything.
  public static let standard: MarkdownOptions = {
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
}
