import Foundation
import Testing

/// Tests the full-screen reader with the keys, mouse and screen of tmux.
@Suite(.enabled(if: Terminal.isThere, Terminal.need)) struct ReadTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    let paragraphs = (1...40).map { "Paragraph \($0) of a long text.\n" }
    try bench.write(
      "essay.md",
      "# Essay\n\nThe quick fox sees [another](other.md#there) and 日本語の文章.\n\n"
        + paragraphs.joined(separator: "\n"))
    try bench.write("other.md", "# Other\n\nText.\n\n## There\n\nIt is here.\n")
    try bench.diple("add", "essay.md", "other.md")
  }

  private func open(
    _ words: String..., columns: Int = 60, rows: Int = 14, term: String = "screen-256color",
    variables: [String] = []
  ) throws -> Terminal {
    let terminal = try Terminal(
      bench, "diple", words: ["read"] + words, columns: columns, rows: rows, term: term,
      variables: variables)
    try terminal.wait("the text is shown") { $0.contains("The quick fox") }
    return terminal
  }

  /// Returns the bytes that a terminal sends for a mouse event. Columns and rows are counted from
  /// 1.
  private func mouse(_ code: Int, _ column: Int, _ row: Int, isRelease: Bool = false) -> String {
    "\u{1B}[<\(code);\(column);\(row)\(isRelease ? "m" : "M")"
  }

  @Test func `a passage can be selected, highlighted, recoloured, annotated and removed`() throws {
    try bench.write("editor.sh", "#!/bin/sh\nprintf 'from the editor\\n' > \"$1\"\n")
    try bench.shell("chmod +x editor.sh")
    let terminal = try open(
      "essay.md", variables: ["DIPLE_EDITOR=\(bench.path("editor.sh"))"])
    try terminal.press("/", "quick fox", "Enter")
    try terminal.wait("the match is selected") {
      $0.contains("1 of 1") && $0.contains("9 selected")
    }
    try terminal.press("Enter")
    try terminal.wait("the menu is open") { $0.contains("2  Highlight green") }
    try terminal.press("2")
    try terminal.wait("it is marked") { $0.contains("highlighted in green") }
    #expect(try terminal.screen().contains(" G  The quick fox"))
    // Without Escape, the match is lit and n finds the next one.
    try terminal.press("Escape", "Escape")
    try terminal.wait("finding has ended") { !$0.contains("1 of 1") }
    #expect(try terminal.colors().contains("48;5;194mquick fox"))
    #expect(try bench.highlights().map(\.color) == ["green"])

    try terminal.press("g", "Tab", "n", "C-e")
    try terminal.wait("the note is stored") { $0.contains("note saved") }
    #expect(try bench.highlights().map(\.note) == ["from the editor"])
    try terminal.press("4")
    try terminal.wait("it is pink") { $0.contains(" P* The quick") }
    try terminal.press("t", "one, two", "Enter")
    try terminal.wait("it is tagged") { $0.contains("tagged #one #two") }
    try terminal.press("x")
    try terminal.wait("it is removed") { $0.contains("removed") && !$0.contains(" P* The") }
    #expect(try bench.highlights().isEmpty)
    try terminal.press("q")
    #expect(try terminal.exitCode() == 0)
    #expect(!(try terminal.screen().contains("quick fox")), "the earlier screen is restored")
  }

  @Test func `the terminal's reply determines the colours, and keys typed with it are kept`() throws
  {
    try bench.diple("mark", "essay.md", "\"quick\"")
    let terminal = try open("essay.md", columns: 100)
    try terminal.press("v\u{1B}]11;rgb:0000/0000/0000\u{1B}\\w")
    try terminal.wait("both keys have done what they do") { $0.contains("selecting") }
    try terminal.wait("a word is selected") { $0.contains("5 selected") }
    #expect(try terminal.colors().contains("48;5;94"), "the yellow for dark backgrounds")
    try terminal.press("\u{1B}]11;rgb:ff/ff/ff\u{7}")
    try terminal.press("q")
    #expect(try terminal.exitCode() == 0)
  }

  @Test func `the mouse selects words, lines and dragged ranges`() throws {
    let terminal = try open("essay.md")
    let line = try terminal.screen().split(separator: "\n", omittingEmptySubsequences: false)
    let row = try #require(line.firstIndex { $0.contains("quick") }) + 1
    let press = mouse(0, 10, row) + mouse(0, 10, row, isRelease: true)
    try terminal.press(press + press)
    try terminal.wait("a word is selected") { $0.contains("5 selected") }
    try terminal.press(
      mouse(0, 5, row) + mouse(32, 9, row) + mouse(32, 17, row) + mouse(0, 17, row, isRelease: true)
    )
    try terminal.wait("what was dragged over is selected") { $0.contains("13 selected") }
    #expect(try terminal.colors().contains(#/7m(?:\u{1B}\[[0-9;]*m)*The quick fox/#))
    // Keep the button pressed.
    try terminal.press(mouse(0, 30, row))
    try terminal.wait("the word is selected after a while") { $0.contains("7 selected") }
    try terminal.press(mouse(0, 30, row, isRelease: true))
    try terminal.press(mouse(65, 5, 5))
    try terminal.wait("the wheel scrolls") { !$0.contains("Essay\n") }
    try terminal.press("m")
    try terminal.wait("the mouse is free") { $0.contains("mouse off") }
    try terminal.press("q")
    #expect(try terminal.exitCode() == 0)
  }

  @Test func `keys that are typed while the reader starts are kept`() throws {
    let terminal = try Terminal(bench, shell: "bash --norc --noprofile -i", columns: 60, rows: 14)
    // The keys are in the terminal's buffer before the reader begins to read.
    try terminal.press("PS1='$ '; sleep 1; diple read essay.md", "Enter")
    try terminal.wait("the command runs") { $0.contains("diple read essay.md") }
    try terminal.press("jww")
    try terminal.press("e")
    try terminal.wait("the keys have acted") { $0.contains("3 selected") && $0.contains("%") }
    try terminal.press("q")
    try terminal.wait("the shell is restored") { !$0.contains("3 selected") && $0.hasSuffix("$") }
  }

  @Test func `all matches have the background of the theme`() throws {
    try bench.write("theme.toml", "match = 46\n")
    try bench.diple("config", "set", "theme.name", bench.path("theme.toml"))
    let terminal = try open("essay.md", rows: 20)
    try terminal.press("/", "Paragraph", "Enter")
    try terminal.wait("it is found") { $0.contains("1 of 40") }
    let lines = try terminal.colors().split(separator: "\n").filter { $0.contains("Paragraph") }
    #expect(lines.count > 3 && lines.dropFirst().allSatisfy { $0.contains("48;5;46m") }, "\(lines)")
    try terminal.press("q")
    #expect(try terminal.exitCode() == 0)
  }

  @Test func `a passage is shared with one key and Enter`() throws {
    let terminal = try open("essay.md")
    try terminal.press("/", "quick fox", "Enter", "s")
    try terminal.wait("the command is shown") { $0.hasSuffix(":share -o quick-fox.png") }
    try terminal.press("Enter")
    try terminal.wait("the card is written") { $0.contains("wrote quick-fox.png") }
    try terminal.press("q")
    #expect(try terminal.exitCode() == 0)
  }

  @Test func `a copy is written to the terminal's clipboard`() throws {
    let terminal = try open("essay.md")
    try terminal.allowClipboard()
    try terminal.press("/", "日本語の文章", "Enter", "c")
    try terminal.wait("a message is shown") {
      $0.contains("copied 6 characters to the terminal's clipboard")
    }
    try terminal.wait("tmux has it") { _ in try terminal.clipboard() == "日本語の文章" }
    try terminal.press("C-c", "C-c")
    #expect(try terminal.exitCode() == 130)
  }

  @Test func `a changed file is shown immediately, at the same position`() throws {
    let terminal = try open("essay.md")
    try terminal.press("/", "Paragraph 20", "Enter")
    let before = try terminal.wait("it is there") { $0.contains("12 selected") }
    let text = try bench.read("essay.md")
    try bench.write("essay.md", "A new beginning.\n\nAnd more of it.\n\n" + text)
    try bench.diple("mark", "essay.md", "\"Paragraph 21\"")
    let after = try terminal.wait("the highlight shows") { $0.contains(" Y  Paragraph 21") }
    #expect(
      after.split(separator: "\n").first == before.split(separator: "\n").first
        && after.contains("12 selected"))
    try bench.shell("rm essay.md")
    try terminal.wait("the deletion is shown") { $0.contains("missing") }
    #expect(try terminal.screen().contains("Paragraph 20"), "what was read stays")
    try terminal.press("q")
    #expect(try terminal.exitCode() == 0)
  }

  @Test func `when the file changes, the selection stays visible`() throws {
    let terminal = try open("essay.md")
    try terminal.press("/", "Paragraph 20", "Enter")
    try terminal.wait("it is there") { $0.contains("12 selected") }
    try bench.write("essay.md", "A new beginning.\n\n" + (try bench.read("essay.md")))
    try terminal.wait("the news come beside it") {
      let status = $0.split(separator: "\n").last ?? ""
      return status.hasPrefix(" essay.md changed") && status.hasSuffix("12 selected")
    }
    try terminal.press("q")
    #expect(try terminal.exitCode() == 0)
  }

  @Test func `links open other files and headings, and back returns`() throws {
    let terminal = try open("essay.md")
    try terminal.press("f", "1", "Enter")
    try terminal.wait("the other file is open") {
      $0.contains("It is here.") && $0.contains("Other")
    }
    try terminal.press("<", "<")
    try terminal.wait("the first file is shown again") { $0.contains("The quick fox") }
    try terminal.press(":", "select \"quick fox\"", "Enter")
    try terminal.wait("the one grammar") { $0.hasSuffix("\n quick fox") }
    try terminal.press(":", "mark --color pink", "Enter")
    try terminal.wait("it marks") {
      $0.contains(" P  The quick") && $0.hasSuffix("\n highlighted in pink: 1 “quick fox”")
    }
    try terminal.press("q")
    #expect(try terminal.exitCode() == 0)
  }

  @Test func `the reader is redrawn at a new size`() throws {
    let terminal = try open("essay.md")
    try terminal.press("G")
    try terminal.wait("the end") { $0.contains("100%") }
    try terminal.resize(columns: 30, rows: 8)
    let small = try terminal.wait("less is shown") {
      $0.split(separator: "\n").count <= 8 && $0.contains("%")
    }
    #expect(small.split(separator: "\n").allSatisfy { $0.count <= 30 })
    try terminal.resize(columns: 100, rows: 30)
    try terminal.wait("more is shown") {
      $0.contains("Paragraph 30") && $0.contains("Paragraph 40")
    }
    try terminal.press("g")
    try terminal.wait("the start") { $0.contains("The quick fox sees another[1] and 日本語の文章.") }
    try terminal.press("q")
    #expect(try terminal.exitCode() == 0)
  }

  @Test(arguments: ["TERM", "HUP", "SEGV", "ABRT", "INT", "QUIT"])
  func `the terminal is restored however the reader ends`(signal: String) throws {
    let terminal = try Terminal(
      bench, "diple", words: ["read", "essay.md"], columns: 60, rows: 14,
      variables: ["SWIFT_BACKTRACE=enable=no"], after: "stty -a | grep -o -E -- '-?(icanon|echo) '")
    try terminal.wait("the text is shown") { $0.contains("The quick fox") }
    try terminal.signal(signal, "diple-read")
    try terminal.wait("the earlier screen is restored, with echo") {
      $0.contains("[ended:") && $0.contains("icanon") && !$0.contains("-icanon")
        && !$0.contains("-echo ") && !$0.contains("quick fox")
    }
  }

  @Test func `the reader can be suspended and continued by the shell`() throws {
    let terminal = try Terminal(bench, shell: "bash --norc --noprofile -i", columns: 60, rows: 14)
    try terminal.press("PS1='$ '; diple read essay.md", "Enter")
    try terminal.wait("the text is shown") { $0.contains("The quick fox") }
    try terminal.press("/", "fox", "Enter", "C-z")
    try terminal.wait("the shell is restored") { $0.contains("Stopped") && $0.hasSuffix("$") }
    try terminal.press("fg", "Enter")
    try terminal.wait("the reader continues at the same position") {
      $0.contains("3 selected") && $0.contains("quick fox")
    }
    try terminal.press("q")
    try terminal.wait("the shell is restored") { !$0.contains("quick fox") && $0.hasSuffix("$") }
  }

  @Test func `a stop signal suspends the reader, and C-z in its editor suspends both`() throws {
    try bench.write("editor.sh", "#!/bin/sh\necho now editing\ncat > \"$1\"\n")
    try bench.shell("chmod +x editor.sh")
    let terminal = try Terminal(bench, shell: "bash --norc --noprofile -i", columns: 60, rows: 14)
    let editor = bench.path("editor.sh")
    try terminal.press("PS1='$ '; DIPLE_EDITOR=\(editor) diple read essay.md", "Enter")
    try terminal.wait("the text is shown") { $0.contains("The quick fox") }
    try terminal.signal("TSTP", "diple-read")
    try terminal.wait("the shell is restored") { $0.contains("Stopped") && $0.hasSuffix("$") }
    try terminal.press("fg", "Enter")
    try terminal.wait("the reader continues") { $0.contains("The quick fox") && $0.contains("%") }
    try terminal.press("/", "fox", "Enter", ".", "n", "C-e")
    try terminal.wait("the editor runs") { $0.contains("now editing") }
    try terminal.press("C-z")
    try terminal.wait("the shell is restored") { $0.hasSuffix("$") }
    try terminal.press("fg", "Enter", "a note", "Enter", "C-d")
    try terminal.wait("the note is stored") {
      $0.contains("note saved") && $0.contains("The quick fox")
    }
    #expect(try bench.highlights().map(\.note) == ["a note"])
    try terminal.press("q")
    try terminal.wait("the shell is restored") { !$0.contains("quick fox") && $0.hasSuffix("$") }
  }

  @Test func `the REPL opens the reader and continues after it`() throws {
    let terminal = try Terminal(bench, "diple-repl", columns: 60, rows: 14)
    try terminal.wait("the prompt") { $0.contains("›") }
    try terminal.press("read essay.md", "Enter")
    try terminal.wait("the text is shown") { $0.contains("The quick fox") }
    try terminal.press("q")
    try terminal.wait("the prompt is restored") {
      $0.contains("essay.md ›") && !$0.contains("quick")
    }
  }

  @Test(arguments: [
    ("screen-256color", ["NO_COLOR=1"], "[G:quick fox]", "\u{1B}[7m", "48;5"),
    ("linux", [], "quick fox", "\u{1B}[42mquick fox", "48;5"),
    ("screen-256color", ["COLORTERM=truecolor"], "quick fox", "48;2;166;232;180mquick fox", "48;5"),
  ])
  func `colours are limited to those of the terminal`(
    term: String, variables: [String], text: String, painted: String, never: String
  ) throws {
    try bench.diple("mark", "essay.md", "\"quick fox\"", "--color", "green")
    let terminal = try Terminal(
      bench, "diple", words: ["read", "essay.md"], columns: 60, rows: 14, term: term,
      variables: variables)
    try terminal.wait("the text is shown") { $0.contains(text) }
    #expect(try terminal.colors().contains(painted))
    #expect(!(try terminal.colors().contains(never)))
  }

  @Test func `a file that cannot be shown is reported before the screen is changed`() throws {
    let terminal = try Terminal(bench, "diple", "read", "nothing.md")
    #expect(try terminal.exitCode() == 4)
    #expect(try terminal.screen().hasPrefix("diple: "))
    let dumb = try Terminal(bench, "diple", "read", "essay.md", term: "dumb")
    #expect(try dumb.exitCode() == 2)
    #expect(try dumb.screen().contains("does not support cursor movement"))
  }

  @Test func `a file outside the library can be read and copied, but not highlighted`() throws {
    try bench.write("loose.md", "# Loose\n\nThe quick fox is free.\n")
    let terminal = try open("loose.md")
    try terminal.press("/", "quick", "Enter", ".")
    try terminal.wait("the menu has no colours") {
      $0.contains("y  Copy") && !$0.contains("yellow")
    }
    try terminal.press("q", "q")
    #expect(try terminal.exitCode() == 0)
  }
}
