import ArgumentParser
import Console
import SystemSupport

/// The `completion` command, which prints a completion script for a shell.
struct CompletionCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "completion",
    abstract: "Print a script that completes diple commands in a shell.",
    discussion: """
      Commands, options, documents, highlights, tags and settings are completed. Load the script \
      where your shell starts: ~/.bashrc, ~/.zshrc or ~/.config/fish/config.fish.

      Examples:
        source <(diple completion bash)
        diple completion fish | source
      """)

  @OptionGroup var options: GlobalOptions
  @Argument(help: "Shell.") var shell: Shell

  func run(in context: CommandContext) async throws {
    if options.json {
      throw UserError(.usage, "completion has no JSON output", hint: "omit --json")
    }
    context.terminal.output.line(shell.script)
  }
}
