import Foundation
import Testing

/// Tests `add` with many files, and with a folder whose files can't be documents.
@Suite struct AddManyTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.shell("mkdir notes away")
    for number in 1...7 {
      try bench.write("notes/n\(number).md", "# Note \(number)\n\nWords.\n")
      try bench.write("away/n\(number).md", "# Away \(number)\n\nWords.\n")
    }
  }

  @Test func `add prints the number of added documents after their lines`() throws {
    let result = try bench.diple("add", "notes")
    #expect(result.lines.count == 7 && result.errors == "added 7 documents\n", "\(result)")
    #expect(try bench.diple("add", "away/n1.md").errors.isEmpty)
  }

  @Test func `adding a folder outside the library's folder fails with one message`() throws {
    bench.environment["DIPLE_LIBRARY"] = bench.path("notes/.diple")
    #expect(try bench.diple("add", "notes").code == 0)
    let refused = try bench.diple("add", "away")
    #expect(refused.code == 4 && refused.output.isEmpty, "\(refused)")
    #expect(refused.errors.split(separator: "\n").count == 1, "\(refused)")
    #expect(refused.errors.contains("/away is elsewhere"), "\(refused)")
  }

  @Test func `an import counts failures, and a match in a note is printed with its position`()
    throws
  {
    try bench.diple("add", "notes")
    try bench.write(
      "in.json",
      """
      [{"type": "Annotation", "target": {"source": "nowhere.md",
         "selector": {"type": "TextQuoteSelector", "exact": "a"}}},
       {"type": "Annotation", "target": {"source": "nowhere.md",
         "selector": {"type": "TextQuoteSelector", "exact": "b"}}}]
      """)
    let result = try bench.diple("import", "in.json")
    #expect(result.errors.hasSuffix("imported 0, 0 already present, 2 failed\n"), "\(result)")
    try bench.diple("mark", "notes/n1.md", "\"Words\"", "--note", "a fine note")
    let found = try bench.diple("search", "fine", "--in", "notes")
    #expect(found.output.contains(#/n1.md:3:1: notes [0-9]+: a fine note/#), "\(found)")
  }

  @Test
  func `commands for a shell contain the program's name, and config edit requires a terminal`()
    throws
  {
    try bench.diple("add", "notes/n1.md")
    let lines = try bench.diple("menu", "notes/n1.md", "\"Words\"").lines
    #expect(!lines.isEmpty && lines.allSatisfy { $0.contains("  diple ") }, "\(lines)")
    let renamed = try bench.diple("doc", "rename", "notes/n1.md", "m.md")
    #expect(
      renamed.output.contains("to 'm.md'") && renamed.output.contains("the file keeps its name")
    )
    let edit = try bench.diple("config", "edit")
    #expect(edit.code == 2 && edit.errors.contains("an editor needs a terminal"), "\(edit)")
  }
}
