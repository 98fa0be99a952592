import Foundation
import Testing

/// Tests warnings about settings that are overridden, and hints for unknown commands.
@Suite struct OverruledTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.write("essay.md", "# Essay\n\nThe quick fox sees the other fox.\n")
    try bench.diple("add", "essay.md")
  }

  @Test func `setting a value that is overridden elsewhere prints a notice`() throws {
    let own = bench.path(".config/diple/config.toml")
    #expect(try bench.diple("config", "set", "reader.width", "60").errors == "")
    #expect(try bench.diple("config", "set", "--local", "reader.width", "70").errors == "")
    #expect(
      try bench.diple("config", "set", "reader.width", "61").errors
        == "diple: reader.width is set in \(own), but \(bench.path("library/config.toml")):2 "
        + "overrides it\n")
    bench.environment["DIPLE_READER_WIDTH"] = "50"
    #expect(
      try bench.diple("config", "set", "--local", "reader.width", "71").errors
        .hasSuffix("but $DIPLE_READER_WIDTH overrides it\n"))
    #expect(try bench.diple("config", "set", "--dry-run", "reader.width", "62").errors == "")
  }

  @Test func `relative folders in a library without a folder print a notice`()
    throws
  {
    let set = try bench.diple("config", "set", "markdown.folders", "notes=obsidian")
    #expect(set.code == 0 && set.errors.contains("write absolute paths"), "\(set.errors)")
    let absolute = bench.path("notes") + "=obsidian"
    #expect(try bench.diple("config", "set", "markdown.folders", absolute).errors == "")
  }

  @Test func `for a dialect's name in other programs, an error suggests Diple's name`() throws {
    for line in [["show", "--dialect", "gfm", "-"], ["config", "set", "markdown.dialect", "GFM"]] {
      let result = try bench.run("diple", line, input: "a")
      #expect(result.code == 2)
      #expect(result.errors.hasSuffix("; the dialect is called github\n"), "\(result.errors)")
    }
  }

  @Test(arguments: [
    ("tag 4 foo", "there is no command 'tag'; did you mean 'hl tag'?"),
    ("log", "there is no command 'log'; did you mean 'hl log'?"),
    (
      "rename essay.md X",
      "there is no command 'rename'; did you mean 'doc rename' or 'tags rename'?"
    ),
    ("color 4 green", "'color' has no command '4'; did you mean 'hl color'?"),
    ("tgas", "there is no command 'tgas'; did you mean 'tags'?"),
  ])
  func `a command without its group is rejected with the full command`(line: String, says: String)
    throws
  {
    let result = try bench.run("diple", line.split(separator: " ").map(String.init))
    #expect(result.code == 2 && result.errors == "diple: \(says)\n")
  }

  @Test func `a dry run prints how many highlights a removal affects`() throws {
    try bench.diple("mark", "essay.md", "sees")
    let would = try bench.diple("rm", "--dry-run", "essay.md")
    #expect(would.output == "would remove essay.md from the library with 1 highlight\n")
    #expect(
      try bench.diple("rm", "--yes", "essay.md").output
        .hasPrefix("removed essay.md from the library with 1 highlight; "))
  }

  @Test func `doc show reports an ignored settings file`() throws {
    try bench.write("library/config.toml", "reader.widht = 3\n")
    let shown = try bench.diple("doc", "show", "essay.md")
    #expect(shown.code == 0 && shown.output.contains("dialect     github"))
    #expect(shown.errors.contains("there is no setting 'reader.widht'"), "\(shown.errors)")
    #expect(shown.errors.contains("the file is ignored"))
  }

  @Test(.enabled(if: Terminal.isThere, Terminal.need))
  func `listing a new file adds it only if requested`() throws {
    try bench.write("new.md", "# New\n")
    let terminal = try Terminal(bench, "diple", "ls", "new.md")
    try terminal.wait("it asks") { $0.contains("Add new.md to the library? [y/N]") }
    try terminal.press("Enter")
    try terminal.wait("nothing is added") { $0.contains("nothing was changed") }
    #expect(try !bench.diple("doc", "list").output.contains("new.md"))
  }

  @Test func `an export contains lines, states and colour labels`() throws {
    try bench.diple("mark", "essay.md", "sees")
    try bench.diple("color", "label", "yellow", "To check")
    #expect(
      try bench.diple("export").output.hasSuffix("> sees\n\nyellow (To check) · line 3\n"))
    try bench.write("essay.md", "# Essay\n\nNothing of it is left here at all, in other words.\n")
    try bench.diple("refresh")
    #expect(try bench.diple("export").output.hasSuffix("yellow (To check) · orphaned\n"))
  }
}
