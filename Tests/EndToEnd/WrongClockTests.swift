import Foundation
import Testing

/// Tests a clock that is set to a year which the library cannot store.
@Suite(.enabled(if: FakeClock.isThere, "faketime is not installed")) struct WrongClockTests {
  @Test(arguments: ["@2200-01-01 00:00:00", "@6500-01-01 00:00:00", "@9999-12-31 00:00:00"])
  func `a clock beyond the largest valid time leaves the library readable`(time: String) throws {
    let bench = try Workbench()
    try bench.write("a.md", "Some words here, and others.\n")
    #expect(try bench.diple("add", "a.md").code == 0)
    // A Swift program can't read its arguments under faketime, so the test uses the REPL.
    func late(_ lines: String...) throws -> Workbench.Result {
      try bench.run(
        "faketime", ["-f", time, Workbench.programs.appendingPathComponent("diple-repl").path],
        input: lines.map { $0 + "\n" }.joined())
    }
    let result = try late(
      "mark a.md \"words\" --note late", "doc note a.md late", "mark a.md \"others\"", "list")
    #expect(result.code == 0 && !result.errors.contains("damaged"), "\(result)")
    for words in [
      ["list"], ["show", "a.md"], ["history"], ["doctor"], ["mark", "a.md", "\"Some\""],
    ] {
      let result = try bench.run("diple", words)
      #expect(result.code == 0, "\(words): \(result)")
    }
    #expect(try bench.highlights().count == 3)
    let repaired = try late("doctor --repair")
    #expect(!repaired.errors.contains("damaged"), "\(repaired)")
    #expect(try bench.highlights().count == 3)
  }
}

private enum FakeClock {
  static let isThere = (try? Workbench().run("faketime", ["-f", "+1d", "true"]).code) == 0
}
