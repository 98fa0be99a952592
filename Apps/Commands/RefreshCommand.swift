import ArgumentParser
import Model
import Workspace

/// `refresh`: looks at the files now.
struct RefreshCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "refresh",
    abstract: "Look at the files, find the highlights of those that changed, and say how it went.")

  @OptionGroup var options: GlobalOptions
  @Argument(help: "Documents; all when none is named.") var docs: [String] = []

  func run() async throws {
    let session = Session.current
    let library = try session.library(options, .look)
    var documents: [Document] = []
    for doc in docs { documents.append(try await session.document(doc, in: library)) }
    let reports = try await library.refresh(
      docs.isEmpty ? nil : documents, searching: true)
    if options.json {
      session.output.line(
        JSON.line(Envelope(schema: "diple.refresh/1", data: reports.map(RefreshRecord.init))))
    } else {
      for report in reports {
        if let summary = report.summary { session.output.line(summary.neutralized) }
        for outcome in report.outcomes where outcome.after.state != .exact {
          session.output.line(
            "  \(outcome.after.state) \(outcome.highlight.dot.sequence): “\(outcome.quote.shortened)”"
          )
        }
      }
      if !reports.contains(where: { $0.summary != nil }) { session.output.line("nothing changed") }
    }
    if !reports.contains(where: { $0.summary != nil }) { throw ExitCode(1) }
  }
}
