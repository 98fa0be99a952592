import Foundation
import Testing

/// Tests that `undo` restores the exact state before each command that changes something, and
/// `redo` the state after it: the library as listed by commands, and the bytes of the files.
@Suite struct UndoTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  /// A line for the REPL, and the lines that must precede it.
  private struct Act {
    var line: String
    /// The name of its step in the history.
    var name: String
    /// The result that undoing it prints. Nil if this is `name`.
    var undone: String?
    /// The line that precedes it. The default, `list`, changes nothing.
    var before: String

    init(_ line: String, _ name: String, undone: String? = nil, before: String = "list") {
      (self.line, self.name, self.undone, self.before) = (line, name, undone, before)
    }
  }

  /// Commands that can't be undone because they only read, work outside the library, or are
  /// irreversible according to their help.
  private static let others: Set<String> = [
    "adjust", "anchor check", "anchor install-hook", "anchor review", "at", "backup", "clear",
    "color list",
    "config edit", "config get", "config set", "config show", "config unset",
    "copy", "daemon install", "daemon logs", "daemon restart", "daemon start", "daemon status",
    "daemon stop", "daemon uninstall", "doc list", "doc show", "doc statistics",
    "doc unlink", "doctor",
    "edit", "export", "extend",
    "find", "follow", "font list", "goto", "highlight log", "highlight show", "highlight why",
    "history", "init", "links", "list",
    "menu", "next",
    "outline", "pick", "plugin add", "plugin list", "plugin remove", "plugin show", "prev",
    "query list",
    "query run", "completion", "read", "redo", "refresh", "repl", "restore", "search", "select",
    "serve allow", "serve devices", "serve revoke", "serve start", "share",
    "show", "source show", "status", "style list", "style show",
    "strategies",
    // `sync conflicts` is undone like a change of a note. It would need a second library for a
    // conflict.
    "sync conflicts", "sync devices", "sync export", "sync init", "sync join", "sync leave",
    "sync now", "sync pair", "sync prepare", "sync passphrase", "sync revoke", "sync status",
    "sync verify", "tags list",
    "trash empty",
    "trash list", "undo",
  ]

  private func prepare() throws {
    try bench.write("a.md", "# One\n\nA word and *another* word, with a colour.\n\nThe end.\n")
    try bench.write(
      "vote.md",
      "Before.\n\nThe committee decided that the bridge should be painted green in summer.\n\nAfter.\n"
    )
    try bench.write("gone.md", "Some words that go away for good, all of them together.\n")
    try bench.write(
      "elsewhere.md",
      "# Else\n\nOther words. Some words that go away for good, all of them together.\n")
    try bench.write("other.md", "# Else\n\nOther words, and many more.\n")
    try bench.write("new.md", "# New\n\nNot yet in the library.\n")
    try bench.write(
      "in.json",
      """
      [{"type": "Annotation", "target": {"source": "a.md",
         "selector": {"type": "TextQuoteSelector", "exact": "colour"}}},
       {"type": "Annotation", "target": {"source": "elsewhere.md",
         "selector": {"type": "TextQuoteSelector", "exact": "Other"}}}]
      """)
    try bench.write(
      "refs.json", #"[{"id":"one","title":"One","type":"book"},{"id":"else","title":"Else"}]"#)
    try bench.diple("add", "a.md", "vote.md", "gone.md", "elsewhere.md")
    try bench.diple("mark", "a.md", "\"another\"", "--note", "n", "--tag", "t")
    try bench.diple("mark", "a.md", "para:3", "-c", "pink")
    try bench.diple("mark", "vote.md", "para:2")
    try bench.diple("mark", "gone.md", "\"go away for good\"")
    try bench.diple("query", "save", "old", "word")
    try bench.diple("color", "label", "green", "question")
    try bench.write(
      "vote.md",
      "Other.\n\nLater the committee agreed that the bridge should be painted red in summer.\n\nEnd.\n"
    )
    try bench.write("gone.md", "Nothing like it.\n")
    try bench.diple("refresh")
  }

  private func highlight(_ quote: String, trashed: Bool = false) throws -> Workbench.Listed {
    try #require(try bench.highlights(trashed: trashed).first { $0.quote.contains(quote) })
  }

  private func id(_ quote: String, trashed: Bool = false) throws -> String {
    try highlight(quote, trashed: trashed).id
  }

  /// The state of the library, without the times of changes and the anchoring methods.
  private struct State {
    var lines: [String] = []
    var trash = ""
    var steps = 0
    /// The summary of the newest step.
    var newest = ""
    /// The result that `undo` or `redo` printed.
    var said = ""
  }

  private struct History: Decodable {
    struct Step: Decodable { var summary: String }
    var data: [Step]
  }

  /// Returns the states after each line except the last. All lines are run in a single REPL.
  private func states(after lines: [String]) throws -> [State] {
    let lists = [
      "list --json", "doc list --json", "color list --json", "query list --json",
      "copy a.md all --print --as md --json", "format show a.md all --json",
      "format show a.md --json", "style list --json", "format default --json",
      "history --limit 999 --json", "trash list --json",
    ]
    let script = lines.dropLast().flatMap { [$0] + lists } + lines.suffix(1)
    let result = try bench.repl(script.joined(separator: "\n") + "\n")
    let errors = result.errors.split(separator: "\n").filter { $0.contains("diple: ") }
    #expect(errors == [], "\(lines)")
    var states: [State] = []
    var state = State()
    for line in result.output.split(separator: "\n") {
      if let match = line.wholeMatch(
        of: #/(?:undid: |redid: )?(.*) \((?:undo of )?step [0-9]+, .*\)/#)
      {
        state.said = String(match.1)
      }
      guard line.contains("\"schema\":\"diple.") else { continue }
      let line = String(line.replacing(/"(updated|method)":"[^"]*"|"score":[0-9.]+/, with: ""))
      if line.contains("diple.trash/1") {
        state.trash = line
        states.append(state)
        state = State()
      } else if line.contains("diple.history/1") {
        let history = try JSONDecoder().decode(History.self, from: Data(line.utf8))
        state.steps = history.data.count
        state.newest = history.data.first?.summary ?? ""
      } else {
        state.lines.append(line)
      }
    }
    #expect(states.allSatisfy { $0.lines.count == 9 }, "\(result)")
    return states
  }

  /// Returns the bytes of all files.
  private func files() throws -> [Data] {
    try ["a.md", "vote.md", "gone.md", "elsewhere.md", "new.md", "other.md"].map {
      try Data(contentsOf: bench.folder.appendingPathComponent($0))
    }
  }

  /// Returns the first difference between two states. Empty if they are equal.
  private static func difference(_ a: [String], _ b: [String]) -> [String] {
    for (x, y) in zip(a, b) where x != y {
      let start = max(0, x.commonPrefix(with: y).count - 60)
      return [x, y].map { String($0.dropFirst(start).prefix(200)) }
    }
    return a.count == b.count ? [] : ["\(a.count) lines", "\(b.count) lines"]
  }

  private func acts() throws -> [Act] {
    let (another, end) = (try id("another"), try id("end"))
    let gone = try id("go away")
    // Summaries contain the number.
    let (gone1, other1) = (try highlight("go away").number, try highlight("another").number)
    return [
      Act("add new.md", "added new.md", undone: "removed new.md from the library"),
      Act(
        "doc rename a.md \"Another title\"", "gave the title 'Another title' to a.md",
        undone: "gave the title 'One' back to a.md"),
      Act(
        "doc link elsewhere.md other.md", "linked elsewhere.md to other.md",
        undone: "linked other.md back to elsewhere.md"),
      Act("doc remove elsewhere.md --yes", "removed elsewhere.md", undone: "restored elsewhere.md"),
      Act(
        "doc restore elsewhere.md", "restored elsewhere.md", undone: "removed elsewhere.md",
        before: "doc remove elsewhere.md --yes"),
      Act(
        "mark a.md \"colour\" --tag x", "marked NEW “colour”", undone: "removed NEW “colour”"),
      Act(
        "mark a.md \"word\"#1 --strategy every", "made 2 highlights in a.md",
        undone: "removed 2 highlights in a.md"),
      Act(
        "highlight edit \(another) --note other --color blue --tag u --untag t",
        "changed the colour, the note and the tags of \(other1) “another”",
        undone: "restored the colour, the note and the tags of \(other1) “another”"),
      Act(
        "highlight color \(another) green", "coloured green \(other1) “another”",
        undone: "coloured yellow again \(other1) “another”"),
      Act(
        "highlight note \(another) Something", "set the note of \(other1) “another”",
        undone: "restored the note of \(other1) “another”"),
      Act(
        "highlight note \(another) \"\"", "removed the note of \(other1) “another”",
        undone: "restored the note of \(other1) “another”"),
      Act(
        "note \(another) Something", "set the note of \(other1) “another”",
        undone: "restored the note of \(other1) “another”"),
      Act(
        "remove \(another) \(end)", "removed 2 highlights", undone: "restored 2 highlights"),
      Act("remove elsewhere.md --yes", "removed elsewhere.md", undone: "restored elsewhere.md"),
      Act("tags rename t u", "renamed #t to #u on 1 highlight"),
      Act("tags merge t u", "renamed #t to #u on 1 highlight"),
      Act("tags remove t --yes", "removed #t from 1 highlight"),
      Act(
        "highlight tag --filter -#t +one", "added #one to 3 highlights",
        undone: "removed #one from 3 highlights"),
      Act(
        "highlight tag \(another) one two", "added #one and #two to \(other1) “another”",
        undone: "removed #one and #two from \(other1) “another”"),
      Act(
        "highlight tag \(another) one", "added #one to \(other1) “another”",
        undone: "removed #one from \(other1) “another”"),
      Act(
        "highlight remove \(another) \(end)", "removed 2 highlights",
        undone: "restored 2 highlights"),
      Act(
        "highlight restore \(another) \(end)", "restored 2 highlights",
        undone: "removed 2 highlights",
        before: "hl remove \(another) \(end)"),
      Act("anchor accept \(gone)", "moved \(gone1) “go away for good”"),
      Act(
        "anchor reject \(gone)", "marked as gone \(gone1) “go away for good”",
        undone: "no longer marked as gone \(gone1) “go away for good”"),
      Act("anchor reattach \(gone) \"Nothing\"", "moved \(gone1) “Nothing”"),
      Act(
        "anchor reattach \(gone) \"Other words\" --doc elsewhere.md",
        "moved \(gone1) “Other words”"),
      Act("highlight reattach \(another) \"colour\"", "moved \(other1) “colour”"),
      Act(
        "color label green \"an answer\"", "named green 'an answer'",
        undone: "named green 'question' again"),
      Act("color label pink new", "named pink 'new'", undone: "removed the name of pink"),
      Act(
        "query save new colour --tag t", "saved the query 'new'",
        undone: "removed the query 'new'"),
      Act(
        "query remove old", "removed the query 'old'", undone: "restored the query 'old'"),
      Act("import in.json", "made 2 highlights", undone: "removed 2 highlights"),
      Act(
        "source set a.md --author \"Ann Lee\" --date 2001 --page 3", "set the source of a.md",
        undone: "removed the source of a.md"),
      Act(
        "source link refs.json", "set the sources of 2 documents",
        undone: "removed the sources of 2 documents"),
      Act("replace a.md word term --all --yes", "replaced 'word' by 'term' in a.md"),
      Act(
        "replace --everywhere --regex [Ee]nd $0ing --all --yes",
        "replaced '[Ee]nd' by '$0ing' in 2 documents"),
      Act("format bold a.md \"colour\"", "formatted a.md: bold"),
      Act("format heading 2 a.md para:3", "formatted a.md: heading 2"),
      Act("format underline a.md \"colour\"", "formatted a.md: underline"),
      Act("format size 14 a.md para:2", "formatted a.md: size 14"),
      Act("format clear a.md all", "formatted a.md: clear", before: "format size 14 a.md para:2"),
      Act("format margins wide a.md", "set the margins of a.md: wide"),
      Act("format default set margins wide", "set the margins of new documents: wide"),
      Act("format default set size 12", "set the default format"),
      Act("doc note a.md \"Read again.\"", "set the note of a.md"),
      Act("style save Big a.md \"colour\"", "set the style 'Big'"),
      Act("style set body size 12", "set the style 'Body'"),
      Act(
        "style remove body", "reset the style 'Body'", before: "style set body size 12"),
      Act(
        "trash restore \(another)", "restored \(other1) “another”",
        undone: "removed \(other1) “another”", before: "hl remove \(another)"),
    ]
  }

  @Test func `each command is undone and redone exactly`() throws {
    try prepare()
    let acts = try acts()
    let changing = try bench.commands().subtracting(Self.others)
    #expect(
      changing.filter { name in !acts.contains { $0.line.hasPrefix(name + " ") } } == [],
      "every command is in one of the lists")
    let first = try files()
    for act in acts {
      let end = act.before == "list" ? "undo" : "undo\nundo"
      let lines = [act.before, act.line, "undo", "redo", end]
      let states = try states(after: lines)
      let (before, after) = (states[0], states[1])
      #expect(after.steps == before.steps + 1, "\(act.line) is one step")
      #expect(Self.difference(before.lines, states[2].lines) == [], "\(act.line), undo")
      #expect(states[2].trash == before.trash, "\(act.line), undo")
      #expect(Self.difference(after.lines, states[3].lines) == [], "\(act.line), redo")
      #expect(states[3].trash == after.trash, "\(act.line), redo")
      #expect(try files() == first, "\(act.line), the files")
      #expect(name(after.newest) == act.name, "\(act.line)")
      // The summary of a highlight's step contains its current words.
      func beginning(_ summary: String) -> Substring { name(summary).prefix { $0 != "“" } }
      for (state, said) in zip(states[2...3], [act.undone ?? act.name, act.name]) {
        #expect(beginning(state.said) == beginning(said), "\(act.line): \(state.said)")
        #expect(beginning(state.newest) == beginning(act.name), "\(act.line): \(state.newest)")
      }
    }
    #expect(try bench.diple("doctor").code == 0)
  }

  /// Returns the summary of a step, without the folder and the number of a new highlight.
  private func name(_ summary: String) -> String {
    summary.replacing(bench.folder.path + "/", with: "")
      .replacing(/^(marked|removed) [0-9]+ “/) { "\($0.1) NEW “" }
  }

  @Test func `undone additions are not in the trash, and redo restores them`() throws {
    try prepare()
    func trash() throws -> [String] { try bench.diple("trash", "list").lines }
    try bench.diple("highlight", "remove", try id("end"))
    #expect(try trash().count == 1)
    try bench.diple("add", "new.md")
    try bench.diple("mark", "new.md", "\"Not yet\"", "--note", "private words")
    try bench.diple("import", "in.json")
    for _ in 0..<3 { #expect(try bench.diple("undo").code == 0) }
    #expect(try trash().count == 1)
    #expect(try bench.diple("list", "--trashed").lines.count == 1)
    // Emptying the trash deletes the user's items there. Undone steps can still be redone.
    #expect(try bench.diple("trash", "empty", "--yes").lines.count == 1)
    #expect(try trash().isEmpty)
    for _ in 0..<3 { #expect(try bench.diple("redo").code == 0) }
    #expect(try bench.diple("redo").code == 1)
    #expect(
      try bench.highlights().map(\.quote).sorted()
        .filter { ["Not yet", "Other", "colour"].contains($0) } == ["Not yet", "Other", "colour"])

    // After undoing, redoing and undoing again, the highlight isn't in the trash either. Only the
    // user can move it to the trash.
    for _ in 0..<3 { try bench.diple("undo") }
    #expect(try trash().isEmpty)
    for _ in 0..<3 { try bench.diple("redo") }
    try bench.diple("highlight", "remove", try id("Not yet"))
    #expect(try trash().count == 1)
    try bench.diple("trash", "restore", try id("Not yet", trashed: true))
    try bench.diple("undo")
    #expect(try trash().count == 1, "undo restored a change by the user")

    // Emptying the trash also deletes undone steps that can't be redone any more.
    try bench.diple("mark", "vote.md", "\"Other\"", "--note", "unmade words")
    try bench.diple("undo")
    try bench.diple("color", "label", "blue", "doubt")
    #expect(try stored("unmade words") > 0)
    try bench.diple("trash", "empty", "--yes")
    #expect(try stored("unmade words") == 0 && stored("private words") == 0)
    #expect(try bench.diple("doctor").code == 0)
  }

  @Test func `a document whose adding was undone is in the trash if it contains a highlight`()
    throws
  {
    try bench.write("a.md", "A word.\n")
    try bench.diple("add", "a.md")
    try bench.diple("mark", "a.md", "\"word\"")
    try bench.diple("undo", "--skip")
    try bench.diple("undo")
    #expect(try bench.diple("trash", "list").lines.count == 1)
    try bench.diple("redo")
    #expect(try bench.highlights().map(\.quote) == ["word"])
  }

  /// Returns the number of operations that contain a text.
  private func stored(_ words: String) throws -> Int {
    let query = "SELECT count(*) FROM operation WHERE value LIKE '%\(words)%'"
    let lines = try bench.run("sqlite3", ["library/library.sqlite", query]).lines
    return try #require(lines.first.flatMap { Int($0) })
  }

  @Test func `undo keeps other changes of the file, or fails if they overlap`() throws {
    let text = "# Title\n\nA word here, and the rest of a long line.\n\nA last word.\n"
    try bench.write("a.md", text)
    try bench.diple("add", "a.md")
    try bench.diple("replace", "a.md", "word", "term", "--all", "--yes")
    // Change text before it, after it on the same line, and after everything.
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
    // Change the same place: nothing is written.
    let other = merged.replacing("A word here", with: "A terminus here").replacing(
      "word", with: "term")
    try bench.write("a.md", other)
    let refused = try bench.diple("undo")
    #expect(refused.code == 6 && refused.errors.contains("a.md:3"), "\(refused)")
    #expect(try bench.read("a.md") == other)
    #expect(try bench.diple("undo", "--skip").code == 0)
    let first = try bench.diple("undo")
    #expect(first.output.contains("a.md from the library (undo of step "), "\(first)")
  }
}
