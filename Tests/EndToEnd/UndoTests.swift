import Foundation
import Testing

/// `undo` gives back exactly what was before each command that changes something, and `redo` what it
/// did: the library as every list shows it, and the bytes of the files.
@Suite struct UndoTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  /// A command with what it needs to be typed before it.
  private struct Act {
    var command: String
    var words: [String]
    /// Whether it makes something new, which goes to the trash when it is taken back.
    var makes = false
    /// What is done first, and undone with the same state afterwards.
    var before: [[String]] = []

    init(_ command: String, _ words: String..., makes: Bool = false, before: [String]...) {
      (self.command, self.words, self.makes, self.before) = (command, words, makes, before)
    }
  }

  /// Commands that change nothing a person has to be able to take back: those that look, and those
  /// whose work is outside of the library, or gone for good as they say themselves.
  private static let others: Set<String> = [
    "adjust", "anchor check", "anchor install-hook", "anchor review", "at", "clear", "color list",
    "copy", "daemon install", "daemon logs", "daemon restart", "daemon start", "daemon status",
    "daemon stop", "daemon uninstall", "doc list", "doc show", "doctor", "export", "extend", "find",
    "follow", "goto", "highlight show", "highlight why", "history", "init", "list", "menu", "next",
    "outline", "plugin add", "plugin list", "plugin remove", "plugin show", "prev", "query list",
    "query run", "read", "redo", "refresh", "repl", "search", "select", "share", "show",
    "strategies", "tags", "trash empty", "trash list", "undo",
  ]

  private func prepare() throws {
    try bench.write("a.md", "# One\n\nA word and *another* word, with a colour.\n\nThe end.\n")
    try bench.write(
      "vote.md",
      "Before.\n\nThe committee decided that the bridge should be painted green in summer.\n\nAfter.\n"
    )
    try bench.write("gone.md", "Some words that go away for good, all of them together.\n")
    try bench.write("elsewhere.md", "# Else\n\nOther words.\n")
    try bench.write("new.md", "# New\n\nNot yet in the library.\n")
    try bench.write(
      "in.json",
      """
      [{"type": "Annotation", "target": {"source": "a.md",
         "selector": {"type": "TextQuoteSelector", "exact": "colour"}}},
       {"type": "Annotation", "target": {"source": "elsewhere.md",
         "selector": {"type": "TextQuoteSelector", "exact": "Other"}}}]
      """)
    try bench.diple("add", "a.md", "vote.md", "gone.md", "elsewhere.md")
    try bench.diple("mark", "a.md", "\"another\"", "--note", "n", "--tag", "t")
    try bench.diple("mark", "a.md", "para:3", "-c", "pink")
    try bench.diple("mark", "vote.md", "para:2")
    try bench.diple("mark", "gone.md", "\"go away for good\"")
    try bench.diple("query", "save", "old", "word")
    try bench.diple("color", "label", "green", "question")
    try bench.write(
      "vote.md",
      "Other.\n\nLater the committee agreed that a bridge should be painted red in winter.\n\nEnd.\n"
    )
    try bench.write("gone.md", "Nothing like it.\n")
    try bench.diple("refresh")
  }

  /// The id of the highlight of some words.
  private func id(_ quote: String) throws -> String {
    try #require(try bench.highlights().first { $0.quote.contains(quote) }).id
  }

  /// What the library says, line by line, and what the files hold. Times of changes are left out.
  private func state(after line: String) throws -> (lines: [String], trash: String) {
    let lists = [
      "list --json", "doc list --json", "tags --json", "color list --json", "query list --json",
      "outline a.md --json", "show vote.md", "trash list --json",
    ]
    let result = try bench.repl(([line] + lists).joined(separator: "\n") + "\n")
    var lines: [String] = []
    var trash = ""
    for line in result.output.split(separator: "\n") {
      let line = String(line.replacing(/"updated":"[^"]*"/, with: ""))
      if line.contains("diple.trash/1") {
        trash = line
      } else if line.contains("\"schema\"") || line.contains("[") {
        lines.append(line)
      }
    }
    #expect(lines.count > 5, "\(result)")
    for name in ["a.md", "vote.md", "gone.md", "elsewhere.md"] {
      lines.append(try bench.read(name))
    }
    return (lines, trash)
  }

  private func acts() throws -> [Act] {
    let (another, end) = (try id("another"), try id("end"))
    let (vote, gone) = (try id("committee"), try id("go away"))
    return [
      Act("add", "new.md", makes: true),
      Act("doc rename", "a.md", "Another title"),
      Act("doc link", "elsewhere.md", "new.md"),
      Act("doc remove", "a.md", "--yes"),
      Act("doc restore", "a.md", before: ["doc", "remove", "a.md", "--yes"]),
      Act("mark", "a.md", "\"colour\"", "--tag", "x", makes: true),
      Act("mark", "a.md", "\"word\"#1", "--strategy", "every", makes: true),
      Act(
        "highlight edit", another, "--note", "other", "--color", "blue", "--tag", "u", "--untag",
        "t"),
      Act("highlight color", another, "green"),
      Act("highlight note", another, "Something\nin two lines"),
      Act("highlight tag", another, "one", "two"),
      Act("highlight remove", another, end),
      Act("highlight restore", another, end, before: ["hl", "remove", another, end]),
      Act("anchor accept", vote),
      Act("anchor reject", vote),
      Act("anchor reattach", gone, "\"Nothing\""),
      Act("anchor reattach", gone, "\"Other words\"", "--doc", "elsewhere.md"),
      Act("color label", "green", "an answer"),
      Act("color label", "pink", "new"),
      Act("query save", "new", "colour", "--tag", "t"),
      Act("query remove", "old"),
      Act("import", "in.json", makes: true),
      Act("replace", "a.md", "word", "term", "--all", "--yes"),
      Act("replace", "--everywhere", "--regex", "[Ee]nd", "$0ing", "--all", "--yes"),
      Act("format", "bold", "a.md", "\"colour\""),
      Act("format", "heading", "2", "a.md", "para:3"),
      Act("trash restore", another, before: ["hl", "remove", another]),
    ]
  }

  @Test func `each command is taken back exactly, and done again`() throws {
    try prepare()
    let acts = try acts()
    #expect(
      Set(acts.map(\.command)) == (try bench.commands()).subtracting(Self.others),
      "every command is in one of the lists")
    let first = try state(after: "list")
    for act in acts {
      for words in act.before { #expect(try bench.run("diple", words).code == 0, "\(words)") }
      let before = try state(after: "list")
      let steps = try bench.diple("history").lines.count
      let done = try bench.run(
        "diple", act.command.split(separator: " ").map(String.init) + act.words)
      #expect(done.code == 0, "\(act): \(done)")
      let after = try state(after: "list")
      #expect(after != before, "\(act) changed nothing")
      #expect(try bench.diple("history").lines.count == steps + 1, "\(act) is one step")
      let undone = try state(after: "undo")
      #expect(undone.lines == before.lines, "\(act)")
      #expect(act.makes || undone.trash == before.trash, "\(act)")
      #expect(try state(after: "redo") == after, "\(act)")
      let again = try state(after: "undo")
      #expect(again.lines == before.lines, "\(act)")
      for words in act.before { #expect(try bench.diple("undo").code == 0, "\(words)") }
    }
    #expect(try state(after: "list").lines == first.lines)
    #expect(try bench.diple("doctor").code == 0)
  }

  @Test func `what others did to the file is kept, or the undo refused`() throws {
    let text = "# Title\n\nA word here, and the rest of a long line.\n\nA last word.\n"
    try bench.write("a.md", text)
    try bench.diple("add", "a.md")
    try bench.diple("replace", "a.md", "word", "term", "--all", "--yes")
    // Before it, behind it on its line, and after everything.
    try bench.write(
      "a.md",
      "# A title\n\nA term here, and what is left of a long line.\n\nA last term.\n\nMore.\n")
    let undone = try bench.diple("undo")
    #expect(undone.code == 0, "\(undone)")
    let merged =
      "# A title\n\nA word here, and what is left of a long line.\n\nA last word.\n\nMore.\n"
    #expect(try bench.read("a.md") == merged)
    #expect(try bench.diple("redo").code == 0)
    #expect(try bench.read("a.md") == merged.replacing("word", with: "term"))
    // In the same place: nothing is written.
    let other = merged.replacing("A word here", with: "A terminus here").replacing(
      "word", with: "term")
    try bench.write("a.md", other)
    let refused = try bench.diple("undo")
    #expect(refused.code == 6 && refused.errors.contains("a.md:3"), "\(refused)")
    #expect(try bench.read("a.md") == other)
    #expect(try bench.diple("undo", "--skip").code == 0)
    #expect(try bench.diple("undo").output.contains("added a.md"))
  }
}
