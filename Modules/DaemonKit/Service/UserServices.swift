import Glibc
package import SystemSupport
import Workspace

/// The user's systemd instance: `systemctl --user` and `journalctl --user`.
package struct UserServices {
  /// The maximum size of the output of these programs in bytes.
  private static let outputLimit = 16 << 20

  /// Returns nil if no systemd instance runs for the user.
  package init?(environment: [String: String]) {
    // Check the manager's own socket, because there may be no message bus.
    guard let folder = StandardFolders(environment: environment).runtime,
      access(folder + "/systemd/private", F_OK) == 0
    else { return nil }
  }

  /// Starts a unit and waits until it is ready.
  ///
  /// - Throws: ``UserError`` with the code `conflict` if it fails.
  package func start(_ unit: String) async throws(UserError) {
    _ = try await Self.output(of: "systemctl", ["start", unit], about: unit)
  }

  /// Returns the state of a unit in systemd's terms, such as `active`, `inactive` or `failed`.
  /// Throws ``UserError`` with the code `conflict` if `systemctl` fails.
  package func state(of unit: String) async throws(UserError) -> String {
    try await Self.output(
      of: "systemctl", ["show", "--property=ActiveState", "--value", unit], about: unit
    ).filter { !$0.isNewline }
  }

  /// Returns the last lines that a unit wrote to the journal, oldest first.
  ///
  /// - Throws: ``UserError`` with the code `conflict` if `journalctl` fails.
  package func journal(of unit: String, lines: Int) async throws(UserError) -> [String] {
    try await Self.output(
      of: "journalctl",
      ["-q", "--no-pager", "--no-hostname", "-o", "short-iso", "-n", String(lines), "-u", unit],
      about: unit
    ).split(separator: "\n").map(String.init)
  }

  private static func output(of program: String, _ words: [String], about unit: String)
    async throws(UserError) -> String
  {
    do throws(CapturedProgram.Failure) {
      return String(
        decoding: try await CapturedProgram.output(
          of: program, ["--user"] + words, limit: outputLimit), as: UTF8.self)
    } catch {
      throw UserError(
        .conflict, "\(program): \(error)", hint: "`systemctl --user status '\(unit)'` shows more")
    }
  }
}
