import Actions
import ArgumentParser
import Console
import DaemonKit
import FoundationEssentials
import Model
import Rendering
import SystemSupport
import Workspace

/// The `doctor` command, which checks and repairs the library.
struct DoctorCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check the library's database and its daemon.",
    discussion: """
      Checks the structure of the database, every value in it, the records against the operations \
      that made them, the texts against their hashes, and the positions of highlights against the \
      texts.

      With --repair, all readable data of a damaged library are copied to a new one, page by page; \
      records, positions and the search index are rebuilt. If the new library is valid, it \
      replaces the damaged one, which is kept under a name that is printed. Everything that is \
      lost is listed.

      Exit codes: 0 valid, or repaired without loss; 6 a program has the library open; 8 problems \
      were found, data were lost, or nothing could be recovered.

      Examples:
        diple doctor
        diple doctor --repair
      """)

  @OptionGroup var options: GlobalOptions
  @Flag(help: "Rebuild the index first.") var rebuildIndex = false
  @Flag(help: "Copy the readable data of a damaged library to a new one.") var repair = false

  private struct Record: Encodable {
    var folder: String
    var documents: Int
    var highlights: Int
    /// The number of texts in the search index.
    var indexed: Int
    var problems: [String]
    /// The date of the daemon's last backup.
    @Nullable var backup: Date?
    var daemon: Daemon
  }

  /// The result of a repair, a record of the schema `diple.repair/1`.
  private struct RepairRecord: Encodable {
    var folder: String
    var kept: String
    var documents: Int
    var highlights: Int
    var operations: Int
    var texts: Int
    var lost: [String]
    var mended: [String]
  }

  /// The state of the daemon, with advice for the user.
  private struct Daemon: Encodable {
    var state: String
    var advice: [String]
  }

  func run(in context: CommandContext) async throws {
    if repair { return try repairLibrary(context) }
    let library = try context.libraries.library(options, rebuildIndex ? .existing : .inspect)
    if rebuildIndex { try await library.rebuildIndex() }
    let problems = try await library.integrityProblems()
    let health = await DaemonHealth(library.location, environment: context.terminal.environment)
    let counts = try await library.liveCounts()
    let record = Record(
      folder: library.location.folder, documents: counts.documents, highlights: counts.highlights,
      indexed: try await library.indexedCount(), problems: problems,
      backup: BackupFolder(of: library.location)?.entries().first?.date,
      daemon: Daemon(state: health.state, advice: health.advice.map { $0.text(in: .shell) }))
    let unfinished = try await library.interruptedSteps()
    context.answer(options, "diple.doctor/1", record) {
      context.terminal.output.line("library     \(record.folder.sanitizedForTerminal)")
      context.terminal.output.line("documents   \(record.documents)")
      context.terminal.output.line("highlights  \(record.highlights)")
      context.terminal.output.line("indexed     \(record.indexed)")
      for problem in problems {
        context.terminal.output.line("problem     \(problem.sanitizedForTerminal)")
      }
      for step in unfinished {
        context.terminal.output.line("unfinished  \(step.sanitizedForTerminal)")
      }
      if problems.isEmpty { context.terminal.output.line("database    sound") }
      if !problems.isEmpty {
        context.terminal.output.line(
          "advice      "
            + (("\(command: "doctor", "--repair") saves the readable data") as Hint).text(
              in: context.terminal.typing))
      }
      context.terminal.output.line(
        "backup      \(record.backup?.localTimestamp ?? "none by the daemon")")
      context.terminal.output.line("daemon      \(health.state)")
      for advice in health.advice {
        context.terminal.output.line(
          "advice      \(advice.text(in: context.terminal.typing).sanitizedForTerminal)")
      }
    }
    if !problems.isEmpty { throw ExitCode(8) }
  }

  private func repairLibrary(_ context: CommandContext) throws {
    let location = try context.libraries.location(options)
    try location.requireNoDaemon()
    context.libraries.close()
    let repair = try location.repair(at: .now)
    context.answer(
      options, "diple.repair/1",
      RepairRecord(
        folder: location.folder, kept: repair.damagedPath, documents: repair.documents,
        highlights: repair.highlights, operations: repair.operations, texts: repair.texts,
        lost: repair.lost, mended: repair.corrections)
    ) {
      let output = context.terminal.output
      output.line("library     \(location.folder.sanitizedForTerminal)")
      output.line("documents   \(repair.documents)")
      output.line("highlights  \(repair.highlights)")
      output.line("operations  \(repair.operations)")
      output.line("texts       \(repair.texts)")
      for line in repair.corrections { output.line("repaired    \(line.sanitizedForTerminal)") }
      for line in repair.lost { output.line("lost        \(line.sanitizedForTerminal)") }
      let isWhole = repair.lost.isEmpty && repair.corrections.isEmpty
      output.line("database    sound\(isWhole ? "; there was nothing to repair" : "")")
      output.line("kept        \(repair.damagedPath.sanitizedForTerminal) (the previous database)")
    }
    if !repair.lost.isEmpty { throw ExitCode(8) }
  }
}
