import ArgumentParser
import Console
import Rendering
import Workspace

extension AnchorCommand {
  /// The `anchor install-hook` command. Its record is `diple.file/1` with the path of the git hook.
  struct InstallHook: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "install-hook",
      abstract: "Install a git hook that runs `anchor check --staged` before each commit.",
      discussion: """
        Example:
          diple anchor install-hook
        """)
    @OptionGroup var options: GlobalOptions

    func run(in context: CommandContext) async throws {
      let library = try context.libraries.library(options, .existing)
      let path = try await library.installHook(around: ".", naming: options.library != nil)
      context.answer(
        options, "diple.file/1", ["path": path],
        plain: "installed \(path.sanitizedForTerminal)")
    }
  }
}
