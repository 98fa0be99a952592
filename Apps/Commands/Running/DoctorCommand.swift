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

      If a command finds the database damaged, nothing is written to it until `doctor` finds it \
      sound.

      With --repair, all readable data of a damaged library are copied to a new one, page by page; \
      records, positions and the search index are rebuilt. If the new library is valid, it \
      replaces the damaged one, which is kept under a name that is printed. Everything that is \
      lost is listed. A sound library is not changed.

      Exit codes: 0 valid, or repaired without loss; 6 a program has the library open; 8 problems \
      were found, data were lost, or nothing could be recovered.

      Examples:
        diple doctor
        diple doctor --repair
      """)

  @OptionGroup var options: GlobalOptions
  @Flag(help: "Rebuild the index first.") var rebuildIndex = false
  @Flag(help: "Copy the readable data of a damaged library to a new one.") var repair = false

  /// The result of a repair, a record of the schema `diple.repair/1`.
  private struct RepairRecord: Encodable {
    var folder: String
    /// The path of the damaged library; nil if the library was sound and is unchanged.
    @Nullable var kept: String?
    var documents: Int
    var highlights: Int
    /// The numbers of recovered operations and texts; nil if nothing was repaired.
    @Nullable var operations: Int?
    @Nullable var texts: Int?
    var lost: [String]
    var mended: [String]
  }

  func run(in context: CommandContext) async throws {
    if repair {
      // A library that cannot be checked needs the repair most.
      if let outcome = try? await context.perform(CheckLibrary(), options),
        outcome.problems.isEmpty
      {
        return reportSound(outcome, to: context)
      }
      return try repairLibrary(context)
    }
    if rebuildIndex { _ = try await context.perform(RebuildIndex(), options) }
    let outcome = try await context.perform(CheckLibrary(), options)
    context.answer(options, json: outcome.json) { write(outcome, to: context) }
    if !outcome.problems.isEmpty { throw ExitCode(8) }
  }

  private func write(_ outcome: CheckLibrary.Outcome, to context: CommandContext) {
    let (output, typing) = (context.terminal.output, context.terminal.typing)
    output.line("library     \(outcome.folder.sanitizedForTerminal)")
    output.line("documents   \(outcome.documents)")
    output.line("highlights  \(outcome.highlights)")
    output.line("indexed     \(outcome.indexed)")
    for problem in outcome.problems {
      output.line("problem     \(problem.sanitizedForTerminal)")
    }
    for step in outcome.unfinished { output.line("unfinished  \(step.sanitizedForTerminal)") }
    do { _ = try context.libraries.settings(options) } catch {
      output.line("settings    \(error.message.sanitizedForTerminal)")
    }
    if outcome.problems.isEmpty {
      output.line("database    sound")
    } else {
      let advice: Hint = "\(command: "doctor", "--repair") saves the readable data"
      output.line("advice      \(advice.text(in: typing))")
    }
    let backup = outcome.backup.map { "\($0.date.localTimestamp)  \($0.path.sanitizedForTerminal)" }
    let noBackup: Hint = "none; \(command: "backup", "FILE") makes one"
    output.line("backup      \(backup ?? noBackup.text(in: typing))")
    output.line("daemon      \(outcome.daemon?.state ?? "none")")
    for advice in outcome.daemon?.advice ?? [] {
      output.line("advice      \(advice.text(in: typing).sanitizedForTerminal)")
    }
  }

  private func reportSound(_ outcome: CheckLibrary.Outcome, to context: CommandContext) {
    context.answer(
      options, "diple.repair/1",
      RepairRecord(
        folder: outcome.folder, kept: nil, documents: outcome.documents,
        highlights: outcome.highlights, operations: nil, texts: nil, lost: [], mended: [])
    ) {
      context.terminal.output.line("the library is sound; nothing to repair")
    }
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
      output.line("database    sound")
      output.line("kept        \(repair.damagedPath.sanitizedForTerminal) (the previous database)")
    }
    if !repair.lost.isEmpty { throw ExitCode(8) }
  }
}
