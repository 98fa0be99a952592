import Interchange
import LibraryExchange
import LibrarySupport
import Model
import SystemSupport
import TestSupport
import Testing

@testable import Workspace

@Suite struct DocumentSourceTests {
  let folder: LibraryFolder

  init() throws { folder = try LibraryFolder() }

  private func entry(_ values: [(Source.Variable, String)]) -> Source {
    var source = Source()
    for (variable, text) in values { source.set(variable, typed: text) }
    return source
  }

  @Test func `front matter provides fields of the source that are not set`() async throws {
    try folder.write(
      "a.md",
      """
      ---
      title: "On signs"
      author: [Ann Lee, "[[Bo Ek]]"]
      date: 2019-05-01
      source: https://x.org/a
      ---
      # Other

      Text.
      """)
    let library = try await folder.library()
    let document = try await library.document("a.md")
    let source = try await library.source(of: document)
    #expect(source.whole.text(.author) == "Lee, Ann; Ek, Bo")
    #expect(source.whole.text(.url) == "https://x.org/a")
    #expect(source.origin(of: .title) == .file && source.origin(of: .doi) == nil)
    let changed = try await library.source(
      of: document, setting: entry([(.author, "Cy"), (.page, "3")]), dryRun: false)
    #expect(changed.whole.text(.author) == "Cy" && changed.origin(of: .author) == .set)
    #expect(changed.whole.text(.issued) == "2019-05-01" && changed.userSource.text(.issued).isEmpty)
    let known = try await library.sources().map(\.document.id)
    #expect(known == [document.id])
    let error = try await failure {
      _ = try await library.source(of: document, setting: changed.userSource, dryRun: false)
    }
    #expect(error.code == .nothing)
    let large = entry([(.note, String(repeating: "x", count: 70_000))])
    let refused = try await failure {
      _ = try await library.source(of: document, setting: large, dryRun: true)
    }
    #expect(refused.code == .usage)
  }

  @Test func `the description of a page is its abstract`() async throws {
    try folder.write(
      "a.md", "---\ntitle: On signs\ndescription: How signs\n  came about.\n---\nx\n")
    let library = try await folder.library()
    let source = try await library.source(of: try await library.document("a.md"))
    #expect(source.whole.text(.abstract) == "How signs came about.")
  }

  @Test func `if no source is set, it is the title of the document`() async throws {
    try folder.write("a.md", "# Signs\n")
    let library = try await folder.library()
    let source = try await library.source(of: try await library.document("a.md"))
    #expect(source.whole.text(.title) == "Signs" && !source.isKnown)
    let known = try await library.sources()
    #expect(known.isEmpty)
  }

  @Test func `bibliography entries are linked to the matching documents in one step`() async throws
  {
    for (name, text) in [
      ("doi.md", "---\ndoi: https://doi.org/10.1/ABC\n---\n# A\n"),
      ("url.md", "---\nurl: http://www.x.org/p/\n---\n# B\n"),
      ("isbn.md", "---\nisbn: 0-15-603041-1\n---\n# C\n"), ("title.md", "# On the *Signs*\n"),
      ("old.md", "---\ntitle: Dated\ndate: 1990\n---\n"), ("t1.md", "# Twin\n"),
      ("t2.md", "# Twin!\n"),
    ] { try folder.write(name, text) }
    let library = try await folder.library()
    let entries = [
      entry([(.citationKey, "a"), (.doi, "10.1/abc")]),
      entry([(.citationKey, "b"), (.url, "https://x.org/p#q")]),
      entry([(.citationKey, "c"), (.isbn, "9780156030410")]),
      entry([(.citationKey, "d"), (.title, "On the signs")]),
      entry([(.citationKey, "e"), (.title, "Dated"), (.issued, "2001")]),
      entry([(.citationKey, "f"), (.title, "twin")]),
    ]
    let tried = try await library.link(entries, dryRun: true)
    #expect(tried.links.allSatisfy { $0.isNew })
    var sources = try await library.sources()
    #expect(sources.allSatisfy { $0.source.userSource.isEmpty })
    let found = try await library.link(entries, dryRun: false)
    #expect(found.links.map(\.document.path.string) == ["doi.md", "url.md", "isbn.md", "title.md"])
    #expect(found.links.map(\.by) == [.doi, .url, .isbn, .title])
    #expect(found.unmatched.map { $0.text(.citationKey) } == ["e"])
    #expect(found.ambiguous.map { $0.documents.count } == [2])
    let again = try await library.link(entries, dryRun: false)
    #expect(again.links.allSatisfy { !$0.isNew })
    let undone = try await library.undo()
    sources = try await library.sources()
    #expect(sources.allSatisfy { $0.source.userSource.isEmpty }, "\(undone)")
  }

  @Test func `exports contain the author and title of the work`() async throws {
    try folder.write("a.md", "# Signs\n\nThe quick fox.\n")
    let library = try await folder.library()
    _ = try await library.mark("a.md", "\"quick fox\"")
    _ = try await library.source(
      of: try await library.document("a.md"),
      setting: entry([(.author, "Woolf, Virginia"), (.title, "A Room"), (.issued, "1929")]),
      dryRun: false)
    let csv = try await library.export(HighlightFilter(), as: "readwise", to: "")
    #expect(csv.contains("A Room,Virginia Woolf"), "\(csv)")
  }

  @Test func `an export for Readwise contains the address of the document`() async throws {
    try folder.write("a.md", "---\nurl: https://x.org/a\n---\n# Signs\n\nThe quick fox.\n")
    let library = try await folder.library()
    _ = try await library.mark("a.md", "\"quick fox\"")
    let readwise = try await library.export(HighlightFilter(), as: "readwise", to: "")
    #expect(readwise.contains("quick fox,Signs,,https://x.org/a,,6,"), "\(readwise)")
  }
}
