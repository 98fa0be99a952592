import Foundation
import TestSupport
import Testing

/// Runs a part of `Tooling/torture`: errors and kills at system calls that write.
@Suite struct TortureTests {
  /// Whether strace is installed and can trace processes here.
  private static let hasStrace =
    (try? Workbench().run("strace", ["-o", "/dev/null", "-e", "inject=mkdir:error=EIO", "true"])
      .code)
    == 0

  @Test(
    .enabled(if: hasStrace, "strace is not installed, or nothing can be traced"),
    arguments: ["torture", "torture-sync"])
  func `an error or a kill at a system call leaves the complete old or new state`(_ name: String)
    throws
  {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Tooling/\(name)").path
    let result = try Workbench().run(
      "python3",
      [
        script, "--quick", "--seconds", "20", "--program",
        Workbench.programs.appendingPathComponent("diple").path,
      ] + (name == "torture-sync" ? ["--histories", "0"] : []),
      // Other tests run at the same time. The timeout is for a script that hangs.
      within: 900)
    #expect(result.code == 0, "\(result.output) \(result.errors)")
  }
}
