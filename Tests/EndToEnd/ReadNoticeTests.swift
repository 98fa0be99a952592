import DaemonKit
import Foundation
import TestSupport
import Testing
import Workspace

/// Tests that the reader shows the daemon's notices immediately.
@Suite(.enabled(if: Terminal.isThere, Terminal.need)) struct ReadNoticeTests {
  @Test func `a daemon that starts after the reader notifies it until the daemon ends`() throws {
    let watched = try WatchedBench(files: ["one.md", "two.md"])
    let bench = watched.bench
    let terminal = try Terminal(
      bench, "diple", words: ["read", "notes/one.md"], columns: 76, rows: 24)
    try terminal.wait("the text is shown") { $0.contains("marked passage") }
    try watched.start()
    // The reader tries to connect whenever it checks the file.
    try eventually("the reader and this test listen") {
      try watched.status().subscribers
    } until: {
      $0 == 2
    }
    // Only the daemon reports changes of another document.
    let two = try bench.read("notes/two.md")
    try bench.write(
      "notes/two.md", two.replacing("marked passage two.md", with: "remarked passage two.md"))
    try terminal.wait("the change of another document is shown") {
      $0.contains("two.md") && $0.contains("1 edited")
    }
    try terminal.press("/", "passage", "Enter")
    try terminal.wait("a word is selected") { $0.contains("7 selected") }
    let one = try bench.read("notes/one.md")
    try bench.write("notes/one.md", "A new beginning.\n\n" + one)
    let screen = try terminal.wait("the changed text and a notice are shown") {
      $0.contains("A new beginning.") && $0.contains("one.md")
    }
    #expect(screen.contains(" Y "), "the highlight is where its words are")
    #expect(try watched.stop().code == 0)
    try bench.write("notes/one.md", "Without a daemon.\n\n" + one)
    try terminal.wait("the file is still checked") { $0.contains("Without a daemon.") }
    try terminal.press("q")
    #expect(try terminal.exitCode() == 0)
  }
}
