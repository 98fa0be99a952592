import Foundation
import Testing

/// Tests that the reader remembers where the user stopped reading, offers documents to choose from,
/// and reads a pipe.
@Suite(.enabled(if: Terminal.isThere, Terminal.need)) struct ReadPlaceTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    let paragraphs = (1...80).map { "Paragraph \($0) of a long text.\n" }
    try bench.write(
      "essay.md",
      "# Essay\n\n" + paragraphs.joined(separator: "\n") + "\n## Last part\n\nEnd.\n")
    try bench.write("other.md", "# Other\n\nA [link](essay.md).\n\n## Obelus\n\nIt is here.\n")
  }

  private func open(_ words: String..., waitingFor text: String, rows: Int = 14) throws -> Terminal
  {
    let terminal = try Terminal(
      bench, "diple", words: ["read"] + words, columns: 60, rows: rows)
    try terminal.wait("'\(text)' is shown") { $0.contains(text) }
    return terminal
  }

  /// Returns the row of the screen with a text.
  private func row(of text: String, in terminal: Terminal) throws -> Int {
    let lines = try terminal.screen().split(separator: "\n", omittingEmptySubsequences: false)
    return try #require(lines.firstIndex { $0.contains(text) }, "\(lines.joined(separator: "\n"))")
  }

  private func end(_ terminal: Terminal) throws {
    try terminal.press("q")
    #expect(try terminal.exitCode() == 0)
  }

  /// Goes to paragraph 40 and scrolls so that it is in the middle of the screen.
  private func goToMiddle(_ terminal: Terminal) throws -> Int {
    try terminal.press("/", "Paragraph 40", "Enter", "C-e", "C-e")
    // The keys before are processed when the line is shown.
    try terminal.press(":", "done")
    try terminal.wait(lastLine: ":done")
    try terminal.press("C-g")
    try terminal.wait("it is shown") { $0.contains("Paragraph 40") && !$0.contains(":done") }
    return try row(of: "Paragraph 40", in: terminal)
  }

  @Test(arguments: [true, false])
  func `after an edit of the file, reading continues at the same sentence on the same row`(
    isInLibrary: Bool
  ) throws {
    if isInLibrary { try bench.diple("add", "essay.md") }
    var terminal = try open("essay.md", waitingFor: "Paragraph 2 ")
    let row = try goToMiddle(terminal)
    try end(terminal)
    try bench.shell(
      "sed -i -e '1i A new beginning.\\n\\nMore.\\n' -e 's/Paragraph 3 /Three /' essay.md")
    terminal = try open("essay.md", waitingFor: "Paragraph 40")
    #expect(try self.row(of: "Paragraph 40", in: terminal) == row)
    #expect(try terminal.screen().contains("this is where you stopped reading"))
    try terminal.press("j")
    try terminal.wait("the search is back") { $0.contains("1 match") || $0.contains("1 of 1") }
    try end(terminal)
    // The option begins at the top, and keeps the place if the user doesn't move.
    terminal = try open("essay.md", "--start", waitingFor: "A new beginning")
    try end(terminal)
    terminal = try open("essay.md", waitingFor: "Paragraph 40")
    try end(terminal)
    try bench.diple("config", "set", "reader.remember", "false")
    terminal = try open("essay.md", waitingFor: "A new beginning")
    try end(terminal)
  }

  @Test(arguments: ["TERM", "HUP"])
  func `a signal ends the reader and the place is stored`(signal: String) throws {
    var terminal = try open("essay.md", waitingFor: "Paragraph 2 ")
    _ = try goToMiddle(terminal)
    try terminal.signal(signal, "diple-read")
    let code = try terminal.exitCode()
    #expect(code == 128 + (signal == "TERM" ? 15 : 1))
    #expect(!(try terminal.screen().contains("Paragraph 40")), "the earlier screen is restored")
    terminal = try open("essay.md", waitingFor: "Paragraph 40")
    try end(terminal)
  }

  @Test func `following a link stores the place, and a link leads to the start`() throws {
    try bench.diple("add", "essay.md", "other.md")
    var terminal = try open("essay.md", waitingFor: "Paragraph 2 ")
    _ = try goToMiddle(terminal)
    try end(terminal)
    terminal = try open("other.md", waitingFor: "It is here")
    try terminal.press("f", "1", "Enter")
    try terminal.wait("the text is shown from its start") { $0.contains("Paragraph 1 ") }
    try end(terminal)
    terminal = try open("essay.md", waitingFor: "Paragraph 40")
    try terminal.press(":", "read other.md", "Enter")
    try terminal.wait("the other text is shown") { $0.contains("It is here") }
    try terminal.press(":", "read essay.md", "Enter")
    try terminal.wait("the place is shown again") { $0.contains("Paragraph 40") }
    try end(terminal)
  }

  @Test func `without a name, the documents are offered, those read last first`() throws {
    try bench.diple("add", "essay.md", "other.md")
    var terminal = try open("essay.md", waitingFor: "Paragraph 2 ")
    _ = try goToMiddle(terminal)
    try end(terminal)
    terminal = try Terminal(bench, "diple", words: ["read"], columns: 70, rows: 12)
    let list = try terminal.wait("both are listed") {
      $0.contains("other.md") && $0.contains("2\n")
    }
    let lines = list.split(separator: "\n")
    #expect(lines[1].hasPrefix(" Essay") && lines[1].contains("%  just now"), "\(list)")
    #expect(lines[2].hasPrefix(" Other"), "\(list)")
    try terminal.press("obelus")
    try terminal.wait("a heading is found") { $0.contains("Other § Obelus") }
    try terminal.press("Enter")
    let opened = try terminal.wait("the document is open") { $0.contains("It is here.") }
    #expect(!opened.contains("where you stopped"))
    // Another one from the reader.
    try terminal.press("O")
    try terminal.wait("both are listed") { $0.contains("essay.md") }
    try terminal.press("esy", "Enter")
    try terminal.wait("the place is shown again") { $0.contains("Paragraph 40") }
    try terminal.press("<")
    try terminal.wait("going back returns to the other document") { $0.contains("It is here.") }
    try terminal.press(">")
    try terminal.wait("and forward to the place") { $0.contains("Paragraph 40") }
    try terminal.press(":", "pick", "Enter")
    try terminal.wait("both are listed") { $0.contains("essay.md") }
    try terminal.press("Escape")
    try terminal.wait("the text is shown again") { $0.contains("Paragraph 40") }
    try end(terminal)
    terminal = try Terminal(bench, "diple", words: ["read"], columns: 70, rows: 12)
    try terminal.wait("both are listed") { $0.contains("other.md") }
    try terminal.press("C-c")
    #expect(try terminal.exitCode() == 130)
  }

  @Test func `pick prints the chosen path on standard output and draws on the terminal`() throws {
    try bench.diple("add", "essay.md", "other.md")
    let program = Workbench.programs.appendingPathComponent("diple").path
    let terminal = try Terminal(
      bench, shell: "sh -c 'out=$(\(program) pick); echo \"[$?:$out]\"; exec sleep 60'",
      columns: 70,
      rows: 12)
    try terminal.wait("both are listed") { $0.contains("other.md") && $0.contains("Pick:") }
    try terminal.press("oth", "Enter")
    try terminal.wait("the path is printed") { $0.contains("[0:other.md]") }
    let second = try Terminal(
      bench, shell: "sh -c 'out=$(\(program) pick x); echo \"[$?:$out]\"; exec sleep 60'",
      columns: 70, rows: 12)
    try second.wait("the query is there") { $0.contains("Pick: x") }
    try second.press("C-g")
    try second.wait("it is cancelled") { $0.contains("[130:]") }
  }

  @Test func `pick without a terminal prints the only document that fits`() throws {
    #expect(try bench.diple("pick").code == 1)
    try bench.diple("add", "essay.md", "other.md")
    let found = try bench.diple("pick", "essay")
    #expect(found.code == 0 && found.output == "essay.md\n", "\(found)")
    #expect(try bench.diple("pick", "obel").output == "other.md\n", "by a heading")
    let several = try bench.diple("pick", "md")
    #expect(several.code == 5 && several.errors.contains("'md' fits 2 documents"), "\(several)")
    #expect(several.errors.contains("  other.md  Other\n"), "\(several)")
    let none = try bench.diple("pick", "zzz")
    #expect(none.code == 1 && none.errors.contains("no document fits 'zzz'"), "\(none)")
    let json = try bench.diple("pick", "obel", "--json").output
    #expect(json.contains("\"schema\":\"diple.pick/1\"") && json.contains("\"text\":\"Obelus\""))
  }

  @Test func `a pipe is read, keys come from the terminal, and nothing is stored`() throws {
    let program = Workbench.programs.appendingPathComponent("diple").path
    let terminal = try Terminal(
      bench, shell: "sh -c 'cat essay.md | \(program) read -; echo \"[$?]\"; exec sleep 60'",
      columns: 60, rows: 14)
    try terminal.wait("the text is shown") { $0.contains("Paragraph 2 ") }
    try terminal.press("/", "Paragraph 40", "Enter")
    try terminal.wait("keys work") { $0.contains("12 selected") }
    try terminal.press("Enter")
    try terminal.wait("the reason is shown") {
      $0.contains("standard input is not stored, so it cannot be") && !$0.contains("Highlight")
    }
    try terminal.press("q", "r", "q")
    try terminal.wait("it ends") { $0.contains("[0]") }
    let places = bench.path(".local/state/diple/places")
    #expect(!FileManager.default.fileExists(atPath: places))
    let binary = try Terminal(
      bench,
      shell: "sh -c 'head -c 9 /dev/zero | \(program) read -; echo \"[$?]\"; exec sleep 60'",
      columns: 100, rows: 14)
    try binary.wait("it is refused") {
      $0.contains("standard input is not text: it has a NUL byte") && $0.contains("[2]")
    }
    let none = try Terminal(bench, "diple", words: ["read", "-"], columns: 80, rows: 5)
    try none.wait("it needs a pipe") { $0.contains("read - reads a pipe, and there is none") }
    #expect(try none.exitCode() == 2)
  }
}
