import Foundation
import Testing

/// Tests the REPL in a real terminal.
@Suite(.enabled(if: Terminal.isThere, Terminal.need)) struct LineEditorTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.write(
      "essay.md", "# Essay\n\nThe quick fox jumps over the lazy dog and runs away from all of it.\n"
    )
    try bench.write("signs.md", "---\ntitle: On signs\n---\nThe diple is a sign.\n")
    try bench.diple("add", "essay.md", "signs.md")
    try bench.diple("mark", "essay.md", "\"lazy dog\"", "--tag", "animals")
  }

  private func start(variables: [String] = [], columns: Int = 80) throws -> Terminal {
    let terminal = try Terminal(bench, "diple-repl", columns: columns, variables: variables)
    try terminal.wait(lastLine: "›")
    return terminal
  }

  @Test func `the prompt contains the current document, and a new highlight is printed`() throws {
    let terminal = try start()
    try terminal.press("show essay.md", "Enter")
    try terminal.wait(lastLine: "essay.md ›")
    try terminal.press("mark \"quick fox\" --color green", "Enter")
    let screen = try terminal.wait("both highlights are drawn") {
      $0.contains("\nGY The quick fox jumps over the lazy dog") && $0.hasSuffix("essay.md ›")
    }
    #expect(screen.contains("  green  ") && screen.contains("essay.md"))
    #expect(try bench.highlights().map(\.quote) == ["quick fox", "lazy dog"])
    let colors = try terminal.colors()
    #expect(colors.contains("\u{1B}[38;5;234m\u{1B}[48;5;194mquick fox\u{1B}[39m\u{1B}[49m"))
    #expect(colors.contains("\u{1B}[48;5;220mlazy dog\u{1B}[39m\u{1B}[49m"))
    #expect(colors.contains("essay.md \u{1B}[1m›"))
    try terminal.press("C-d")
    #expect(try terminal.exitCode() == 0)
  }

  @Test func `Tab completes commands, documents, colours, tags and highlights`() throws {
    try bench.write("my notes.md", "Mine.\n")
    let id = String(try bench.highlights()[0].number)
    let terminal = try start()
    for (typed, completed) in [
      ("sho", "show"), ("show Ess", "show Essay"), ("show 'On", "show 'On signs'"),
      ("show On", "show 'On signs'"), ("mark Essay \"fox\" --color gr", "--color green"),
      ("show --color al", "show --color always"), ("list --tag an", "list --tag animals"),
      ("list --state dou", "list --state doubtful"), ("hl sh", "hl show"),
      ("hl show ", "hl show \(id)"), ("export --to mark", "export --to markdown"),
      ("mark --stra", "mark --strategy"), ("doc rem", "doc remove"), ("add ess", "add essay.md"),
      ("add my", "add \"my notes.md\""), ("doc link Essay si", "doc link Essay signs.md"),
      ("export -o es", "export -o essay.md"),
    ] {
      try terminal.press(typed, "Tab", "|")
      try terminal.wait("\(typed) is completed") { $0.hasSuffix("\(completed) |") }
      try terminal.press("C-u")
      try terminal.wait(lastLine: "›")
    }
    // A completed name is also accepted.
    try terminal.press("mark On", "Tab", "word:2", "Enter")
    try terminal.wait("the second word is marked") { $0.contains("The diple is a sign.") }
    #expect(try bench.highlights().map(\.quote) == ["lazy dog", "diple"])
  }

  @Test func `the REPL prints a greeting, and :q ends it like quit`() throws {
    let terminal = try start()
    #expect(
      try terminal.screen().hasPrefix(
        "Diple: `show DOC` opens a document, `help` lists the commands, `quit` ends\n›"
      ))
    try terminal.press(":q", "Enter")
    #expect(try terminal.exitCode() == 0)
  }

  @Test func `completions without a common prefix are listed without a quotation mark`() throws {
    let terminal = try start()
    try terminal.press("sho", "Tab", "Tab", "Tab")
    try terminal.wait("the documents are listed, and the line stays") {
      $0.contains("On signs") && $0.hasSuffix("› show")
    }
  }

  @Test func `pressing Tab twice lists the completions`() throws {
    let terminal = try start()
    try terminal.press("h", "Tab", "Tab")
    try terminal.wait("all are listed") { $0.contains("help       highlight  history    hl\n› h") }
    try terminal.press("C-u", "list --color ", "Tab", "Tab")
    try terminal.wait("the colours are listed") { screen in
      ["blue", "green", "pink", "yellow"].allSatisfy { screen.contains($0) }
        && screen.hasSuffix("› list --color")
    }
  }

  @Test func `an interrupt starts a new line, and the half-typed one is not run`() throws {
    let terminal = try start()
    try terminal.press("doc remove essay.md --yes")
    try terminal.wait(lastLine: "› doc remove essay.md --yes")
    try terminal.press("C-c")
    try terminal.wait("there is a fresh line") { $0.hasSuffix("› doc remove essay.md --yes^C\n›") }
    // The interrupted line isn't part of the next one.
    try terminal.press("tags", "Enter")
    try terminal.wait("the next line is run alone") { $0.hasSuffix("› tags\n1  #animals\n›") }
    try terminal.press("C-c")
    try terminal.wait("an empty line, too") { $0.hasSuffix("\n› ^C\n›") }
    #expect(try bench.highlights().count == 1)
    try terminal.press("C-d")
    #expect(try terminal.exitCode() == 0)
    #expect(try !bench.read(".local/state/diple/history").contains("remove"))
  }

  @Test func `an interrupt cancels a question and the input of a quote`() throws {
    let terminal = try start()
    try terminal.press("doc remove essay.md", "Enter")
    try terminal.wait("it asks") { $0.hasSuffix("[y/N]") }
    try terminal.press("C-c")
    try terminal.wait("the prompt is restored") { $0.hasSuffix("[y/N] ^C\nessay.md ›") }
    try terminal.press("mark -", "Enter")
    try terminal.wait("the line is accepted") { _ in try terminal.cursorColumn() == 0 }
    try terminal.press("C-c")
    try terminal.wait("the prompt is restored") { $0.hasSuffix("mark -\n^C\nessay.md ›") }
    #expect(try bench.highlights().map(\.quote) == ["lazy dog"])
    try terminal.press("doc remove essay.md", "Enter")
    try terminal.wait("it asks again") { $0.hasSuffix("[y/N]") }
    try terminal.press("y", "Enter")
    try terminal.wait("it is removed") { $0.contains("removed essay.md") }
    #expect(try bench.diple("list").code == 1)
  }

  @Test func `the arrow key recalls earlier lines, also in the next session`() throws {
    do {
      let terminal = try start()
      for line in ["tags", "tags", "list --color green"] {
        try terminal.press(line, "Enter")
        try terminal.wait("it is run") { $0.contains("› \(line)\n") && $0.hasSuffix("\n›") }
      }
      try terminal.press("Up")
      try terminal.wait(lastLine: "› list --color green")
      try terminal.press("Up")
      try terminal.wait(lastLine: "› tags")
      try terminal.press("Enter")
      try terminal.wait("it is run again") { $0.components(separatedBy: "#animals").count == 4 }
      // The window is closed without `quit`. The lines must be stored nevertheless.
    }
    let terminal = try start()
    try terminal.press("Up")
    try terminal.wait(lastLine: "› tags")
    try terminal.press("Up", "Up")
    try terminal.wait(lastLine: "› tags")
    try terminal.press("C-c")
    try terminal.wait("the line is fresh") { $0.hasSuffix("› tags^C\n›") }
    try terminal.press("quit", "Enter")
    #expect(try terminal.exitCode() == 0)
    #expect(
      try bench.read(".local/state/diple/history")
        == "tags\nlist --color green\ntags\nquit\n")
    let path = bench.path(".local/state/diple/history")
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test func `a change of the window's size is applied immediately`() throws {
    let terminal = try start()
    let line = "search nothing-that-is-there-at-all-in-any"
    try terminal.press(line)
    try terminal.wait(lastLine: "› \(line)")
    try terminal.resize(columns: 30, rows: 20)
    try terminal.wait("the line is wrapped") {
      $0.hasSuffix("› search nothing-that-is-there\n-at-all-in-any")
    }
    try terminal.press("C-c")
    try terminal.wait("there is a fresh line") { $0.hasSuffix("-at-all-in-any^C\n›") }
    try terminal.press("show essay.md", "Enter")
    try terminal.wait("the page is wrapped at the new width") {
      $0.hasSuffix(
        """
        › show essay.md
           Essay
           ━━━━━━━━━━━━━━━━━━━━━━━━━━━

           The quick fox jumps over
        Y  the lazy dog and runs away
           from all of it.
        essay.md ›
        """)
    }
  }

  @Test func `lines that are pasted together are run one after the other`() throws {
    let terminal = try start()
    try terminal.paste("tags\nlist --color yellow\nnonsense")
    try terminal.wait("nothing is run yet") { $0.hasSuffix("nonsense") }
    #expect(try !terminal.screen().contains("#animals"))
    try terminal.press("Enter")
    let screen = try terminal.wait("all are run") { $0.hasSuffix("lists them\n›") }
    #expect(screen.contains("1  #animals\n") && screen.contains("\n1  yellow  "), "\(screen)")
    #expect(screen.contains("there is no command 'nonsense'"))
  }

  @Test func `without colours there is no escape sequence, and letters are used instead`() throws {
    let terminal = try start(variables: ["NO_COLOR=1"])
    try terminal.press("show essay.md", "Enter")
    try terminal.wait("the highlight is bracketed") { $0.contains("over the [Y:lazy dog] and") }
    #expect(try !terminal.colors().contains("\u{1B}"))
  }

  @Test(arguments: [("C.UTF-8", "›"), ("C", ">")])
  func `readline knows the width of the prompt`(locale: String, sign: String) throws {
    let terminal = try Terminal(bench, "diple-repl", variables: ["LC_ALL=\(locale)"])
    try terminal.wait(lastLine: sign)
    #expect(try terminal.cursorColumn() == 2)
    try terminal.press("tag", "Tab", "|")
    try terminal.wait(lastLine: "\(sign) tags |")
    // If readline assumed a larger width, some letters would remain.
    try terminal.press("C-u")
    try terminal.wait(lastLine: sign)
  }

  @Test func `the command repl starts the REPL`() throws {
    let terminal = try Terminal(bench, "diple", "repl", "--json")
    try terminal.wait(lastLine: "›")
    try terminal.press("tags", "Enter")
    try terminal.wait("the answer is JSON") {
      $0.contains(#"{"data":[{"highlights":1,"name":"animals"}],"schema":"diple.tags/1"}"#)
    }
    try terminal.press("exit", "Enter")
    #expect(try terminal.exitCode() == 0)
  }
}
