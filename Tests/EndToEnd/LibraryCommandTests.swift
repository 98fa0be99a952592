import Foundation
import Testing

/// Tests commands with folders, labels, existing files and empty libraries.
@Suite struct LibraryCommandTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  private func prepare() throws {
    try bench.shell("mkdir notes && printf '# A\\n\\nOne fox.\\n' > notes/a.md")
    try bench.write("b.md", "# B\n\nAnother fox.\n")
    try bench.diple("add", ".")
    try bench.diple("mark", "notes/a.md", "fox", "--color", "pink")
    try bench.diple("mark", "b.md", "fox")
  }

  @Test func `the first import creates the library, unless its file is missing or unknown`() throws
  {
    bench.environment["DIPLE_LIBRARY"] = bench.path("new")
    let missing = try bench.diple("import", "none.txt")
    #expect(missing.code == 4 && missing.errors.contains("none.txt"), "\(missing)")
    try bench.write("unknown.txt", "some words\n")
    let unknown = try bench.diple("import", "unknown.txt")
    #expect(unknown.code == 2, "\(unknown)")
    #expect(!FileManager.default.fileExists(atPath: bench.path("new")))
    try bench.write(
      "clips.txt",
      """
      Signs (Reed)
      - Your Highlight on page 1 | Added on Monday, January 1, 2024 1:00:00 PM

      worth noticing
      ==========

      """)
    let imported = try bench.diple("import", "clips.txt")
    #expect(imported.code == 0, "\(imported)")
    #expect(try bench.diple("list").output.contains("worth noticing"))
  }

  @Test func `list filters by folder and by colour label`() throws {
    try prepare()
    try bench.diple("color", "label", "pink", "question")
    #expect(try bench.diple("list", "notes").lines.count == 1)
    #expect(try bench.diple("list", ".").lines.count == 2)
    #expect(try bench.diple("list", "-c", "question").lines.count == 1)
    #expect(try bench.diple("search", "fox", "notes").lines.count == 1)
    #expect(try bench.diple("export", "notes").output.contains("Another") == false)
    let refused = try bench.diple("list", "-c", "purple")
    #expect(refused.code == 2)
    #expect(refused.errors.contains("no colour or label 'purple'; there are: yellow"))
    #expect(refused.errors.contains("pink (question)"))
    #expect(try bench.diple("mark", "b.md", "Another", "-c", "question").code == 0)
    #expect(try bench.highlights().map(\.color).sorted() == ["pink", "pink", "yellow"])
  }

  @Test func `a list by tag checks only files that it shows, and finds a moved file`() throws {
    try prepare()
    try bench.diple("mark", "b.md", "Another", "--tag", "x")
    try bench.write("notes/a.md", "# A\n\nNothing of it.\n")
    try bench.shell("mv b.md c.md")
    let list = try bench.diple("list", "--tag", "x")
    #expect(list.lines.count == 1 && list.lines[0].contains("c.md:3:1"), "\(list)")
    #expect(!list.errors.contains("a.md"), "\(list)")
    #expect(try bench.diple("list").errors.contains("a.md"))
    #expect(try bench.run("diple", ["list", "--tag", "y"]).code == 1)
  }

  @Test func `an existing output file is replaced only with --force, and a document never`() throws
  {
    try prepare()
    try bench.write("out.md", "mine")
    let refused = try bench.diple("export", "-o", "out.md")
    #expect(refused.code == 6 && refused.errors.contains("out.md exists; --force replaces it"))
    #expect(try bench.read("out.md") == "mine")
    #expect(try bench.diple("export", "-o", "out.md", "--force").code == 0)
    #expect(try bench.read("out.md").contains("fox"))
    #expect(try bench.diple("export", "-o", "new.md").code == 0)
    for words in [["export", "-o", "b.md", "--force"], ["share", "2", "-o", "b.md", "--force"]] {
      let result = try bench.run("diple", words)
      #expect(result.code != 0, "\(words)")
    }
    try bench.shell("ln -s b.md link.md")
    let linked = try bench.diple("export", "-o", "link.md", "--force")
    #expect(linked.code == 6 && linked.errors.contains("is a document of the library"))
    #expect(try bench.read("b.md") == "# B\n\nAnother fox.\n")
    try bench.shell(
      "mkfifo pipe; cat pipe > got & \(Workbench.programs.path)/diple export -o pipe; wait")
    #expect(try bench.read("got").contains("fox"))
  }

  @Test func `a command with nothing to show prints the reason in one line`() throws {
    for words in [["list"], ["doc", "list"], ["search", "x"], ["plugin", "list"]] {
      let result = try bench.run("diple", words)
      #expect(result.code == 1 && result.output.isEmpty, "\(words)")
      #expect(result.errors.split(separator: "\n").count == 1, "\(words): \(result.errors)")
    }
    #expect(try bench.diple("list").errors.contains("there is no library at"))
    let nowhere = try bench.diple("list", "--library", bench.path("nowhere"))
    #expect(nowhere.code == 4 && nowhere.errors.contains("there is no library at"))
    try prepare()
    #expect(try bench.diple("list", "--state", "doubtful").errors == "no highlight matches\n")
    #expect(try bench.diple("search", "zebra").errors == "no match for 'zebra'\n")
    let folder = try bench.diple("show", ".")
    #expect(folder.code == 5 && folder.errors.contains("'.' is a folder with 2 documents"))
    try bench.shell("mkdir empty")
    let empty = try bench.diple("show", "empty")
    #expect(empty.code == 4)
    #expect(empty.errors.contains("empty is a folder; `diple add empty` adds its Markdown"))
  }

  @Test func `highlights of a missing file have the state missing, also after the first notice`()
    throws
  {
    try prepare()
    try bench.shell("rm b.md")
    try bench.diple("list")
    let second = try bench.diple("list", "b.md")
    #expect(second.output.contains("b.md:3:9  missing  “fox”"))
    #expect(second.errors.contains("b.md is missing: 1 highlight listed"))
    let id = try #require(try bench.highlights().first?.id)
    #expect(try bench.diple("hl", "why", id).output.contains("the file is missing"))
    #expect(try bench.diple("list", "b.md", "--json").output.contains("\"missing\":true"))
  }

  @Test func `init reports the documents of an outer library, and --move moves them`() throws {
    bench.environment["DIPLE_LIBRARY"] = nil
    try prepare()
    bench.environment["DIPLE_LIBRARY"] = nil
    let created = try bench.run("sh", ["-c", "cd notes && \(Workbench.programs.path)/diple init"])
    #expect(created.code == 0)
    #expect(created.errors.contains("1 document with 1 highlight below this folder is in"))
    #expect(try bench.read("notes/.diple/.gitignore") == "*\n")
    let moved = try bench.run(
      "sh",
      [
        "-c",
        "cd notes && \(Workbench.programs.path)/diple init --move && \(Workbench.programs.path)/diple list",
      ])
    #expect(moved.code == 0 && moved.output.contains("a.md:3:5  “fox”"))
    #expect(try bench.diple("list").lines.count == 1)
    try bench.shell("mkdir shared && cd shared && \(Workbench.programs.path)/diple init --shared")
    #expect(!FileManager.default.fileExists(atPath: bench.path("shared/.diple/.gitignore")))
  }

  @Test func `a renamed folder and the undo of many files are each reported in one line`() throws {
    try bench.shell(
      "mkdir many; for n in $(seq 30); do echo \"word $n unlike $n$n any\" > many/$n.md; done")
    try bench.diple("init")
    bench.environment["DIPLE_LIBRARY"] = bench.path(".diple")
    try bench.diple("add", "many")
    try bench.diple("replace", "--everywhere", "--all", "--yes", "word", "term")
    let undone = try bench.diple("undo")
    #expect(undone.output.contains("wrote 30 files (30 places)"))
    #expect(undone.lines.count == 2, "\(undone.output)")
    try bench.shell("mv many texts")
    let refreshed = try bench.diple("refresh")
    #expect(refreshed.output == "renamed folder many → texts: 30 documents\n")
  }

  @Test func `for a quote that is not found, the nearest passage and its SPEC are suggested`()
    throws
  {
    try prepare()
    let result = try bench.diple("mark", "b.md", "another Fux")
    #expect(result.code == 1)
    #expect(
      result.errors.contains(
        "the nearest passage, with 'fox' instead of 'Fux', is this"))
    let spec = try #require(
      result.errors.firstMatch(of: #/\n *("[^"]+")  [0-9]/#).map { String($0.1) })
    #expect(try bench.diple("mark", "b.md", spec).code == 0)
    #expect(try bench.highlights().map(\.quote).contains("Another fox"))
    let part = try bench.diple("mark", "b.md", "other", "--word")
    #expect(part.code == 1 && part.errors.contains("but never as whole words"))
  }
}
