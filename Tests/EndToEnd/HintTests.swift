import Foundation
import Testing

/// Tests that commands in messages are written for the front end: with `diple` in a shell, without
/// it in the REPL.
@Suite struct HintTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.write("essay.md", "# Essay\n\nThe quick fox sees the other quick fox.\n")
    try bench.write("gone.md", "# Gone\n\nSome words.\n")
    try bench.write("loose.md", "# Loose\n\nA fox.\n")
    try bench.diple("add", "essay.md", "gone.md")
    try bench.diple("mark", "essay.md", "see")
    try bench.diple("mark", "gone.md", "words")
    try bench.shell("rm gone.md; mkdir empty")
  }

  /// Lines that fail or print a hint, in the syntax of the REPL.
  private static let lines = [
    "list", "list --state edited", "list nobody.md", "list empty", "show nobody.md",
    "mark essay.md 'no such words at all'", "mark essay.md quick", "mark essay.md word",
    "mark gone.md words", "mark loose.md fox", "mark one two three four", "hl show 99",
    "hl why 99", "highlight note 99 words", "anchor review", "anchor check", "anchor accept 99",
    "anchor accept 1", "anchor reject 1", "anchor reattach 99 fox", "at essay.md", "at 1 2 3",
    "follow essay.md", "follow essay.md 9", "select", "extend +1 furlong", "adjust nowhere",
    "copy --print", "copy nobody.md fox", "find essay.md", "find nobody.md fox", "find --clear",
    "find loose.md fox --mark green", "next", "prev", "replace fox", "replace essay.md fox cat",
    "format bold", "format nonsense essay.md fox", "query run none", "query remove none",
    "query list", "tags nobody", "trash list", "trash restore 99", "undo --steps", "redo",
    "history --limit 0", "doc show nobody.md", "doc link nobody.md x", "doc restore nobody.md",
    "doc remove essay.md", "config set nothing 1", "config get nothing",
    "config set reader.width big", "plugin show none", "plugin remove none", "plugin list",
    "plugin add empty", "daemon status", "daemon stop", "daemon logs", "doctor", "import nobody.md",
    "import essay.md", "export nobody.md", "export --to nothing", "share essay.md",
    "share essay.md quick", "search none-of-this", "search", "lits", "doc lits", "help lits",
    "list --colour", "list --nothing", "show -hello", "hl", "outline nobody.md", "refresh empty",
    "color nothing", "init --move", "anchor install-hook", "strategies nothing", "read --json",
    "menu", "menu nobody.md fox", "doc remove essay.md --yes", "mark essay.md fox",
    "doc show essay.md", "show essay.md", "sync", "sync status", "sync conflicts", "sync leave",
    "sync revoke phone", "sync pair", "sync passphrase",
  ]

  /// Returns the words with which a command line can begin.
  private func names() throws -> Set<String> {
    Set(try bench.commands().map { String($0.prefix { $0 != " " }) } + ["hl", "help", "repl"])
  }

  /// Returns the quoted commands that are written for the other front end.
  private func wrong(_ errors: String, _ names: Set<String>, isShell: Bool) -> [String] {
    var found: [String] = []
    // Hints in JSON are for programs, so they are always written for a shell.
    for line in errors.split(separator: "\n").map(String.init) where !line.hasPrefix("{") {
      // A command is in back quotes, or after a colon at the end.
      for match in line.matches(of: #/(?:`|: )(diple )?([a-z]+)(?: [^`]*`|`|$| )/#)
      where names.contains(String(match.2)) && (match.1 != nil) != isShell {
        // A message begins with the program's name, and may contain the name of the affected
        // object.
        if match.0.hasPrefix(": "), line.hasPrefix("diple: \(match.2)") { continue }
        if isShell, match.0.hasPrefix(": ") { continue }
        found.append("\(match.0) in: \(line)")
      }
      if !isShell {
        for name in names where line.dropFirst("diple: ".count).contains("diple \(name)") {
          found.append("diple \(name) in: \(line)")
        }
      }
    }
    return found
  }

  @Test func `in a shell, commands in messages begin with diple`() throws {
    let names = try names()
    var hints = 0
    for line in Self.lines {
      let result = try bench.run(
        "sh", ["-c", "PATH=\(Workbench.programs.path):$PATH diple \(line)"])
      #expect(result.code < 128, "\(line): \(result)")
      #expect(wrong(result.errors, names, isShell: true).isEmpty, "\(line): \(result.errors)")
      hints += result.errors.matches(of: #/\bdiple [a-z]+/#).count
    }
    #expect(hints > 30, "only \(hints) hints were seen")
  }

  @Test func `in the REPL, commands in messages are written without diple`() throws {
    let names = try names()
    let errors = try bench.repl(Self.lines.joined(separator: "\n") + "\n").errors
    #expect(wrong(errors, names, isShell: false).isEmpty)
    #expect(errors.matches(of: #/`[a-z]+/#).count > 25, "\(errors)")
  }

  @Test(arguments: [
    ("list nobody.md", "no such file or document: 'nobody.md'; `add FILE` adds one"),
    ("hl show 99", "no highlight '99'; `list` shows the ids"),
    ("lits", "there is no command 'lits'; did you mean 'list'?"),
    ("doc xyzzy", "'doc' has no command 'xyzzy'; `help doc` lists them"),
    ("config get nothing", "there is no setting 'nothing'; `config show` lists them"),
    ("query run none", "no saved query 'none'; `query list` shows them"),
    ("trash restore 99", "'99' is not in the trash; `trash list` lists its contents"),
  ])
  func `the hints of both front ends differ only in the word diple`(line: String, message: String)
    throws
  {
    let typed = try bench.repl(line + "\n").errors
    #expect(typed == "diple: \(message)\n")
    let shell = try bench.run("diple", line.split(separator: " ").map(String.init)).errors
    #expect(shell == "diple: \(message.replacing(#/`([a-z])/#) { "`diple \($0.1)" })\n")
  }
}
