import Foundation
import Testing

/// Tests the main workflow with the real programs: read, highlight, edit with an editor, read
/// again.
@Suite struct MainJobTests {
  let bench: Workbench
  private static let article = """
    ---
    title: On signs
    ---
    # The diple

    A *diple* is the mark that **ancient readers** set in the margin beside a passage worth
    noticing. Hello 👋 world. Aristarchus used it in his edition of Homer.

    ## The obelus

    The obelus says that a line is doubtful, and the reader sees both the line and the doubt.

    ## The end

    What all of them have in common is that the text itself stayed clean.

    """

  init() throws {
    bench = try Workbench()
    try bench.write("signs.md", Self.article)
    #expect(try bench.diple("add", "signs.md").code == 0)
  }

  private func mark() throws {
    for (spec, color) in [
      ("\"diple is the mark that ancient readers set\"", "yellow"),
      ("\"Hello 👋 world\"", "green"), ("\"The obelus says\"…\"the doubt.\"", "blue"),
      ("\"stayed clean\"", "pink"),
    ] {
      let result = try bench.diple("mark", "signs.md", spec, "--color", color)
      #expect(result.code == 0, "\(result.errors)")
    }
  }

  @Test func `highlighting and reading never write the file`() throws {
    let before = try bench.read("signs.md")
    try mark()
    try bench.diple("show", "signs.md")
    try bench.diple("highlight", "edit", "1", "--note", "changed")
    #expect(try bench.read("signs.md") == before)
  }

  @Test func `a highlight may span bold and italic, and contains whole emoji`() throws {
    try mark()
    let found = try bench.highlights()
    #expect(
      found.map(\.quote) == [
        "diple is the mark that ancient readers set", "Hello 👋 world",
        "The obelus says that a line is doubtful, and the reader sees both the line and the doubt.",
        "stayed clean",
      ])
    let emoji = try #require(found[1].range)
    #expect(emoji.end - emoji.start == "Hello 👋 world".utf16.count)
    let page = try bench.diple("show", "signs.md").output
    #expect(page.contains("A [Y:diple is the mark that ancient readers set] in the margin"))
    #expect(page.contains("[G:Hello 👋 world]"))
  }

  @Test func `anchors follow an edit by sed, and reverting it restores each of them`() throws {
    try mark()
    let before = try bench.highlights()
    try bench.shell(
      "cp signs.md original.md && sed -i -e '5i A new first paragraph.\\n' -e 's/a line is doubtful/a line is rather doubtful/' -e '/stayed clean/d' signs.md"
    )
    let result = try bench.diple("list")
    #expect(result.errors.contains("signs.md changed: 2 kept (2 shifted), 1 edited, 1 orphaned"))
    #expect(result.errors.contains("orphaned") && result.errors.contains("stayed clean"))
    let after = try bench.highlights()
    #expect(after.map(\.state) == ["exact", "exact", "edited", "orphaned"])
    #expect(after[3].quote == "stayed clean" && after[3].range == nil)
    #expect(try bench.diple("show", "signs.md").output.contains("Orphaned:"))

    try bench.shell("cp original.md signs.md")
    #expect(try bench.diple("refresh").output.contains("4 kept"))
    #expect(try bench.highlights() == before)
  }

  @Test func `anchors follow an editor that writes a new file and renames it`() throws {
    try mark()
    try bench.shell(
      "sed 's/^# The diple/# The diple and others/' signs.md > new && mv new signs.md")
    #expect(try bench.diple("list").errors.contains("4 kept (4 shifted)"))
  }

  @Test func `an edit of the same length within the same second is detected`() throws {
    try mark()
    try bench.diple("list")
    try bench.shell("sed -i 's/Hello/Jello/' signs.md && touch -d @0 signs.md")
    #expect(try bench.highlights()[1].state == "edited")
  }

  @Test func `switching the git branch and back restores all highlights`() throws {
    try mark()
    let before = try bench.highlights()
    try bench.shell(
      """
      git init -q -b main . && git config user.email a@example.invalid && git config user.name A
      git add signs.md && git commit -qm one && git checkout -qb other
      sed -i -e '/^## The obelus/,/^## The end/d' -e 's/ancient/old/' signs.md
      git commit -qam two
      """)
    #expect(try bench.highlights().map(\.state) == ["edited", "exact", "exact", "orphaned"])
    try bench.shell("git checkout -q main")
    #expect(try bench.highlights() == before)
    try bench.shell("git checkout -q other")
    #expect(try bench.highlights().map(\.state) == ["edited", "exact", "exact", "orphaned"])
    try bench.shell("git checkout -q main")
    #expect(try bench.highlights() == before)
  }

  @Test func `a deleted file is reported as missing, and its highlights are restored with it`()
    throws
  {
    try mark()
    let before = try bench.highlights()
    try bench.shell("mv signs.md .elsewhere")
    let missing = try bench.diple("list")
    #expect(missing.errors.contains("signs.md is missing: 4 highlights listed"))
    #expect(missing.lines.count == 4)
    #expect(try bench.diple("show", "signs.md").code == 4)
    #expect(try bench.diple("doc", "list").output.contains("missing"))
    try bench.shell("mv .elsewhere signs.md")
    #expect(try bench.diple("list").errors.contains("signs.md was found again: 4 kept"))
    #expect(try bench.highlights() == before)
  }

  @Test func `doc link sets the path of a moved document`() throws {
    try mark()
    try bench.shell("mkdir sub && mv signs.md sub/moved.md")
    #expect(try bench.diple("doc", "link", "On signs", "sub/moved.md").code == 0)
    #expect(try bench.highlights().map(\.state) == ["exact", "exact", "exact", "exact"])
  }

  @Test func `removing a document removes its highlights, and restoring it restores them`()
    throws
  {
    try mark()
    let before = try bench.highlights()
    #expect(try bench.diple("doc", "remove", "signs.md").code == 2)
    #expect(try bench.diple("doc", "remove", "signs.md", "--yes").code == 0)
    #expect(try bench.diple("list").code == 1)
    #expect(try bench.diple("doc", "list").code == 1)
    #expect(try bench.diple("doc", "restore", "signs.md").output.contains("4 highlights"))
    #expect(try bench.highlights() == before)
  }

  @Test func `a highlight is shown, edited, removed and restored`() throws {
    try mark()
    let id = String(try bench.highlights()[0].number)
    #expect(
      try bench.diple("highlight", "edit", id, "--color", "blue", "--note", "Why?", "--tag", "#a b")
        .code == 0)
    let edited = try bench.highlights()[0]
    #expect(edited.color == "blue" && edited.note == "Why?" && edited.tags == ["a b"])
    #expect(try bench.diple("hl", "show", id).output.contains("Why?"))
    #expect(try bench.diple("hl", "color", id, "blue").code == 1)
    #expect(try bench.diple("hl", "remove", id).code == 0)
    #expect(try bench.highlights().count == 3)
    #expect(try bench.diple("list", "--trashed").lines.count == 1)
    #expect(try bench.diple("hl", "restore", id).code == 0)
    #expect(try bench.highlights().count == 4)
    #expect(try bench.diple("list", "--tag", "a b").lines.count == 1)
    #expect(try bench.diple("list", "--color", "green").lines.count == 1)
  }

  @Test func `the command at prints the highlights that cover a position`() throws {
    try mark()
    let green = try bench.highlights()[1]
    #expect(try bench.diple("at", "signs.md", "u16:\(green.range!.start)").output.contains("Hello"))
    #expect(try bench.diple("at", "signs.md", "\(green.line!):12").output.contains("Hello"))
    #expect(try bench.diple("at", "signs.md", "u16:0").code == 1)
    #expect(try bench.diple("at", "signs.md", "99:1").code == 1)
  }

  @Test func `empty and ambiguous selections are rejected with a reason`() throws {
    let many = try bench.diple("mark", "signs.md", "\"The\"")
    #expect(many.code == 5)
    #expect(many.errors.contains("#1") && many.errors.contains("#2"))
    #expect(try bench.diple("mark", "signs.md", "\"The\"#2").code == 0)
    #expect(try bench.diple("mark", "signs.md", "u16:4-4").code == 1)
    #expect(try bench.diple("mark", "signs.md", "\"not there\"").code == 1)
    #expect(try bench.diple("mark", "signs.md", "\"\"").code == 2)
    #expect(try bench.diple("mark", "signs.md", "wrod:3").code == 2)
    #expect(try bench.diple("mark", "signs.md", "-", input: "stayed\n  clean\n").code == 0)
  }

  @Test func `JSON output and errors contain their schema`() throws {
    try mark()
    #expect(try bench.diple("list", "--json").output.contains(#""schema":"diple.highlights/1""#))
    #expect(
      try bench.diple("hl", "show", "1", "--json").output.contains(#""schema":"diple.highlight/1""#)
    )
    #expect(
      try bench.diple("show", "signs.md", "--json").output.contains(#""schema":"diple.page/1""#))
    #expect(
      try bench.diple("doc", "list", "--json").output.contains(#""schema":"diple.documents/1""#))
    let error = try bench.diple("show", "nothing", "--json")
    #expect(error.code == 4 && error.errors.contains(#""schema":"diple.error/1""#))
  }

  @Test func `the REPL runs commands from a pipe`() throws {
    let result = try bench.repl(
      """
      # a comment
      show signs.md --plain
      mark "stayed clean" --color pink --note "so they say"
      mark "The"#2
      mark "Hello"…"world"
      list
      nonsense
      hl show 1
      """)
    #expect(result.code == 2)
    #expect(result.errors.contains("there is no command 'nonsense'"))
    #expect(result.output.contains("[P*:stayed clean]"))
    #expect(try bench.highlights().map(\.quote) == ["Hello 👋 world", "The", "stayed clean"])
    #expect(try bench.highlights()[2].note == "so they say")
  }

  @Test func `show and select work without a library`() throws {
    bench.environment["DIPLE_LIBRARY"] = bench.path("none")
    #expect(try bench.diple("show", "-", input: "# Hi\n\n*there*").output == "# Hi\n\nthere\n")
    #expect(try bench.diple("show", "signs.md").output.contains("ancient readers"))
    #expect(try bench.diple("select", "signs.md", "para:1").output == "The diple\n")
    #expect(!FileManager.default.fileExists(atPath: bench.path("none")))
  }

  @Test func `the nearest library in a parent folder is used`() throws {
    bench.environment["DIPLE_LIBRARY"] = nil
    #expect(try bench.diple("init").code == 0)
    try bench.shell("mkdir -p a/b && cp signs.md a/b/")
    #expect(try bench.diple("add", "a").output.contains("added a/b/signs.md"))
    #expect(FileManager.default.fileExists(atPath: bench.path(".diple/library.sqlite")))
  }
}
