/// Maps the names that other programs use for Markdown dialects to Diple's names.
package enum MarkdownDialectName {
  private static let others = [
    "gfm": "github", "github-flavored": "github", "commonmark_x": "commonmark", "cm": "commonmark",
    "markdown": "commonmark", "quarto": "pandoc", "rmarkdown": "pandoc", "sphinx": "myst",
    "mkdocs-material": "mkdocs", "material": "mkdocs", "kramdown": "jekyll", "logseq": "obsidian",
    "goldmark": "hugo", "vitepress": "docusaurus",
  ]

  /// Returns Diple's name for a dialect with another name; nil if the name isn't in the table. Case
  /// is ignored.
  package static func known(by name: String) -> String? { others[name.lowercased()] }

  /// The other names.
  package static let otherNames = others.keys.sorted()
}
