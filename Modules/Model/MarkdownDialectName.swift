/// Other names that people know dialects of Markdown by.
package enum MarkdownDialectName {
  private static let others = [
    "gfm": "github", "github-flavored": "github", "commonmark_x": "commonmark", "cm": "commonmark",
    "markdown": "commonmark", "quarto": "pandoc", "rmarkdown": "pandoc", "sphinx": "myst",
    "mkdocs-material": "mkdocs", "material": "mkdocs", "kramdown": "jekyll", "logseq": "obsidian",
    "goldmark": "hugo", "vitepress": "docusaurus",
  ]

  /// What Diple calls the dialect that has another name elsewhere; nil for a name that nobody uses.
  package static func known(by name: String) -> String? { others[name.lowercased()] }
}
