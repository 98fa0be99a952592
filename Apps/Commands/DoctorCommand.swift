import ArgumentParser
import Model
import Workspace

/// `doctor`: checks the library.
struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Check the library's database, and ask its daemon.")

  @OptionGroup var options: GlobalOptions
  @Flag(help: "Make the search index anew before.") var rebuildIndex = false

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

  func run() async throws {
    let session = Session.current
    let library = try session.library(options, rebuildIndex ? .existing : .look)
    if rebuildIndex { try await library.rebuildIndex() }
    let problems = try await library.integrityProblems()
    let health = await DaemonHealth(library.location, environment: session.environment)
    let record = Record(
      folder: library.location.folder, documents: try await library.documents().count,
      highlights: try await library.highlightCounts().values.reduce(0) {
        $0 + $1.values.reduce(0, +)
      }, indexed: try await library.indexedCount(), problems: problems,
      daemon: Daemon(state: health.state, advice: health.advice))
    if options.json {
      session.output.line(JSON.line(Envelope(schema: "diple.doctor/1", data: record)))
    } else {
      session.output.line("library     \(record.folder.neutralized)")
      session.output.line("documents   \(record.documents)")
      session.output.line("highlights  \(record.highlights)")
      session.output.line("indexed     \(record.indexed)")
      for problem in problems { session.output.line("problem     \(problem.neutralized)") }
      if problems.isEmpty { session.output.line("database    sound") }
      session.output.line("daemon      \(health.state)")
      for advice in health.advice { session.output.line("advice      \(advice.neutralized)") }
    }
    if !problems.isEmpty { throw ExitCode(8) }
  }
}
