import Foundation
import Testing

/// Tests that a command with an empty result prints one line and exits with 1.
@Suite struct NothingTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.write("a.md", "Words of a.\n")
    try bench.diple("add", "a.md")
  }

  @Test(arguments: [
    (["find", "a.md", "nosuch"], "no match for 'nosuch'\n"),
    (["at", "a.md", "1:1"], "no highlight is at this position\n"),
    (["anchor", "review"], "no highlight is doubtful or orphaned\n"),
    (["trash"], "the trash is empty\n"), (["tags"], "no highlight has a tag\n"),
    (["export", "--tag", "nosuch"], "no highlight matches\n"),
  ])
  func `an empty result is reported in one line`(words: [String], line: String) throws {
    let result = try bench.run("diple", words)
    #expect(result.code == 1 && result.errors == line && result.output.isEmpty, "\(result)")
  }

  @Test(arguments: ["literal", "text", "regex", "fuzzy", "near"])
  func `searching an empty or missing library exits with 1`(
    strategy: String
  ) throws {
    #expect(try bench.diple("doc", "remove", "--yes", "a.md").code == 0)
    for command in ["true", "rm -r library"] {
      try bench.shell(command)
      let result = try bench.diple("search", "--strategy", strategy, "words")
      #expect(result.code == 1 && result.output.isEmpty, "\(command): \(result)")
    }
  }

  @Test func `highlights of a missing file are not listed as orphaned`() throws {
    try bench.diple("mark", "a.md", "\"of a\"")
    try bench.shell("mv a.md a")
    let result = try bench.diple("anchor", "check")
    #expect(result.code == 3 && result.output.contains(": missing "), "\(result)")
    #expect(!result.output.contains("orphaned") && !result.errors.contains("anchor review"))
    #expect(
      result.errors.contains("1 highlight in missing files") && result.errors.contains("doc link"),
      "\(result)")
  }
}
