import Actions
import ArgumentParser
import Console
import Rendering
import Workspace

extension AnchorCommand {
  /// The `anchor install-hook` command. Its record is `diple.file/1` with the path of the git hook.
  struct InstallHook: ActionCommand {
    static let configuration = CommandConfiguration(
      commandName: "install-hook",
      abstract: "Install a git hook that runs `anchor check --staged` before each commit.",
      discussion: """
        Example:
          diple anchor install-hook
        """)
    @OptionGroup var options: GlobalOptions

    func request(in context: CommandContext) -> Actions.InstallHook {
      Actions.InstallHook(folder: ".", naming: options.library != nil)
    }

    func write(_ outcome: Actions.InstallHook.Outcome, to context: CommandContext) {
      context.terminal.output.line("installed \(outcome.path.sanitizedForTerminal)")
    }
  }
}
