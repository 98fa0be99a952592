/// A named set of extensions of CommonMark, as used by a program or site.
///
/// ```swift
/// let options = MarkdownDialect.obsidian.options
/// let document = ParsedDocument(parsing: MarkdownSource("See [[Walden]]."), options: options)
/// ```
package enum MarkdownDialect: String, Hashable, Sendable, CaseIterable {
  /// GitHub's dialect with `==marks==`; the default dialect.
  case github
  /// CommonMark without extensions.
  case commonmark
  /// Obsidian.
  case obsidian
  /// MkDocs, with the extensions that the theme Material enables.
  case mkdocs
  /// Docusaurus, which uses MDX.
  case docusaurus
  /// MyST, for Sphinx and Jupyter Book.
  case myst
  /// Pandoc and Quarto.
  case pandoc
  /// Jekyll, with Liquid tags.
  case jekyll
  /// MDX.
  case mdx
  /// Hugo, with shortcodes.
  case hugo

  /// The dialect of documents for which no dialect is set or detected.
  package static let standard = MarkdownDialect.github

  /// The options that the dialect enables. This is the only table of them.
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
