import Actions
import ArgumentParser
import Console
import DaemonKit
import Model
import Rendering
import SystemSupport
import Workspace

/// The `refresh` command, which checks files for changes.
struct RefreshCommand: ActionCommand {
  static let configuration = CommandConfiguration(
    commandName: "refresh",
    abstract: "Re-read changed files and find their highlights again.",
    discussion: """
      Every command checks the documents that it uses. This one checks all, and searches for files \
      that were moved.

      Examples:
        diple refresh
        diple refresh essay.md
      """)

  @OptionGroup var options: GlobalOptions
  @Argument(
    help: "Documents; all of them when omitted.", completion: .values(.document))
  var docs: [String] = []

  func request(in context: CommandContext) async throws -> RefreshDocuments {
    let library = try context.libraries.library(options, .readOnly)
    return RefreshDocuments(
      documents: try await context.documents(docs, in: library)?.map(\.id))
  }

  func write(_ outcome: RefreshDocuments.Outcome, to context: CommandContext) {
    for report in RefreshReport.gathered(outcome.reports, in: context.terminal.typing) {
      context.terminal.output.line(report.summary.sanitizedForTerminal)
      for outcome in report.outcomes
      where outcome.isNewlyLost || [.moved, .edited].contains(outcome.after.state) {
        context.terminal.output.line(
          "  \(outcome.after.state) \(outcome.name): “\(outcome.quote.shortened)”")
      }
    }
    if !Self.hasNews(outcome) { context.terminal.output.line("nothing changed") }
  }

  func exitCode(of outcome: RefreshDocuments.Outcome) -> Int32 {
    if outcome.reports.contains(where: { $0.change == .unreadable }) { return 4 }
    return Self.hasNews(outcome) ? 0 : 1
  }

  private static func hasNews(_ outcome: RefreshDocuments.Outcome) -> Bool {
    outcome.reports.contains { $0.summary != nil }
  }
}
