import Foundation
import Testing

/// Tests that undo and redo in the REPL apply to the current document.
@Suite struct SessionUndoTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.write("a.md", "# A\n\nWords of a.\n")
    try bench.write("b.md", "# B\n\nWords of b.\n")
    try bench.diple("add", "a.md", "b.md")
    try bench.diple("mark", "a.md", "\"of a\"")
    try bench.diple("mark", "b.md", "\"of b\"")
  }

  private func quotes() throws -> [String] { try bench.highlights().map(\.quote).sorted() }

  @Test func `undo skips steps in other documents, and prints the step that it reverts`() throws {
    let result = try bench.repl("show a.md --plain\nundo\n")
    #expect(try quotes() == ["of b"])
    #expect(result.output.contains("“of a” (undo of step 2, 20"), "\(result)")
    #expect(
      result.errors.contains("a newer change of another document: marked ")
        && result.errors.contains("“of b”; `undo --all` undoes it"), "\(result)")
    let redone = try bench.repl("show a.md --plain\nredo\n")
    #expect(try quotes() == ["of a", "of b"], "\(redone)")
    // Check the same after a change of a file: format a passage of one document, then highlight a
    // passage of the other.
    try bench.diple("format", "bold", "a.md", "\"Words\"")
    try bench.diple("mark", "b.md", "\"Words\"")
    try bench.repl("show a.md --plain\nundo\n")
    #expect(try bench.read("a.md") == "# A\n\nWords of a.\n")
    #expect(try quotes() == ["Words", "of a", "of b"])
  }

  @Test func `without a step in the current document nothing is undone, and --all undoes any`()
    throws
  {
    try bench.diple("undo")
    try bench.diple("hl", "remove", try bench.highlights()[0].id)
    try bench.write("c.md", "Words of c.\n")
    try bench.diple("add", "c.md")
    let refused = try bench.repl("show c.md --plain\nundo\nundo\n")
    #expect(
      refused.errors.contains(
        "there is nothing to undo in this document; in another document: removed ")
        && refused.errors.contains("; `undo --all` includes it"), "\(refused)")
    #expect(try quotes() == [])
    try bench.repl("show b.md --plain\nundo --all\n")
    #expect(try quotes() == ["of a"])
  }

  @Test func `labels of colours can be undone in every document`() throws {
    try bench.repl("show a.md --plain\ncolor label green checked\nundo\n")
    #expect(try !bench.diple("color", "list").output.contains("checked"))
    #expect(try quotes() == ["of a", "of b"])
  }

  @Test func `earlier steps of the library or of many documents are not undone`() throws {
    try bench.diple("undo")
    try bench.diple("undo")
    try bench.diple("color", "label", "green", "checked")
    let result = try bench.repl("show a.md --plain\nundo\n")
    #expect(
      result.errors.contains("concerns 1 other document too: added 2 documents")
        && result.errors.contains("`undo --all` includes the other documents"), "\(result)")
    #expect(try bench.diple("doc", "list").output.contains("a.md"))
    #expect(try bench.diple("color", "list").output.contains("checked"))
  }

  @Test func `undo in a shell reverts the newest step, and prints its number and time`() throws {
    let result = try bench.diple("undo")
    #expect(
      result.output.contains(
        #/^removed .* “of b” \(undo of step 3, [0-9]{4}-[0-9-]+T[0-9:]+(Z|[+-][0-9:]+)\)\n/#),
      "\(result)")
    let long = String(repeating: "long words ", count: 12)
    try bench.write("c.md", "\(long)\n")
    try bench.diple("add", "c.md")
    try bench.diple("mark", "c.md", "all")
    #expect(try bench.diple("history").output.contains("long words long …”"))
  }
}
