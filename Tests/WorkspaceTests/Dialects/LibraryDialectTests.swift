import BuiltIn
import Editing
import Foundation
import LibraryFormatting
import LibrarySupport
import MarkdownParse
import Model
import Search
import SystemSupport
import TestSupport
import Testing

@testable import Workspace

/// Tests the dialect of a document, and how highlights follow a change of the dialect.
@Suite struct LibraryDialectTests {
  let bench: LibraryBench
  /// The bench's folder without symbolic links.
  let folder: String

  init() throws {
    bench = try LibraryBench()
    folder = FileSystem.absolute(bench.folder)
  }

  private func place(_ name: String) -> String { folder.appending(name) }

  @Test(arguments: [
    (
      ["vault/.obsidian/app.json"], "vault/a/b.md", MarkdownDialect.obsidian,
      "found .obsidian in vault/"
    ),
    (["mkdocs.yml"], "docs/a.md", .mkdocs, "found mkdocs.yml in "),
    (["_config.yml"], "a.md", .jekyll, "found _config.yml in "),
    (["_config.yml", "_toc.yml"], "a.md", .myst, "found _toc.yml in "),
    (["hugo.toml"], "content/a.md", .hugo, "found hugo.toml in "),
    (["config/_default/x"], "content/a.md", .hugo, "found config/_default in "),
    (["config.toml", "archetypes/x"], "content/a.md", .hugo, "found config.toml in "),
    (["config.yaml", "layouts/x"], "content/a.md", .hugo, "found config.yaml in "),
    (["config.toml", "templates/x"], "content/a.md", .github, "the default"),
    (["docusaurus.config.ts"], "docs/a.mdx", .docusaurus, "found docusaurus.config.ts in "),
    (["x.txt"], "a.MDX", .mdx, "the file's name ends in .mdx"),
    (["_quarto.yml", "notes/.obsidian/x"], "notes/a.md", .obsidian, "found .obsidian in notes/"),
    (["other/mkdocs.yml"], "a.md", .github, "the default"),
  ])
  func `the dialect is detected from the folder's files`(
    files: [String], document: String, dialect: MarkdownDialect, reason: String
  ) throws {
    for file in files { try bench.write(file, "") }
    let choice = Dialects(root: folder, home: nil).choice(for: place(document))
    #expect(choice.dialect == dialect && choice.reason.hasPrefix(reason), "\(choice.reason)")
  }

  @Test func `detection stops at the library's root, a repository or the home folder`() throws {
    try bench.write("mkdocs.yml", "")
    try bench.write("a/.git/HEAD", "")
    func dialect(_ path: String, root: String?, home: String? = nil) -> MarkdownDialect {
      Dialects(root: root.map(place), home: home.map(place))
        .choice(for: place(path)).dialect
    }
    #expect(dialect("a/b/c.md", root: "a/b") == .github)
    #expect(dialect("a/b/c.md", root: nil) == .github)
    #expect(dialect("b/c.md", root: nil, home: "b") == .github)
    #expect(dialect("b/c.md", root: nil) == .mkdocs)
  }

  @Test
  func `rules for a folder precede the general setting, which precedes detection`()
    throws
  {
    try bench.write("mkdocs.yml", "")
    let dialects = Dialects(
      root: folder, home: nil,
      rules: DialectRules(
        dialect: .pandoc, origin: "markdown.dialect in f:1",
        folders: [
          .init(path: "notes", dialect: .obsidian), .init(path: "notes/site", dialect: nil),
          .init(path: place("raw"), dialect: .commonmark),
        ], foldersOrigin: "markdown.folders in f:2"))
    func choice(_ path: String) -> DialectChoice { dialects.choice(for: place(path)) }
    #expect(choice("a.md") == DialectChoice(.pandoc, because: "set by markdown.dialect in f:1"))
    #expect(
      choice("notes/b/a.md")
        == DialectChoice(.obsidian, because: "set for notes by markdown.folders in f:2"))
    #expect(choice("notes/site/a.md").dialect == .mkdocs)
    #expect(choice("raw/a.md").dialect == .commonmark)
    #expect(choice("notes.md").dialect == .pandoc)
  }

  private static let note = """
    # Fox

    > [!tip]- About [[Animals|the quick fox]]
    > It %%surely%% jumps over :tada: dogs. ^jump

    The lazy dog sleeps.

    """

  @Test func `highlights keep their words when the dialect changes`() async throws {
    let (library, document) = try await bench.open(with: Self.note)
    func mark(_ spec: String) async throws -> Highlight {
      try await library.mark(document, try SelectionSpec(parsing: spec)).highlights[0]
    }
    let highlights = [
      try await mark("\"jumps over\""), try await mark("\"lazy dog\""),
      try await mark("\"the quick fox\""),
    ]
    func expect(_ texts: [String], _ dialect: MarkdownDialect) async throws {
      let report = try await library.refresh([document])[0]
      #expect(report.change == .changed)
      let open = try await library.open(document)
      #expect(open.parsed.dialect == dialect)
      for (highlight, text) in zip(highlights, texts) {
        let now = try #require(open.highlights.first { $0.id == highlight.id })
        let range = try #require(now.anchor.range, "\(text) is \(now.anchor.state)")
        #expect(open.parsed.text.substring(range) == text)
        #expect([.exact, .edited].contains(now.anchor.state), "\(now.anchor.state)")
      }
      #expect(try await library.refresh([document])[0].change == .unchanged)
    }
    let words = ["jumps over", "lazy dog", "the quick fox"]
    try bench.write(".obsidian/app.json", "{}")
    try await expect(words, .obsidian)
    #expect(try await library.open(document).parsed.text.string.contains("It jumps over :tada:"))
    library.dialects.rules = DialectRules(dialect: .commonmark, origin: "X")
    try await expect(words, .commonmark)
    library.dialects.rules = DialectRules()
    try FileManager.default.removeItem(atPath: place(".obsidian"))
    try await expect(words, .github)
    // Another process finds nothing to update.
    let other = try bench.open()
    #expect(try await other.refresh()[0].change == .unchanged)
  }

  @Test func `a search parses a document again if its dialect has changed`() async throws {
    let (library, _) = try await bench.open(with: "The %%secret%% word.\n")
    func count() async throws -> Int {
      let found = Counter()
      var request = SearchRequest(query: try SearchQuery("secret"))
      request.checksFiles = true
      _ = try await library.search(request) { event in
        if case .found = event { found.add() }
        return true
      }
      return found.value
    }
    #expect(try await count() == 1)
    library.dialects.rules = DialectRules(dialect: .obsidian, origin: "X")
    #expect(try await count() == 0)
  }

  @Test func `formatting keeps the wiki links of a document's dialect`() async throws {
    try bench.write(".obsidian/app.json", "{}")
    let (library, document) = try await bench.open(with: "See [[Fox|foxes]] run.\n")
    let highlight = try await library.mark(
      document, try SelectionSpec(parsing: "\"run\"")
    ).highlights[0]
    _ = try await library.format(
      document, try SelectionSpec(parsing: "\"See\""), .toggle(.strong))
    let open = try await library.open(document)
    #expect(open.report?.change == .unchanged)
    #expect(open.parsed.source == MarkdownSource("**See** [[Fox|foxes]] run.\n"))
    #expect(open.parsed.text.string == "See foxes run.")
    #expect(open.highlights.first { $0.id == highlight.id }?.anchor.state == .exact)
  }

  @Test func `a linked note is found by its path, by its name and beside the linking file`()
    async throws
  {
    for name in [".obsidian/x", "Fox.md", "a/Dog.md", "a/Cat.md", "b/Cat.md", "b/c/Own.md"] {
      try bench.write(name, "# T\n\n## Its *part*\n\nWords. ^w-1\n")
    }
    let library = try bench.open()
    _ = try await library.add([bench.folder])
    func file(_ name: String, from: String = "Fox.md") async throws -> String {
      String(
        try await library.file(ofNote: name, from: place(from)).dropFirst(
          folder.count + 1))
    }
    #expect(try await file("Fox", from: "b/c/Own.md") == "Fox.md")
    #expect(try await file("dog") == "a/Dog.md")
    #expect(try await file("a/Cat") == "a/Cat.md")
    #expect(try await file("c/own") == "b/c/Own.md")
    #expect(try await file("Cat", from: "b/Cat.md") == "b/Cat.md")
    #expect(try await failure { _ = try await file("Cat") }.code == .ambiguous)
    #expect(try await failure { _ = try await file("Nobody") }.code == .notFound)
    #expect(try await failure { _ = try await file("../../etc/passwd") }.code == .notFound)
    let parsed = ParsedDocument(
      parsing: MarkdownSource("# T\n\n## Its *part*\n\nWords. ^w-1\n"), in: .obsidian)
    let parts = LinkParts(parsed)
    for (part, text) in [
      ("its part", "Its part"), ("T#Its part", "Its part"), ("^w-1", "Words."), ("^w-2", nil),
    ] {
      #expect(parts.range(of: .note(part)).map(parsed.text.substring) == text)
    }
  }

  @Test(arguments: [
    (
      "---\ntitle: A title\nauthor: Ada\ndate: 2024-05-06\n---\ntext",
      ["A title", "Ada · 2024-05-06"]
    ),
    ("---\ntitle: Same\ndate: 2024-05-06\n---\n# Same\n", ["", "2024-05-06"]),
    ("---\ntags: [a]\n---\ntext", []), ("text", []), ("---\ntitle: [\n---\n", []),
  ])
  func `the document head shows title, author and date of the front matter`(
    markdown: String, lines: [String]
  ) {
    #expect(DocumentHead(of: ParsedDocument(parsing: MarkdownSource(markdown))).lines == lines)
  }
}

/// A counter for the events of a search.
private final class Counter: @unchecked Sendable {
  private let lock = NSLock()
  private var count = 0
  var value: Int { lock.withLock { count } }
  func add() { lock.withLock { count += 1 } }
}
