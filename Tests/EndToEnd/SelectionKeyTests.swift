import Foundation
import Testing

/// Tests the REPL's keys for selections, and the selection hook.
@Suite(.enabled(if: Terminal.isThere, Terminal.need)) struct SelectionKeyTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.write("essay.md", "# Essay\n\nThe quick fox.\n")
    try bench.write("other.md", "# Other\n\nText.\n")
    try bench.diple("add", "essay.md", "other.md")
    try bench.write("hook.sh", "#!/bin/sh\ncat \"$1\" >> \(bench.path("told"))\n")
    try bench.shell("chmod +x hook.sh && touch told")
    try bench.diple("config", "set", "select.hook", bench.path("hook.sh"))
  }

  @Test func `keys select all and copy, and the typed line is kept`() throws {
    let terminal = try Terminal(bench, "diple-repl")
    try terminal.allowClipboard()
    try terminal.wait("the prompt") { $0.contains("›") }
    try terminal.press("select essay.md quick", "Enter")
    try terminal.wait(lastLine: "essay.md ›")
    try terminal.press("list --st", "M-w")
    try terminal.wait("it is copied, and the line is there again") {
      $0.contains("copied 5 characters to the terminal's clipboard")
        && $0.hasSuffix("essay.md › list --st")
    }
    try terminal.wait("tmux has it") { _ in try terminal.clipboard() == "quick" }
    try terminal.press("C-x", "h")
    try terminal.wait("all is selected") {
      $0.contains("Essay\nThe quick fox.") && $0.hasSuffix("› list --st")
    }
    try terminal.press("M-w")
    try terminal.wait("tmux has all") { _ in
      try terminal.clipboard()?.hasSuffix("The quick fox.") == true
    }
    try terminal.press("C-u", "quit", "Enter")
    #expect(try terminal.exitCode() == 0)
    // Each different selection was reported once.
    try terminal.wait("both were reported") { _ in
      try bench.read("told").split(separator: "\n").count == 2
    }
    let events = try bench.read("told")
    #expect(events.contains("\"schema\":\"diple.selection/1\"") && events.contains("\"quick\""))
  }

  @Test func `the selection hook is run in the reader, and its commands are stored in the history`()
    throws
  {
    let terminal = try Terminal(bench, "diple", words: ["read", "essay.md"], columns: 60, rows: 12)
    try terminal.wait("the text is shown") { $0.contains("The quick") }
    try terminal.press("/", "quick", "Enter")
    try terminal.wait("the selection is reported") { _ in
      try bench.read("told").contains("\"quick\"")
    }
    try terminal.press(":", "read other.md", "Enter")
    try terminal.wait("the other is read here") { $0.contains("Text.") }
    try terminal.press("<")
    try terminal.wait("and the earlier one again") { $0.contains("The quick") }
    try terminal.press(":", "repl", "Enter")
    try terminal.wait("it contains no second program") { $0.contains("line editor already") }
    try terminal.press("q")
    #expect(try terminal.exitCode() == 0)
    let again = try Terminal(bench, "diple", words: ["read", "essay.md"], columns: 60, rows: 12)
    try again.wait("the text is shown") { $0.contains("The quick") }
    try again.press(":", "Up", "Up")
    try again.wait("the line of the last session") { $0.hasSuffix("\n:read other.md") }
    try again.press("C-c", "q")
    #expect(try again.exitCode() == 0)
    let left = try FileManager.default.contentsOfDirectory(atPath: bench.folder.path)
    #expect(!left.contains { $0.hasPrefix("diple-selection") })
  }
}
