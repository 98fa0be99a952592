import Foundation
import Testing

/// Writes that fail at one moment after the other: a command says what became of things, leaves all of
/// them as they were or makes all of them new, and the library is sound afterwards.
@Suite(.enabled(if: Tracing.isPossible, "strace is missing, or may not trace here"))
struct FailedWriteTests {
  let victim: Victim

  init() throws {
    victim = try Victim()
    for name in ["a", "b", "c"] {
      try victim.write(
        "clone/\(name).md", "# T \(name)\n\nThe diple worth noticing.\n\nEnd colour colour.\n")
    }
  }

  /// Runs a command, of which one system call fails or ends it.
  ///
  /// - Returns: nil when the command makes no such call.
  private func inject(_ call: String, _ what: String, _ number: Int, _ words: [String]) throws
    -> Victim.Result?
  {
    let log = victim.path("trace")
    let result = try victim.run(
      "strace",
      [
        "-f", "-qq", "-o", log, "-e", "trace=\(call)", "-e",
        "inject=\(call):\(what):when=\(number)",
        "diple",
      ] + words)
    let trace = try victim.read("trace")
    return trace.contains("INJECTED") || trace.contains("killed by") ? result : nil
  }

  @Test(arguments: ["pwrite64 error=ENOSPC", "fdatasync error=EIO", "pwrite64 error=EIO"])
  func `a library that cannot be made leaves nothing, or a sound one`(fault: String) throws {
    let (call, what) = (
      String(fault.prefix { $0 != " " }), String(fault.drop { $0 != " " }.dropFirst())
    )
    var number = 1
    var failed = 0
    while let result = try inject(call, what, number, ["init"]) {
      if result.code != 0 {
        failed += 1
        #expect(result.code == 6, "\(fault) at \(number): \(result)")
      }
      if victim.exists("clone/.diple/library.sqlite") {
        let doctor = try victim.diple("doctor")
        #expect(doctor.code == 0, "\(fault) at \(number): \(result) \(doctor)")
      } else {
        #expect(result.errors.contains("no library was made"), "\(fault) at \(number): \(result)")
      }
      let left = try victim.shell("ls -A .diple 2>/dev/null | grep new || true")
      #expect(left.isEmpty, "\(fault) at \(number): \(left)")
      try victim.shell("rm -rf .diple")
      #expect(try victim.diple("init").code == 0)
      try victim.shell("rm -rf .diple")
      number += number < 4 ? 1 : 5
    }
    #expect(failed > 0, "\(fault)")
  }
}

/// Whether strace is there and may trace programs: some containers forbid it.
private enum Tracing {
  static let isPossible =
    (try? Victim().run("strace", ["-qq", "-o", "/dev/null", "-e", "trace=none", "true"]).code) == 0
}
