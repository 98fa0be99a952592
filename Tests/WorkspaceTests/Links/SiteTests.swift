import Foundation
import LibrarySupport
import MarkdownParse
import Model
import SystemSupport
import TestSupport
import Testing

@testable import Workspace

/// Tests how the addresses of websites and vaults lead to files.
@Suite struct SiteTests {
  let bench: LibraryBench
  let folder: String

  init() throws {
    bench = try LibraryBench()
    folder = FileSystem.absolute(bench.folder)
  }

  @Test(arguments: [
    ("/images/x.png", "static/images/x.png"), ("/css/a.css", "assets/css/a.css"),
    ("/posts/b/", "content/posts/b.md"), ("/posts/c", "content/posts/c/index.md"),
    ("/posts/", "content/posts/_index.md"), ("/posts/b/#part", "content/posts/b.md"),
    ("b.md", "content/posts/b.md"), ("../b/", "content/posts/b.md"),
    ("posts/c", "content/posts/c/index.md"), ("d.md", "content/deep/d.md"),
    ("/deep/upper/", "content/deep/Upper.md"),
    ("/../../../etc/passwd", nil), ("/posts/none", nil), ("e.md", nil),
  ])
  func `Hugo's addresses lead to its content and static files`(link: String, file: String?)
    async throws
  {
    for name in [
      "hugo.toml", "static/images/x.png", "assets/css/a.css", "content/posts/a.md",
      "content/posts/b.md", "content/posts/c/index.md", "content/posts/_index.md",
      "content/deep/d.md", "content/deep/Upper.md", "content/x/e.md", "content/y/e.md",
    ] {
      try bench.write(name, "# Part\n")
    }
    #expect(try await file == self.file(link, from: "content/posts/a.md"))
  }

  @Test func `Hugo's pages of a language have their own folder`() async throws {
    for name in ["hugo.toml", "content/en/a.md", "content/en/b.md", "content/de-at/b.md"] {
      try bench.write(name, "")
    }
    #expect(try await file("/b/", from: "content/en/a.md") == "content/en/b.md")
  }

  @Test(arguments: [
    ("mkdocs.yml", "docs/a.md", "/guide/b/", "docs/guide/b.md"),
    ("mkdocs.yml", "docs/a.md", "../guide/b/", "docs/guide/b.md"),
    ("docusaurus.config.js", "docs/a.md", "/img/x.png", "static/img/x.png"),
    ("docusaurus.config.js", "docs/a.md", "/docs/guide/b", "docs/guide/b.mdx"),
    ("docusaurus.config.js", "docs/a.md", "./guide/b", "docs/guide/b.mdx"),
    ("_config.yml", "_posts/a.md", "/assets/x.png", "assets/x.png"),
    ("_config.yml", "_posts/a.md", "/about.html", "about.md"),
    (".obsidian/app.json", "notes/a.md", "guide/b.md", "guide/b.md"),
    (".obsidian/app.json", "notes/a.md", "b", "notes/b.md"),
    ("x", "docs/a.md", "/img/x.png", nil),
  ])
  func `other tools have their own folders`(
    settings: String, from: String, link: String, file: String?
  ) async throws {
    try bench.write(settings, "")
    try bench.write(from, "")
    if let file { try bench.write(file, "") }
    #expect(try await file == self.file(link, from: from))
  }

  private func file(_ link: String, from: String) async throws -> String? {
    let library = try bench.open()
    _ = try await library.add([folder.appending(from)])
    let document = try await library.document(folder.appending(from))
    let place = try? await library.place(
      ofLink: link, in: folder.appending(from), of: document)
    return place?.file.map { String($0.dropFirst(folder.count + 1)) }
  }
}
