import Actions
import ArgumentParser
import Console
import DaemonKit
import FoundationEssentials
import Model
import Rendering
import SystemSupport
import Workspace

/// The `history` command, which lists the steps that can be undone.
struct HistoryCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "List the changes made, newest first.",
    discussion: """
      Each line begins with the number and the time of a step. Undo and redo are steps too, with \
      the number of the change that they reverted or repeated.

      Examples:
        diple history
        diple history --limit 5
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var lines: ListOptions
  @Option(help: "Stop after N steps.") var limit = 50

  func validate() throws {
    if limit < 1 { throw ValidationError("--limit must be at least 1, not \(limit)") }
  }

  func run(in context: CommandContext) async throws {
    let outcome = try await context.perform(ListHistory(limit: limit), options)
    context.show(foreignSteps: outcome.foreignSteps)
    context.answer(options, json: outcome.json) {
      let writer = context.listWriter(options, lines)
      for step in outcome.steps { writer.write(Self.line(step)) }
    }
    if outcome.steps.isEmpty {
      throw context.nothing(
        "the history is empty", in: try context.libraries.library(options, .readOnlyOrEmpty),
        options)
    }
  }

  private static func line(_ step: HistoryStep) -> String {
    let summary = step.summary.sanitizedForTerminal
    let text =
      switch step.kind {
      case .act:
        summary + (step.isReversed ? " (undone)" : step.isSkipped ? " (skipped)" : "")
      case .final: summary
      case .undo: "undo of \(step.change): \(summary)"
      case .redo: "redo of \(step.change): \(summary)"
      }
    return "\(step.id)  \(step.date.localTimestamp)  \(text)"
  }
}

extension CommandContext {
  /// Prints a notice on standard error about unfinished steps of other devices, which this device
  /// doesn't complete.
  func show(foreignSteps steps: [Int64]) {
    guard let first = steps.first else { return }
    terminal.errors.line(
      steps.count == 1
        ? """
        diple: step \(first) was begun on another device, and is neither finished nor changed \
        here
        """
        : "diple: step \(first) and later ones were begun on another device, and are neither "
          + "finished nor changed here")
  }
}
