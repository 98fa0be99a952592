import Foundation
import Testing

/// Tests patterns that take long at each position of a long line. A search ends soon after its time
/// limit, or reports that the pattern takes too many steps.
@Suite struct SlowPatternTests {
  let victim: Victim

  init() throws {
    victim = try Victim()
    try victim.write("clone/a.md", String(repeating: "a", count: 1_000_000) + "\n")
    #expect(try victim.diple("init").code == 0)
    #expect(try victim.diple("add", "a.md").code == 0)
  }

  @Test(arguments: ["(?=(a+))\\1+b", "(?:a?){500}a{500}", "(?=(a+))\\1\\1b|x\\Ky"])
  func `a search ends after its time limit`(pattern: String) throws {
    let result = try victim.run(
      "diple", ["search", "--strategy", "regex", "--time-limit", "1", pattern], seconds: 30)
    #expect([0, 1, 9].contains(result.code), "\(result.code) \(result.errors)")
  }
}
