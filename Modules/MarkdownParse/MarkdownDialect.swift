/// A named set of extensions of CommonMark, as a community writes it.
package enum MarkdownDialect: String, Hashable, Sendable, CaseIterable {
  /// What GitHub shows, with `==marks==`: the dialect where nothing says another.
  case github
  /// CommonMark and nothing else.
  case commonmark
  /// Obsidian's notes.
  case obsidian
  /// MkDocs, with what its theme Material turns on.
  case mkdocs
  /// Docusaurus, which reads MDX.
  case docusaurus
  /// MyST, for Sphinx and Jupyter Book.
  case myst
  /// Pandoc and Quarto.
  case pandoc
  /// Jekyll, with Liquid's tags.
  case jekyll
  /// MDX.
  case mdx
  /// Hugo, with its shortcodes.
  case hugo

  /// The dialect where nothing says another.
  package static let standard = MarkdownDialect.github

  /// What the dialect turns on: the one table of it.
  package var options: MarkdownOptions {
    if self == .commonmark { return .commonMark }
    var options = MarkdownOptions.base
    for extra in extras { options[keyPath: extra] = true }
    return options
  }

  private var extras: [WritableKeyPath<MarkdownOptions, Bool>] {
    switch self {
    case .github: [\.alerts, \.emoji, \.contents, \.codeMath]
    case .commonmark: []
    case .obsidian: [\.callouts, \.wikiLinks, \.comments, \.blockIDs, \.inlineNotes]
    case .mkdocs:
      [
        \.alerts, \.admonitions, \.descriptionLists, \.emoji, \.contents, \.scripts, \.attributes,
        \.colonAttributes, \.icons, \.keys, \.texBrackets, \.markdownTags, \.abbreviations,
        \.codeTitles,
      ]
    case .docusaurus: [\.alerts, \.directives, \.mdx, \.codeTitles]
    case .myst: [\.alerts, \.directives, \.fencedDirectives, \.descriptionLists, \.roles]
    case .pandoc:
      [
        \.alerts, \.directives, \.descriptionLists, \.scripts, \.inlineNotes, \.attributes,
        \.bracketedSpans, \.calloutHeadings, \.codeTitles,
      ]
    case .jekyll:
      [
        \.alerts, \.liquid, \.descriptionLists, \.colonAttributes, \.markdownTags,
        \.abbreviations,
      ]
    case .mdx: [\.alerts, \.mdx, \.codeTitles]
    case .hugo: [\.callouts, \.shortcodes, \.descriptionLists, \.emoji]
    }
  }
}
