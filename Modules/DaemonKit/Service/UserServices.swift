import Glibc
package import SystemSupport
import Workspace

/// The person's own systemd, where it runs: `systemctl --user` and `journalctl --user`.
package struct UserServices {
  /// The most that is read of what they print, in bytes.
  private static let outputLimit = 16 << 20

  /// Nil where none runs for this person.
  package init?(environment: [String: String]) {
    // The manager's own socket: there need be no message bus.
    guard let folder = StandardFolders(environment: environment).runtime,
      access(folder + "/systemd/private", F_OK) == 0
    else { return nil }
  }

  /// Starts a unit and waits until it says that it is ready.
  ///
  /// - Throws: `conflict` when it does not come so far.
  package func start(_ unit: String) async throws(UserError) {
    _ = try await Self.output(of: "systemctl", ["start", unit], about: unit)
  }

  /// What a unit does, in systemd's word: `active`, `inactive` or `failed`, for example.
  package func state(of unit: String) async throws(UserError) -> String {
    try await Self.output(
      of: "systemctl", ["show", "--property=ActiveState", "--value", unit], about: unit
    ).filter { !$0.isNewline }
  }

  /// The last lines that a unit wrote to the journal, oldest first.
  ///
  /// - Throws: `conflict` when there is no journal.
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
        .conflict, "\(program): \(error)", hint: "`systemctl --user status '\(unit)'` may say more")
    }
  }
}
