import Actions
import ArgumentParser
import Console
import Rendering

/// The `strategies` command, which lists the strategies with their kinds and summaries.
struct StrategiesCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "strategies",
    abstract: "List the strategies: search methods, export formats and so on.",
    discussion: """
      Example:
        diple strategies
      """)

  @OptionGroup var options: GlobalOptions

  // The command works without a library, and with one that can't be opened.
  func run(in context: CommandContext) async throws {
    let outcome = ListStrategies.Outcome(context.libraries.plugins)
    context.answer(options, json: outcome.json) {
      var kind = ""
      for entry in outcome.entries {
        if entry.kind != kind {
          if !kind.isEmpty { context.terminal.output.line() }
          kind = entry.kind
          context.terminal.output.line(kind)
        }
        let gap = String(repeating: " ", count: max(1, 18 - entry.id.count))
        context.terminal.output.line("  \(entry.id)\(gap)\(entry.summary)".sanitizedForTerminal)
      }
    }
  }
}
