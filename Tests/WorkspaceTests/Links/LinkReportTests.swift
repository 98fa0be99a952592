import BuiltIn
import Foundation
import LibrarySupport
import MarkdownParse
import Model
import SystemSupport
import TestSupport
import Testing

@testable import Workspace

/// Tests the links of documents, the links to them, and the broken links.
@Suite struct LinkReportTests {
  let bench: LibraryBench
  let folder: String

  init() throws {
    bench = try LibraryBench()
    folder = FileSystem.absolute(bench.folder)
  }

  private func report(_ name: String, _ library: Library) async throws -> LinkReport {
    let open = try await library.open(try await library.document(folder.appending(name)))
    return try await library.links(of: open, file: folder.appending(name))
  }

  /// Returns a link's destination and its target or problem.
  private func summary(_ link: DocumentLink) -> String {
    "\(link.destination) → \(link.target.map(\.name) ?? link.problem!.message)"
      .replacing(folder, with: "")
  }

  @Test func `a link to a page is a link to its Markdown file unless the page exists`()
    async throws
  {
    try bench.write("x.md", "# X\n")
    try bench.write("y.md", "# Y\n")
    try bench.write("y.html", "")
    try bench.write("a.md", "[x](x.html#x) [y](y.html) [z](z.html)\n")
    let library = try bench.open()
    _ = try await library.add([bench.folder])
    let found = try await report("a.md", library)
    #expect(found.links.map(summary) == ["x.html#x → x.md#x", "y.html → /y.html"])
    #expect(found.unresolved.map(\.destination) == ["z.html"])
  }

  @Test func `links of every syntax are listed with their targets`() async throws {
    try bench.write(".obsidian/x", "")
    try bench.write("b.md", "# B\n\n## A *head*\n\nWords. ^w-1\n")
    try bench.write("a.png", "")
    try bench.write("sub/x.txt", "")
    try bench.write(
      "a.md",
      """
      # Top

      [1](b.md) [2][ref] [[b]] [[b#A head|3]] [[b#^w-1]] ![[b]] ![p](a.png) <a href="b.md">h</a>
      <https://a.example> [4](b.md#a-head) [5](#top) [6](#) [7](sub) [8](#nowhere) [9](c.md)
      [[b#No]] [[#Top]] ![[c.png]]

      <div><a href="b.md#none">in a block</a></div>

      [ref]: b.md "Title"
      """)
    let library = try bench.open()
    _ = try await library.add([bench.folder])
    let found = try await report("a.md", library)
    #expect(
      found.links.map(summary) == [
        "b.md → b.md", "b.md → b.md", "[[b]] → b.md", "[[b#A head]] → b.md#A head",
        "[[b#^w-1]] → b.md#^w-1", "[[b]] → b.md", "a.png → /a.png", "b.md → b.md",
        "https://a.example → https://a.example", "b.md#a-head → b.md#a-head", "#top → a.md#top",
        "# → a.md", "sub → /sub", "[[#Top]] → a.md#Top",
      ])
    #expect(found.links.map(\.kind).filter { $0 != .link } == [.embed, .picture])
    #expect(
      found.unresolved.map(summary) == [
        "#nowhere → there is no heading '#nowhere'", "c.md → no such file: /c.md",
        "[[b#No]] → there is no heading '#No'", "[[c.png]] → there is no note 'c.png' in ",
        "b.md#none → there is no heading '#none'",
      ])
    #expect(found.links[3].words == "3" && found.links[3].position.line == 3)
    guard case .document(_, _, let range)? = found.links[3].target else {
      Issue.record("no document")
      return
    }
    let other = try await library.open(try await library.document(folder.appending("b.md")))
    #expect(range.map(other.parsed.text.substring) == "A head")
    #expect(try await library.unresolvedLinks().map(summary) == found.unresolved.map(summary))
  }

  @Test func `backlinks have their sentences, and follow the files`() async throws {
    try bench.write("target.md", "# T\n\nSee [myself](target.md).\n")
    try bench.write("one.md", "First one. It refers to [the target](target.md#t), too. Last.\n")
    try bench.write("sub/two.md", "No link.\n")
    let library = try bench.open()
    _ = try await library.add([bench.folder])
    let first = try await report("target.md", library).backlinks
    #expect(first.map { $0.document?.path.string } == ["one.md"])
    #expect(first.map(\.sentence) == ["It refers to the target, too."])
    #expect(first.map(\.position) == [LinePosition(line: 1, column: 25)])
    let long = String(repeating: "word ", count: 200)
    try bench.write("sub/two.md", "\(long)[x](../target.md) \(long)\n")
    try bench.write("one.md", "No more.\n")
    let second = try await report("target.md", library).backlinks
    #expect(second.map { $0.document?.path.string } == ["sub/two.md"])
    let sentence = try #require(second.first?.sentence)
    #expect(
      sentence.hasPrefix("…word ") && sentence.hasSuffix(" word…") && sentence.contains(" x "))
    #expect(sentence.utf16.count < 410)
  }

  @Test func `a hostile library's links do not lead out of its folder`() async throws {
    let outside = try WorkFolder()
    try outside.write("secret.md", "# Secret\n")
    try FileManager.default.createSymbolicLink(
      atPath: folder.appending("link.md"), withDestinationPath: outside.path + "/secret.md")
    try bench.write(
      "a.md", "[1](\(outside.path)/secret.md#secret) [2](link.md) [3](../../../etc/passwd)\n")
    let library = try bench.open()
    _ = try await library.add([folder.appending("a.md")])
    let found = try await report("a.md", library)
    #expect(found.links.isEmpty)
    #expect(found.unresolved.map { $0.problem?.code } == [.notFound, .notFound, .notFound])
  }

  @Test func `a library in a folder behind a symbolic link knows its documents`() async throws {
    try bench.write("a.md", "[b](b.md)\n")
    try bench.write("b.md", "# B\n")
    let outside = try WorkFolder()
    let alias = outside.path + "/alias"
    try FileManager.default.createSymbolicLink(atPath: alias, withDestinationPath: folder)
    let library = try Library(
      at: LibraryLocation(folder: alias + "/.diple"), plugins: .builtIn, opening: .create)
    _ = try await library.add([alias + "/a.md", alias + "/b.md"])
    let open = try await library.open(try await library.document(alias + "/a.md"))
    let links = try await library.links(of: open, file: alias + "/a.md").links
    #expect(links.map { $0.target?.name } == ["b.md"])
  }

  /// Many links and headings in one file take time in proportion to its size.
  @Test(.timeLimit(.minutes(1)))
  func `a document with many headings and links is resolved quickly`() async throws {
    let count = 20_000
    let text = (0..<count).map { "## H\($0)\n\n[l](#h\($0)) [n](#n\($0))\n" }.joined(
      separator: "\n")
    try bench.write("a.md", text)
    let library = try bench.open()
    _ = try await library.add([folder.appending("a.md")])
    let found = try await report("a.md", library)
    #expect(found.links.count == count && found.unresolved.count == count)
  }
}

extension DocumentLink.Target {
  /// The address or path, with the part after `#`.
  fileprivate var name: String {
    switch self {
    case .address(let address): address
    case .file(let path): path
    case .document(let document, let part, _):
      document.path.string + (part.map { "#\($0.text)" } ?? "")
    }
  }
}
