import Actions
import ArgumentParser
import Console
import DaemonKit
import Model
import Rendering
import SystemSupport
import Workspace

/// The `refresh` command, which checks files for changes.
struct RefreshCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "refresh",
    abstract: "Re-read changed files and find their highlights again.",
    discussion: """
      Every command does so for the documents it uses; this does it for all, and looks for files \
      that were moved.

      Examples:
        diple refresh
        diple refresh essay.md
      """)

  @OptionGroup var options: GlobalOptions
  @Argument(
    help: "Documents; all of them when omitted.", completion: .values(.document))
  var docs: [String] = []

  func run(in context: CommandContext) async throws {
    let library = try context.libraries.library(options, .readOnly)
    let documents = try await context.documents(docs, in: library)
    let reports = try await library.refresh(documents, searching: true)
    context.answer(options, "diple.refresh/1", reports.map(RefreshRecord.init)) {
      for report in RefreshReport.gathered(reports, in: context.terminal.typing) {
        context.terminal.output.line(report.summary.sanitizedForTerminal)
        for outcome in report.outcomes
        where outcome.isNewlyLost || [.moved, .edited].contains(outcome.after.state) {
          context.terminal.output.line(
            "  \(outcome.after.state) \(outcome.name): “\(outcome.quote.shortened)”"
          )
        }
      }
      if !reports.contains(where: { $0.summary != nil }) {
        context.terminal.output.line("nothing changed")
      }
    }
    if reports.contains(where: { $0.change == .unreadable }) { throw ExitCode(4) }
    if !reports.contains(where: { $0.summary != nil }) { throw ExitCode(1) }
  }
}
