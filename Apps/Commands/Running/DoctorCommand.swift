import ArgumentParser
import Console
import DaemonKit
import Model
import Rendering
import SystemSupport
import Workspace

/// `doctor`: checks the library.
struct DoctorCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check the library's database and its daemon.",
    discussion: """
      Examples:
        diple doctor
        diple doctor --rebuild-index
      """)

  @OptionGroup var options: GlobalOptions
  @Flag(help: "Rebuild the index first.") var rebuildIndex = false

  private struct Record: Encodable {
    var folder: String
    var documents: Int
    var highlights: Int
    /// How many texts are in the search index.
    var indexed: Int
    var problems: [String]
    var daemon: Daemon
  }

  /// How the daemon is, and what to do about it.
  private struct Daemon: Encodable {
    var state: String
    var advice: [String]
  }

  func run(in context: CommandContext) async throws {
    let library = try context.libraries.library(options, rebuildIndex ? .existing : .look)
    if rebuildIndex { try await library.rebuildIndex() }
    let problems = try await library.integrityProblems()
    let health = await DaemonHealth(library.location, environment: context.terminal.environment)
    let record = Record(
      folder: library.location.folder, documents: try await library.documents().count,
      highlights: try await library.highlightCounts().values.reduce(0) {
        $0 + $1.values.reduce(0, +)
      }, indexed: try await library.indexedCount(), problems: problems,
      daemon: Daemon(state: health.state, advice: health.advice.map { $0.text(in: .shell) }))
    if options.json {
      context.terminal.output.line(JSON.line(Envelope(schema: "diple.doctor/1", data: record)))
    } else {
      context.terminal.output.line("library     \(record.folder.sanitizedForTerminal)")
      context.terminal.output.line("documents   \(record.documents)")
      context.terminal.output.line("highlights  \(record.highlights)")
      context.terminal.output.line("indexed     \(record.indexed)")
      for problem in problems {
        context.terminal.output.line("problem     \(problem.sanitizedForTerminal)")
      }
      for step in try await library.interruptedSteps() {
        context.terminal.output.line("unfinished  \(step.sanitizedForTerminal)")
      }
      if problems.isEmpty { context.terminal.output.line("database    sound") }
      context.terminal.output.line("daemon      \(health.state)")
      for advice in health.advice {
        context.terminal.output.line(
          "advice      \(advice.text(in: context.terminal.typing).sanitizedForTerminal)")
      }
    }
    if !problems.isEmpty { throw ExitCode(8) }
  }
}
