import Foundation
import Testing

/// Tests the positions that `goto` and `at` accept.
@Suite struct PositionTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    let lines = (1...40).map { "Line \($0 * 2 - 1) of it.\n" }
    try bench.write("a.md", lines.joined(separator: "\n"))
    try bench.diple("add", "a.md")
    try bench.diple("mark", "a.md", "\"Line 37\"")
  }

  @Test func `a number is a line, and other units are named`() throws {
    for place in ["37", "line:37", "37:2", "para:19", "\"Line 37\""] {
      #expect(try bench.diple("goto", "a.md", place).output == "Line 37 of it.\n", "\(place)")
      #expect(try bench.diple("at", "a.md", place).output.contains("“Line 37”"), "\(place)")
    }
    #expect(try bench.diple("goto", "a.md", "u16:37").output == "Line 5 of it.\n")
    #expect(try bench.diple("goto", "a.md", "nonsense").code == 2)
  }

  @Test func `in the REPL, the default position is the caret`() throws {
    let result = try bench.repl("show a.md --plain --no-pager\ngoto 37\nat\n")
    #expect(result.code == 0 && result.lines.last?.contains("“Line 37”") == true, "\(result)")
    #expect(try bench.diple("at", "a.md").code == 2)
  }
}
