import Foundation
import Testing

/// Tests `anchor` and the origin of highlights, with real files and git.
@Suite final class AnchorTests {
  let bench: Workbench

  private static let passage =
    "The obelus marked a line that the critic held to be spurious in the poem of Homer."
  private static let other =
    "An asterisk beside it said that the verses belonged at another place of the same book."

  init() throws {
    bench = try Workbench()
    try bench.write(
      "a.md", "# Signs\n\nBefore them all stood nothing.\n\n\(Self.passage)\n\n\(Self.other)\n")
    try bench.write("b.md", "# Others\n\nQuite another text about trees and rivers.\n")
    #expect(try bench.diple("add", ".").code == 0)
    #expect(try bench.diple("mark", "a.md", "\"\(Self.passage)\"", "--note", "why?").code == 0)
  }

  private func only() throws -> Workbench.Listed { try #require(try bench.highlights().first) }

  @Test func `a passage that was cut and pasted into another document is a candidate there`() throws
  {
    try bench.write("a.md", "# Signs\n\nBefore them all stood nothing.\n\n\(Self.other)\n")
    try bench.write(
      "b.md", "# Others\n\nQuite another text about trees and rivers.\n\n\(Self.passage)\n")
    let review = try bench.diple("anchor", "review")
    #expect(review.code == 0)
    #expect(review.output.contains("orphaned"), "\(review.output)")
    #expect(review.output.contains("1  b.md:5:1"), "\(review.output)")
    // The new place is only suggested. The highlight is not moved.
    #expect(try only().state == "orphaned")
    let accepted = try bench.diple("anchor", "accept", String(try only().number))
    #expect(accepted.code == 0, "\(accepted)")
    #expect(accepted.output.contains("b.md:5:1"))
    #expect(try only().state == "exact")
    #expect(try only().note == "why?")
    #expect(try bench.diple("list", "b.md").lines.count == 1)
    #expect(try bench.diple("anchor", "review").code == 1)
  }

  @Test func `a rejected highlight is not searched for, and is restored when its text returns`()
    throws
  {
    let original = try bench.read("a.md")
    try bench.write("a.md", "# Signs\n\nBefore them all stood nothing.\n")
    #expect(try bench.diple("anchor", "check").code == 3)
    #expect(try bench.diple("anchor", "reject", try only().id).code == 0)
    #expect(try bench.diple("anchor", "check").code == 0)
    #expect(try bench.diple("anchor", "review").code == 1)
    #expect(try bench.diple("anchor", "reject", try only().id).code == 1)
    // The rejected highlight is still listed with its quote.
    #expect(try only().state == "orphaned")
    #expect(try only().quote == Self.passage)
    try bench.write("a.md", original)
    #expect(try only().state == "exact")
  }

  @Test func `anchor commands do not change a highlight in the trash`() throws {
    let id = try only().id
    try bench.write("a.md", "# Signs\n\nBefore them all stood nothing.\n\n\(Self.other)\n")
    #expect(try bench.diple("anchor", "check").code == 3)
    #expect(try bench.diple("remove", id).code == 0)
    for words in [
      ["note", id, "new"], ["highlight", "tag", id, "new"], ["highlight", "color", id, "blue"],
      ["highlight", "edit", id, "--note", "new"], ["anchor", "reject", id],
      ["anchor", "accept", id], ["anchor", "reattach", id, "word:1", "--doc", "b.md"],
    ] {
      let result = try bench.run("diple", words)
      #expect(result.code == 4, "\(words): \(result)")
      #expect(result.errors.contains("restore"), "\(words): \(result.errors)")
    }
    #expect(try bench.diple("highlight", "restore", id).code == 0)
    #expect(try only().note == "why?" && only().state == "orphaned")
    #expect(try bench.diple("note", id, "new").code == 0)
  }

  @Test func `anchor reattach moves a highlight to another passage`() throws {
    let id = try only().id
    #expect(try bench.diple("anchor", "accept", id).code == 1)
    let moved = try bench.diple("highlight", "reattach", id, "\"trees\"", "--doc", "b.md")
    #expect(moved.code == 0, "\(moved)")
    #expect(try only().quote == "trees")
    #expect(try only().note == "why?")
    #expect(try bench.diple("anchor", "reattach", id, "\"trees\"").code == 1)
    #expect(try bench.diple("anchor", "reattach", id, "\"no such words\"").code == 1)
  }

  @Test func `hl why prints the old and the new words`() throws {
    try bench.shell("sed -i 's/held to be spurious/thought to be quite spurious/' a.md")
    let why = try bench.diple("hl", "why", try only().id)
    #expect(why.output.contains("state      edited"), "\(why.output)")
    #expect(why.output.contains("[held] to be spurious"), "\(why.output)")
    #expect(why.output.contains("[thought] to be [quite] spurious"), "\(why.output)")
    #expect(why.output.contains("margin"))
  }

  @Test func `a renamed file keeps its highlights`() throws {
    let before = try only()
    try bench.shell("mkdir deep && mv a.md deep/other-name.md")
    let list = try bench.diple("list")
    #expect(
      list.errors.contains("a.md was renamed to deep/other-name.md"), "\(list)")
    #expect(try only() == before)
  }

  @Test func `a renamed and edited file is recognised by its text`() throws {
    let lines = (1...40).map { "Sentence number \($0) says something of its own about \($0 * 7)." }
    try bench.write("long.md", lines.joined(separator: "\n\n"))
    #expect(try bench.diple("add", "long.md").code == 0)
    #expect(try bench.diple("mark", "long.md", "\"number 20 says something\"").code == 0)
    try bench.shell("sed -i 's/Sentence number 3 /Phrase three /' long.md && mv long.md longer.md")
    let list = try bench.diple("list", "long.md")
    #expect(list.errors.contains("longer.md: "), "\(list)")
    #expect(list.output.contains("longer.md:39:"), "\(list)")
  }

  @Test func `a short file that was moved and extended is recognised by its name`() throws {
    try bench.write("plan.md", "# Plan\n\nFirst we build the bridge.\n")
    #expect(try bench.diple("add", "plan.md").code == 0)
    #expect(try bench.diple("mark", "plan.md", "\"build the bridge\"").code == 0)
    try bench.shell("mkdir sub && mv plan.md sub/ && sed -i '1i A line before all.\\n' sub/plan.md")
    let list = try bench.diple("list", "plan.md")
    #expect(list.output.contains("sub/plan.md:5:10"), "\(list)")
    try bench.shell("rm sub/plan.md && printf '# Plan\n\nQuite another thing.\n' > plan.md")
    #expect(try bench.diple("list").errors.contains("sub/plan.md is missing"))
  }

  @Test func `a missing document is not linked to one of two copies`() throws {
    try bench.shell("cp a.md c.md && cp a.md d.md && rm a.md")
    #expect(try bench.diple("list").errors.contains("a.md is missing"))
  }

  @Test
  func
    `the hook stops a commit that affects highlights, and is not installed over another`()
    throws
  {
    try bench.shell(
      """
      git init -q -b main . && git config user.email a@b.c && git config user.name A &&
      git add a.md b.md && git commit -qm first
      """)
    bench.environment["PATH"] =
      Workbench.programs.path + ":" + (bench.environment["PATH"] ?? "")
    let installed = try bench.diple("anchor", "install-hook")
    #expect(installed.code == 0, "\(installed)")
    #expect(try bench.diple("anchor", "install-hook").code == 1)
    try bench.shell("sed -i 's/stood nothing/stood something/' a.md && git commit -qam harmless")
    try bench.shell("sed -i '/obelus/d' a.md && git add a.md")
    #expect(try bench.diple("anchor", "check", "--staged").code == 3)
    let commit = try bench.run("git", ["commit", "-qm", "harmful"])
    #expect(commit.code != 0)
    #expect(
      (commit.output + commit.errors).contains("orphaned"), "\(commit.output) \(commit.errors)")
    try bench.shell("git commit -q --no-verify -m 'all the same'")
    #expect(try bench.diple("anchor", "check", "--staged").code == 0)
    try bench.shell("printf '#!/bin/sh\\nexit 0\\n' > .git/hooks/pre-commit")
    #expect(try bench.diple("anchor", "install-hook").code == 6)
    #expect(try bench.read(".git/hooks/pre-commit") == "#!/bin/sh\nexit 0\n")
  }

  @Test func `hl log prints the commits that changed the words`() throws {
    try bench.shell(
      """
      git init -q -b main . && git config user.email a@b.c && git config user.name Ada &&
      git add a.md && git commit -qm 'the signs' &&
      sed -i 's/Before them all/Before all/' a.md && git commit -qam 'elsewhere' &&
      sed -i 's/the critic held/the critic long held/' a.md && git commit -qam 'longer'
      """)
    _ = try bench.diple("hl", "color", try only().id, "pink")
    let log = try bench.diple("hl", "log", try only().id)
    #expect(log.output.contains("(Ada: the signs) added “The obelus"), "\(log.output)")
    #expect(log.output.contains("(Ada: longer) changed"), "\(log.output)")
    #expect(log.output.contains("critic [long] held"), "\(log.output)")
    #expect(!log.output.contains("elsewhere"), "\(log.output)")
    #expect(log.output.contains("coloured pink"))
    #expect(log.output.contains("note: why?"))
  }

  @Test func `highlights of another program are imported once`() throws {
    try bench.write("c.md", "Hello 👋 *world*, said the **quick** fox.\n")
    #expect(try bench.diple("add", "c.md").code == 0)
    // The offsets 6 to 13 in code points of the rendered text are `👋 world`.
    try bench.write(
      "in.json",
      """
      [{"type": "Annotation", "id": "1", "target": {"source": "c.md",
        "selector": {"type": "TextPositionSelector", "start": 6, "end": 13}}},
       {"type": "Annotation", "id": "2", "body": {"value": "note", "purpose": "commenting"},
        "target": {"source": "c.md", "selector": [
        {"type": "TextQuoteSelector", "exact": "quick", "prefix": "said the ", "suffix": " fox"}]}},
       {"type": "Annotation", "id": "3", "target": {"source": "c.md",
        "selector": {"type": "TextQuoteSelector", "exact": "these words are nowhere in it"}}},
       {"type": "Annotation", "id": "4", "target": {"source": "nowhere.md",
        "selector": {"type": "TextQuoteSelector", "exact": "x"}}}]
      """)
    let rehearsal = try bench.diple("import", "in.json", "--dry-run", "--verbose")
    #expect(rehearsal.lines.count == 3)
    #expect(try bench.diple("list", "c.md").code == 1)
    let first = try bench.diple("import", "in.json")
    #expect(first.code == 4, "\(first)")
    #expect(first.errors.contains("nowhere.md"))
    let listed = try bench.highlights().filter { $0.quote != Self.passage }
    #expect(listed.map(\.quote) == ["👋 world", "quick", "these words are nowhere in it"])
    #expect(listed.map(\.state) == ["exact", "exact", "orphaned"])
    #expect(listed[1].note == "note")
    #expect(try bench.diple("import", "in.json").errors.contains("imported 0, 3 already present"))
    #expect(try bench.diple("import", "a.md").code == 2)
  }

  @Test func `a colour can be labelled`() throws {
    #expect(try bench.diple("color", "label", "yellow", "question").code == 0)
    #expect(try bench.diple("color", "label", "yellow", "question").code == 1)
    #expect(try bench.diple("color").output.contains("Y  yellow  question"))
    #expect(try bench.diple("list").output.contains("yellow (question)"))
    #expect(try bench.diple("color", "label", "yellow", "").code == 0)
    #expect(try !bench.diple("list").output.contains("question"))
  }
}
