import Foundation
import Testing

/// Tests panels, margins and unusual characters in the reader, in tmux.
@Suite(.enabled(if: Terminal.isThere, "tmux is not installed")) struct ReadPanelTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  private func open(_ doc: String, columns: Int = 70, rows: Int = 12) throws -> Terminal {
    let terminal = try Terminal(
      bench, "diple", words: ["read", doc], columns: columns, rows: rows)
    try terminal.wait("the text is shown") { $0.contains("%") }
    return terminal
  }

  @Test func `back and forward navigate between files`() throws {
    try bench.write("a.md", "# First\n\nTo [the second](b.md#there).\n")
    try bench.write("b.md", "# Second\n\nText.\n\n## There\n\nTo [the third](c.md).\n")
    try bench.write("c.md", "# Third\n\nIt ends.\n")
    try bench.diple("add", "a.md", "b.md")
    let terminal = try open("a.md")
    func shows(_ text: String) throws {
      try terminal.wait("\(text) is shown") { $0.contains(text) }
    }
    try terminal.press("f", "1", "Enter")
    try shows("To the third")
    try terminal.press("f", "1", "Enter")
    try shows("It ends")
    try terminal.press("<")
    try shows("To the third")
    try terminal.press(">")
    try shows("It ends")
    try terminal.press("<", "<", "<")
    try shows("To the second")
    try terminal.press(">", ">", ">")
    try shows("It ends")
    try terminal.press(">")
    try shows("no later position")
    try terminal.press("<", "G", "g", ">")
    // The jump in the second text precedes the third text in the forward history.
    try shows("To the third")
    try terminal.press("q")
    #expect(try terminal.exitCode() == 0)
  }

  @Test func `a backlink leads to the very place in the other document`() throws {
    try bench.write("a.md", "# First\n\nTo [the second](b.md#there) and [none](gone.md).\n")
    let filler = String(repeating: "Some words of filler.\n\n", count: 40)
    try bench.write("b.md", "# Second\n\n\(filler)It is after [the first](a.md), they say.\n")
    try bench.diple("add", "a.md", "b.md")
    let terminal = try open("a.md")
    try terminal.press("B")
    try terminal.wait("the panel is shown") {
      $0.contains("Backlinks (1)") && $0.contains("b.md:83") && $0.contains("Unresolved (2)")
    }
    try terminal.press("Enter")
    try terminal.wait("the sentence is shown") { $0.contains("It is after the first") }
    try terminal.press("<")
    try terminal.wait("the first text is shown") { $0.contains("To the second") }
    try terminal.press("q")
    #expect(try terminal.exitCode() == 0)
  }

  @Test func `an embedded note is shown in place, and in a pipe only its name`() throws {
    try bench.diple("config", "set", "markdown.dialect", "obsidian")
    try bench.write("a.md", "# First\n\n![[Second#There]]\n\nThe end.\n")
    try bench.write("Second.md", "# Second\n\n## There\n\nIt is *embedded*.\n")
    try bench.diple("add", "a.md", "Second.md")
    let terminal = try open("a.md")
    try terminal.wait("the note is shown") {
      $0.contains("│ Second › There") && $0.contains("│ It is embedded.")
    }
    try terminal.press("q")
    #expect(try terminal.exitCode() == 0)
    #expect(
      try bench.diple("show", "a.md").output == """
        # First

        embed: Second > There[1]

        The end.

        [1] [[Second#There]]

        """)
  }

  @Test func `a file outside the library can be added from the menu and highlighted`() throws {
    try bench.write("a.md", "# First\n\nThe quick fox.\n")
    let terminal = try open("a.md")
    try terminal.press("/", "quick", "Enter", "Enter")
    try terminal.wait("the menu shows the reason") {
      $0.contains("not in the library") && $0.contains("l  Add to the library")
    }
    try terminal.press("l")
    try terminal.wait("the menu has colours now") {
      $0.contains("1  Highlight yellow") && $0.contains("added to the library")
    }
    try terminal.press("1")
    try terminal.wait("it is marked") { $0.contains("highlighted in yellow") }
    try terminal.press("q")
    #expect(try terminal.exitCode() == 0)
    #expect(try bench.highlights().map(\.color) == ["yellow"])
  }

  @Test func `a note is marked in the margin, and shown in the last line at the caret`() throws {
    try bench.write("a.md", "# First\n\nThe quick fox.\n")
    try bench.diple("add", "a.md")
    try bench.diple("mark", "a.md", "quick", "--note", "how quick?")
    let terminal = try open("a.md")
    #expect(try terminal.screen().contains(" Y* The quick"))
    try terminal.press("j", "w")
    try terminal.wait("the note is shown") { $0.contains("yellow · “how quick?”") }
    try terminal.press("q")
    #expect(try terminal.exitCode() == 0)
  }

  @Test func `doubtful highlights can be accepted and rejected in their list`() throws {
    try bench.write(
      "a.md",
      "Some words.\n\nThe committee decided that the bridge should be painted green in summer.\n\n"
        + "A quite different sentence.\n\nEnd.\n")
    try bench.diple("add", "a.md")
    try bench.diple("mark", "a.md", "para:2")
    try bench.diple("mark", "a.md", "para:3")
    try bench.write(
      "a.md",
      "Other.\n\nLater the committee agreed that a bridge should be painted red in winter.\n\nEnd.\n"
    )
    let terminal = try open("a.md")
    let states = try bench.highlights().map(\.state)
    try #require(states.contains("doubtful") && states.contains("orphaned"), "\(states)")
    try terminal.press("i")
    try terminal.wait("the list shows the keys") { $0.contains("a accept · r reject") }
    try terminal.press("a")
    try terminal.wait("one is left") {
      !$0.contains("doubtful") && $0.contains("orphaned") && $0.contains("accepted")
    }
    try terminal.press("r")
    try terminal.wait("it is rejected") { $0.contains("marked as gone") }
    try terminal.press("q", "q")
    #expect(try terminal.exitCode() == 0)
    #expect(Set(try bench.highlights().map(\.state)) == ["exact", "orphaned"])
  }

  @Test func `tabs are shown as blanks up to the tab stop`() throws {
    try bench.write("a.md", "# First\n\nname\tvalue of it\n")
    let terminal = try open("a.md")
    #expect(try terminal.screen().contains("name    value of it"))
    try terminal.press("q")
  }

  /// Grapheme clusters whose width in tmux differs from that in other terminals.
  private static let clusters = [
    "क्षत्रिय", "स्त्री", "हिन्दी में लिखा", "தமிழ் கொடி", "ಕ್ಷಿ", "👋🏽", "🧑🏽‍💻", "👨‍👩‍👧‍👦", "❤️", "🏳️‍🌈",
    "1️⃣", "🇩🇪", "ខ្មែរ", "བོད་ཡིག",
  ]

  @Test func `characters with a disputed width do not garble the text around them`() throws {
    let lines = Self.clusters.map { "- begin \($0) middle \($0)\($0) end" }
    let other = (1...40).map { "- another line \($0) that is long enough to lie below them" }
    try bench.write("a.md", (lines + other).joined(separator: "\n") + "\n")
    let terminal = try open("a.md", columns: 70, rows: 20)
    func check() throws {
      let screen = try terminal.screen()
      let rows = screen.split(separator: "\n").filter { $0.contains("begin") }
      #expect(rows.count == Self.clusters.count)
      for (row, cluster) in zip(rows, Self.clusters) {
        // A cluster may be reduced to its first character, but nothing else may move.
        #expect(
          row.contains("• begin ") && row.contains(" middle ") && row.hasSuffix(" end"),
          "\(cluster): \(row)")
      }
      // Letters are complete. tmux may omit the skin tone of emoji.
      for word in ["क्षत्रिय", "स्त्री", "हिन्दी", "ಕ್ಷಿ", "ខ្មែរ"] {
        #expect(screen.contains("begin \(word)"), "\(word) is garbled:\n\(screen)")
      }
    }
    try check()
    // Nothing remains after scrolling back and forth and closing a panel.
    try terminal.press("G")
    try terminal.wait("the end is shown") { $0.contains("another line 40") }
    #expect(!(try terminal.screen().contains("begin")))
    try terminal.press("g", "?")
    try terminal.wait("the panel is open") { $0.contains("Keys") }
    try terminal.press("q")
    // tmux may return the screen while it is being drawn.
    try terminal.wait("the panel is closed") { screen in
      !screen.contains("Keys")
        && screen.split(separator: "\n").count { $0.contains("begin") && $0.hasSuffix("end") }
          == Self.clusters.count
    }
    try check()
    try terminal.press("q")
    #expect(try terminal.exitCode() == 0)
  }
}
