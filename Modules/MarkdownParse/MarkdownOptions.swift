/// Which extensions of CommonMark are read.
public struct MarkdownOptions: Hashable, Sendable {
  /// GFM tables.
  public var tables = false
  /// `~struck~` and `~~struck~~`.
  public var strikethrough = false
  /// `[ ]` and `[x]` at the start of list items.
  public var taskLists = false
  /// Bare `www.`, `http://`, `https://` and e-mail addresses.
  public var autolinks = false
  /// `[^label]` and `[^label]: text`.
  public var footnotes = false
  /// YAML between `---` lines at the start of the file.
  public var frontMatter = false
  /// `==marked==`.
  public var mark = false
  /// `$TeX$` and `$$TeX$$`.
  public var math = false

  /// Reads no extension.
  public init() {}

  /// CommonMark and nothing else.
  public static let commonMark = MarkdownOptions()

  /// What GitHub's dialect adds: tables, strikethrough, task lists, autolinks.
  public static let gfm: MarkdownOptions = {
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
    return options
  }()
}
