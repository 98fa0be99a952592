import ArgumentParser
import Model
import Workspace

/// `doctor`: checks the library.
struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Check the library's database.")

  @OptionGroup var options: GlobalOptions
  @Flag(help: "Make the search index anew before.") var rebuildIndex = false

  private struct Record: Encodable {
    var folder: String
    var documents: Int
    var highlights: Int
    /// How many texts are in the search index.
    var indexed: Int
    var problems: [String]
  }

  func run() async throws {
    let session = Session.current
    let library = try session.library(options, rebuildIndex ? .existing : .look)
    if rebuildIndex { try await library.rebuildIndex() }
    let problems = try await library.integrityProblems()
    let record = Record(
      folder: library.location.folder, documents: try await library.documents().count,
      highlights: try await library.highlightCounts().values.reduce(0) {
        $0 + $1.values.reduce(0, +)
      }, indexed: try await library.indexedCount(), problems: problems)
    if options.json {
      session.output.line(JSON.line(Envelope(schema: "diple.doctor/1", data: record)))
    } else {
      session.output.line("library     \(record.folder.neutralized)")
      session.output.line("documents   \(record.documents)")
      session.output.line("highlights  \(record.highlights)")
      session.output.line("indexed     \(record.indexed)")
      for problem in problems { session.output.line("problem     \(problem.neutralized)") }
      if problems.isEmpty { session.output.line("database    sound") }
    }
    if !problems.isEmpty { throw ExitCode(8) }
  }
}
