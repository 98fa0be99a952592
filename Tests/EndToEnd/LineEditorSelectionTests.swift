import Foundation
import Testing

/// Tests the current document and the selection in the REPL, and the commands that use them.
@Suite struct LineEditorSelectionTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.write("a.md", "# A\n\nThe quick fox and the quick dog.\n")
    try bench.write("b.md", "# B\n\nA lazy cat 4 you, a word.\n")
    try bench.diple("add", "a.md", "b.md")
    try bench.diple("mark", "a.md", "\"dog\"")
  }

  private var id: String {
    get throws { String(try bench.highlights()[0].number) }
  }

  @Test func `quoted SPECs work in every command`() throws {
    let script = """
      show a.md --plain
      format bold "quick"#2
      share "quick fox" -o card.txt
      find quick --in "quick dog" --json
      replace quick slow --in "quick"#2
      """
    let result = try bench.repl(script)
    #expect(result.code == 0, "\(result)")
    #expect(try bench.read("a.md").contains("The quick fox and the **slow** dog."))
    #expect(try bench.read("card.txt").contains("quick fox"))
    #expect(!result.errors.contains("diple:"), "\(result.errors)")
  }

  @Test func `copy, share and menu accept the id of a highlight`() throws {
    let id = try id
    let script = """
      copy \(id) --print
      menu \(id)
      menu hl:\(id)
      share \(id) -o card.txt
      copy hl:\(id) --print
      """
    let result = try bench.repl(script)
    #expect(result.code == 0, "\(result)")
    #expect(result.lines.first == "dog" && result.lines.last == "dog", "\(result)")
    #expect(result.lines.count { $0.contains("hl remove \(id)") } == 2)
    #expect(try bench.read("card.txt").contains("dog"))
    #expect(try bench.diple("copy", id, "--print").output == "dog\n")
    for command in ["copy", "menu", "share"] {
      let none = try bench.diple(command, "1614")
      #expect(none.code == 4 && none.errors.contains("no highlight '1614'"), "\(none)")
      let typed = none.errors.replacing("`diple ", with: "`")
      #expect(try bench.repl("show a.md\n\(command) 1614").errors == typed)
    }
    // A number in quotation marks is a quote, not an id.
    #expect(try bench.repl("show b.md --plain\ncopy \"4\" --print").lines.last == "4")
  }

  @Test func `a bare unit selects the unit around the caret, or is rejected`() throws {
    let result = try bench.repl("select b.md \"az\"\nselect word\nselect sentence\nselect paras")
    #expect(
      result.lines == ["az", "lazy", "A lazy cat 4 you, a word.", "A lazy cat 4 you, a word."])
    let refused = try bench.repl("show b.md --plain\nselect word")
    #expect(refused.code == 2)
    #expect(refused.errors.contains("for the word itself type \"word\""), "\(refused.errors)")
    let shell = try bench.diple("select", "b.md", "word")
    #expect(shell.code == 2 && shell.errors.contains("type '\"word\"'"), "\(shell.errors)")
    #expect(try bench.diple("select", "b.md", "\"word\"").output == "word\n")
  }

  @Test func `the selection of another document is not used in the current one`() throws {
    let result = try bench.repl("show a.md\nselect \"quick fox\"\nshow b.md\nmark")
    #expect(result.code == 1 && result.errors.contains("nothing is selected in b.md"), "\(result)")
    #expect(try bench.highlights().map(\.quote) == ["dog"])
  }

  @Test func `copy, menu and share do not change the current document`() throws {
    let script = """
      show a.md
      select "quick fox"
      copy b.md "lazy cat" --print
      menu b.md "lazy cat"
      share b.md "lazy cat" -o card.txt
      outline
      copy --print
      mark
      """
    let result = try bench.repl(script)
    #expect(result.code == 0, "\(result)")
    #expect(result.lines.contains("A  :1") && !result.lines.contains("B  :1"), "\(result)")
    #expect(try bench.highlights().map(\.quote) == ["quick fox", "dog"])
  }

  @Test func `a successful mark clears the selection, a failed one does not`() throws {
    let result = try bench.repl(
      "show a.md\nselect \"quick fox\"\nmark --strategy nonsense\nmark\nmark")
    #expect(result.errors.contains("nothing is selected in a.md"), "\(result)")
    #expect(try bench.highlights().map(\.quote) == ["quick fox", "dog"])
  }

  @Test func `format applies to the selection`() throws {
    let result = try bench.repl("show a.md\nselect \"quick fox\"\nformat bold\nformat heading none")
    #expect(try bench.read("a.md").contains("The **quick fox** and"), "\(result)")
  }

  @Test func `the selection hook is run when the selection is cleared`() throws {
    try bench.write("hook.sh", "#!/bin/sh\ncat \"$1\" >> \(bench.path("told"))\n")
    try bench.shell("chmod +x hook.sh && touch told")
    try bench.diple("config", "set", "select.hook", bench.path("hook.sh"))
    for (script, count) in [("clear", 2), ("mark", 4), ("show b.md", 6)] {
      try bench.repl("select a.md \"quick fox\"\n\(script)\ntags")
      // The program runs in the background.
      let deadline = ContinuousClock.now + .seconds(20)
      while try bench.read("told").split(separator: "\n").count < count {
        guard ContinuousClock.now < deadline else {
          Issue.record("the hook was not run for \(script): \(try bench.read("told"))")
          return
        }
        usleep(20_000)
      }
    }
    let events = try bench.read("told").split(separator: "\n")
    #expect(events.count { $0.contains("\"quick fox\"") } == 3)
    #expect(
      events.count { $0.contains("\"quote\":\"\"") || $0.contains("\"text\":\"\"") } == 3,
      "\(events)")
  }

  @Test func `SPECs in hints are quoted for the shell or for the REPL`() throws {
    let shell = try bench.diple("mark", "a.md", "\"quick\"")
    #expect(
      shell.code == 5 && shell.errors.contains("for example '\"quick\"#1'"), "\(shell.errors)")
    let repl = try bench.repl("show a.md\nmark \"quick\"")
    #expect(repl.errors.contains("for example \"quick\"#1\n"), "\(repl.errors)")
    try bench.write("c.md", "# The \"$HOME\" and 'it'\n")
    try bench.diple("add", "c.md")
    try bench.shell("mkdir away && mv c.md away/c.txt")
    let missing = try bench.diple("mark", "c.md", "all")
    let hint = try #require(
      missing.errors.firstMatch(of: #/relink it: `([^`]+)`/#).map { String($0.1) })
    try bench.shell(
      "PATH=\(Workbench.programs.path):$PATH; \(hint.replacing("PATH", with: "away/c.txt"))")
    #expect(try bench.diple("doc", "show", "away/c.txt").output.contains("away/c.txt"))
  }

  @Test func `arguments with a leading dash are accepted or rejected, and never print the help`()
    throws
  {
    #expect(try bench.diple("mark", "a.md", "\"fox\"", "--note", "-5", "--tag", "-x").code == 0)
    #expect(try bench.highlights().contains { $0.note == "-5" && $0.tags == ["-x"] })
    let id = try id
    #expect(try bench.diple("hl", "edit", id, "--note", "-h", "--untag", "-x").code == 0)
    for words in [
      ["mark", "a.md", "-hello"], ["mark", "a.md", "-h is"], ["hl", "note", id, "-he"],
    ] {
      let result = try bench.run("diple", words)
      #expect(result.code == 2 && result.output.isEmpty, "\(words): \(result)")
      #expect(result.errors.contains("put a word that begins with - after --"), "\(result)")
    }
    #expect(try bench.diple("hl", "note", id, "--", "-hello").code == 0)
  }

  @Test func `common options are accepted before the command`() throws {
    try bench.diple("--library", bench.path("second"), "init")
    #expect(try bench.diple("--library", bench.path("second"), "list").code == 1)
    #expect(
      try bench.diple("--library=\(bench.path("second"))", "--json", "doc", "list").output.contains(
        "[]"))
    let all = try bench.diple("--no-daemon", "--json", "list", "a.md")
    #expect(all.code == 0 && all.output.contains("diple.highlights/1"))
    let none = try bench.diple("--json")
    #expect(none.code == 2 && none.errors.contains("which command?"))
  }
}
