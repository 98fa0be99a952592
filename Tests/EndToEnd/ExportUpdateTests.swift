import Foundation
import Testing

/// Tests files whose regions `export` updates.
@Suite struct ExportUpdateTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.write("a.md", "# A\n\nSome words of a.\n\nMore of it, and the end.\n")
    try bench.diple("add", "a.md")
    try bench.diple("mark", "a.md", "\"words\"", "--note", "why")
    try bench.diple("mark", "a.md", "\"end\"")
  }

  @Test func `an update renews the regions and keeps the user's text`() throws {
    #expect(try bench.diple("export", "-o", "notes.md", "--update").code == 0)
    try bench.write(
      "notes.md",
      try bench.read("notes.md").replacing("# A\n", with: "# A\n") + "\nMy conclusion.\n")
    let before = try bench.read("notes.md")
    let same = try bench.diple("export", "-o", "notes.md")
    #expect(same.code == 0 && same.errors.contains("notes.md up to date"), "\(same)")
    #expect(try bench.read("notes.md") == before)
    try bench.diple("mark", "a.md", "\"More\"", "--note", "new one")
    let result = try bench.diple("export", "-o", "notes.md")
    #expect(result.code == 0 && result.errors.contains("notes.md written: 1 added"), "\(result)")
    let text = try bench.read("notes.md")
    let order = ["> words", "> More", "> end", "My conclusion."].map {
      text.firstRange(of: $0)?.lowerBound
    }
    #expect(
      order.allSatisfy { $0 != nil }
        && order.compactMap(\.self) == order.compactMap(\.self).sorted())
    #expect(try bench.read("notes.md~") == before)
  }

  @Test func `a change inside a region is not overwritten`() throws {
    try bench.diple("export", "-o", "notes.md", "--update")
    try bench.write(
      "notes.md", try bench.read("notes.md").replacing("\nwhy\n", with: "\nwhy, I ask\n"))
    let before = try bench.read("notes.md")
    #expect(try bench.diple("export", "-o", "notes.md").errors.contains("1 with your changes kept"))
    let id = try #require(try bench.highlights().first { $0.quote == "words" }).id
    try bench.diple("note", id, "because")
    let refused = try bench.diple("export", "-o", "notes.md")
    #expect(refused.code == 6 && refused.errors.contains("1 region that you changed"), "\(refused)")
    #expect(try bench.read("notes.md") == before)
    let forced = try bench.diple("export", "-o", "notes.md", "--force")
    #expect(forced.code == 0, "\(forced)")
    #expect(try bench.read("notes.md").contains("because") && bench.read("notes.md~") == before)
  }

  @Test func `a region of a removed highlight is reported, and removed with --prune`() throws {
    try bench.diple("export", "-o", "notes.md", "--update")
    let id = try #require(try bench.highlights().first { $0.quote == "end" }).id
    try bench.diple("remove", id)
    let reported = try bench.diple("export", "-o", "notes.md")
    #expect(reported.code == 0 && reported.errors.contains("--prune removes"), "\(reported)")
    #expect(try bench.read("notes.md").contains("> end"))
    let pruned = try bench.diple("export", "-o", "notes.md", "--prune")
    #expect(pruned.code == 0 && pruned.errors.contains("1 removed"), "\(pruned)")
    #expect(try !bench.read("notes.md").contains("> end"))
    // A region that is only filtered out isn't obsolete.
    let other = try bench.diple("export", "-o", "notes.md", "--color", "yellow")
    #expect(!other.errors.contains("--prune"), "\(other)")
  }

  @Test func `damaged markers are rejected, and nothing is written`() throws {
    try bench.diple("export", "-o", "notes.md", "--update")
    let damaged = try bench.read("notes.md").replacing(#/<!-- diple:end hl:[^\n]*\n/#, with: "")
    try bench.write("notes.md", damaged)
    for words in [[], ["--force"], ["--update"]] as [[String]] {
      let result = try bench.run("diple", ["export", "-o", "notes.md"] + words)
      #expect(
        result.code == 6 && result.errors.contains("notes.md is not written: line "), "\(result)")
      #expect(try bench.read("notes.md") == damaged)
    }
    #expect(!FileManager.default.fileExists(atPath: bench.path("notes.md~")))
  }

  @Test func `an update keeps file permissions and symbolic links`() throws {
    try bench.diple("export", "-o", "notes.md", "--update")
    try bench.shell(
      "chmod 600 notes.md && mkdir sub && mv notes.md sub/n.md && ln -s sub/n.md notes.md")
    try bench.diple("mark", "a.md", "\"More\"")
    #expect(try bench.diple("export", "-o", "notes.md").code == 0)
    let modes = try bench.run(
      "stat",
      ["-c", "%a %F", bench.path("sub/n.md"), bench.path("notes.md~"), bench.path("notes.md")])
    #expect(
      modes.lines == ["600 regular file", "600 regular file", "777 symbolic link"], "\(modes)")
    #expect(try bench.read("sub/n.md").contains("> More"))
  }

  @Test func `a custom template is applied, and its losses are reported`() throws {
    try bench.write(
      "t.md",
      """
      ---
      title: {{title|yaml}}
      ---
      {{#highlights}}
      - {{quote|line}} ({{created|date}})
      {{/highlights}}

      """)
    let result = try bench.diple("export", "a.md", "--template", "t.md", "--verbose")
    #expect(
      result.code == 0 && result.output.hasPrefix("---\ntitle: \"A\"\n---\n- words (2"), "\(result)"
    )
    #expect(result.errors.contains("omits") && !result.errors.contains("dates"), "\(result)")
    #expect(
      try bench.diple("export", "a.md", "--template", "t.md", "-o", "n.md", "--update").code == 0)
    let text = try bench.read("n.md")
    #expect(
      text.hasPrefix("---\ntitle: \"A\"\n---\n") && text.contains("<!-- diple:begin hl:"), "\(text)"
    )
    try bench.write("bad.md", "a\n{{titel}}\n")
    let bad = try bench.diple("export", "--template", "bad.md")
    #expect(
      bad.code == 2 && bad.errors.contains("bad.md: line 2: there is no 'titel' here"), "\(bad)")
    #expect(try bench.diple("export", "--template", "no.md").code == 4)
    #expect(try bench.diple("export", "--template", "t.md", "--to", "csv").code == 2)
    #expect(try bench.diple("export", "--update").code == 2)
  }
}
