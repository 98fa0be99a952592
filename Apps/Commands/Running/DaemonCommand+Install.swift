import ArgumentParser
import Console
import DaemonKit
import Rendering
import Workspace

extension DaemonCommand {
  /// The `daemon install` command. It only writes the unit file, and prints the command that
  /// enables it.
  struct Install: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "install",
      abstract: "Install a systemd user unit that starts the daemon at login.",
      discussion: """
        One unit serves all libraries: dipled@LIBRARY.service.

        Examples:
          diple daemon install
          diple daemon install --dry-run
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @OptionGroup var words: DaemonArguments

    /// The systemd unit, a record of the schema `diple.unit/1`.
    private struct Record: Encodable {
      var name: String
      var path: String
      var content: String
    }

    func run(in context: CommandContext) async throws {
      let location = try context.libraries.library(options, .existing).location
      let unit = try SystemdUnit(location, environment: context.terminal.environment)
      let content = unit.content(words: words.words)
      if !writing.dryRun { try unit.write(content) }
      context.answer(
        options, "diple.unit/1", Record(name: unit.instance, path: unit.path, content: content)
      ) {
        if writing.dryRun {
          context.terminal.writeData(content)
        } else {
          context.terminal.output.line("wrote \(unit.path.sanitizedForTerminal)")
          context.terminal.output.line(
            "systemctl --user daemon-reload && systemctl --user enable --now '\(unit.instance)'")
        }
      }
    }
  }
}
