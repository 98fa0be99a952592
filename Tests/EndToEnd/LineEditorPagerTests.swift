import Foundation
import Testing

/// Tests the pager in the REPL.
@Suite(.enabled(if: Terminal.isThere, "tmux is not installed")) struct LineEditorPagerTests {
  @Test func `show pages a long document, and the prompt is restored afterwards`() throws {
    let bench = try Workbench()
    let paragraphs = (1...60).map { "Paragraph \($0) of a long text.\n" }
    try bench.write("long.md", "# Long\n\n" + paragraphs.joined(separator: "\n"))
    try bench.diple("add", "long.md")
    let terminal = try Terminal(bench, "diple-repl", rows: 12, variables: ["DIPLE_PAGER=less -R"])
    try terminal.wait(lastLine: "›")
    try terminal.press("show long.md", "Enter")
    try terminal.wait("less waits on the first screen") { $0.hasSuffix("\n:") }
    try terminal.press("G")
    try terminal.wait("it is at the end") { $0.hasSuffix("Paragraph 60 of a long text.\n(END)") }
    try terminal.press("q")
    try terminal.wait("the prompt is restored") { $0.hasSuffix("long.md ›") }
    try terminal.press("help", "Enter")
    try terminal.wait("the help waits on its first screen") { $0.hasSuffix("\n:") }
    try terminal.press("q")
    try terminal.wait("the prompt is restored") { $0.hasSuffix("long.md ›") }
    try terminal.press("tags", "Enter")
    try terminal.wait("lines are run again") {
      $0.contains("long.md › tags\nno highlight has a tag\nlong.md ›")
    }
  }

  @Test func `format in the reader applies to its selection`() throws {
    let bench = try Workbench()
    try bench.write("essay.md", "# Essay\n\nThe quick fox.\n")
    try bench.diple("add", "essay.md")
    let terminal = try Terminal(bench, "diple", words: ["read", "essay.md"], columns: 60, rows: 12)
    try terminal.wait("the text is shown") { $0.contains("The quick") }
    try terminal.press("/", "quick", "Enter")
    try terminal.press(":", "format bold", "Enter")
    try terminal.wait("it is written") { _ in
      try bench.read("essay.md").contains("The **quick** fox.")
    }
    try terminal.press("q")
    #expect(try terminal.exitCode() == 0)
  }
}
