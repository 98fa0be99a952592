import Actions
import ArgumentParser
import Console
import FoundationEssentials
import LibrarySync
import Model
import Rendering
import SystemSupport
import Workspace

extension SyncCommand {
  /// The `sync conflicts` command. It lists notes with several versions, or settles one of them.
  struct Conflicts: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "conflicts",
      abstract: "Show and settle notes that several devices changed at once.",
      discussion: """
        All versions of such a note are kept; the latest one is shown until you choose. --keep N \
        keeps version N of the list, --both joins all of them, --note TEXT replaces them.

        Examples:
          diple sync conflicts 4 --keep 2
          diple sync conflicts notes.md --both
        """)
    @OptionGroup var options: GlobalOptions
    @Option(help: "Keep the version with this number.") var keep: Int?
    @Flag(help: "Join all versions, one after the other.") var both = false
    @Option(help: "Replace all versions by this note.") var note: String?
    @Argument(help: "Highlight or document; all of them when omitted.") var record: String?

    func validate() throws {
      let choices = [keep != nil, both, note != nil].count { $0 }
      guard choices <= 1 else { throw ValidationError("choose one of --keep, --both and --note") }
      guard choices == 0 || record != nil else {
        throw ValidationError("which note? name its highlight or document")
      }
    }

    func run(in context: CommandContext) async throws {
      if let record, keep != nil || both || note != nil {
        let outcome = try await context.perform(
          SettleNote(record: record, keep: keep, both: both ? true : nil, note: note), options)
        return context.answer(options, json: outcome.json) {
          let (text, output) = (outcome.settled ?? "", context.terminal.output)
          let lines = text.linesSanitizedForTerminal.split(separator: "\n")
          switch lines.count {
          case 0: output.line("settled: no note")
          case 1: output.line("settled: “\(text.shortened)”")
          default:
            output.line("settled:")
            for line in lines { output.line("  \(line)") }
          }
        }
      }
      let outcome = try await context.perform(ListNoteChoices(record: record), options)
      context.answer(options, json: outcome.json) {
        for choice in outcome.choices {
          let words = choice.words.isEmpty ? "" : "  “\(choice.words.shortened)”"
          context.terminal.output.line(
            "\(choice.kind) \((choice.name + words).sanitizedForTerminal)")
          let devices = choice.notes.map(\.device.shortened)
          let width = devices.map(\.count).max() ?? 0
          for (index, note) in choice.notes.enumerated() {
            context.terminal.output.line(
              "  \(index + 1)  \(note.date.localTimestamp)  "
                + "\(devices[index].padded(to: width + 2))“\(note.text.shortened)”")
          }
        }
      }
      if outcome.choices.isEmpty {
        throw context.nothing("no note has several versions", options)
      }
    }
  }

  /// The `sync verify` command. It exits with 3 if there are problems.
  struct Verify: ActionCommand {
    static let configuration = CommandConfiguration(
      commandName: "verify",
      abstract: "Read and check everything at the target.",
      discussion: """
        Checks the signature and content of each file, and that no change is missing between two \
        others. Applies permanent removals of other devices that this one missed, and compares the \
        library with those of the devices that have the same changes. Prints a digest, which is \
        equal on devices with the same changes.

        Examples:
          diple sync verify
          diple sync verify --accept-removals
        """)
    @OptionGroup var options: GlobalOptions
    @Flag(help: "Apply missed removals even if they remove a large part of the library.")
    var acceptRemovals = false

    func request(in context: CommandContext) -> VerifySync {
      VerifySync(acceptRemovals: acceptRemovals)
    }

    func exitCode(of outcome: VerifySync.Outcome) -> Int32 {
      outcome.found.problems.isEmpty ? 0 : 3
    }

    func write(_ outcome: VerifySync.Outcome, to context: CommandContext) {
      let found = outcome.found
      let output = context.terminal.output
      if found.removed > 0 {
        output.line(
          "removed \(found.removed.counted("record")) that other devices had removed permanently")
      }
      for device in found.devices where device.result != .different {
        let name = device.device.sanitizedForTerminal
        output.line(
          device.result == .same
            ? "\(name): its library is the same"
            : "\(name): not compared, as it has not received or sent all changes yet")
      }
      for problem in found.problems.prefix(20) { output.line(problem.sanitizedForTerminal) }
      if found.problems.count > 20 {
        output.line(
          "and \(found.problems.count - 20) more problems; sync verify --json lists them")
      }
      output.line(
        "\(found.files.counted("file")), \(found.bytes.counted("byte")), \(found.problems.count.counted("problem"))"
      )
      output.line("digest \(found.digest)")
    }
  }

  /// The `sync export` command. It prints a JSON object for each change, with the envelope of
  /// `diple.sync-change/1` for `--json`.
  struct Export: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "export",
      abstract: "Print all changes as JSON, one per line.",
      discussion: """
        Shows what is sent, before it is encrypted.

        Example:
          diple sync export
        """)
    @OptionGroup var options: GlobalOptions

    func run(in context: CommandContext) async throws {
      let library = try context.libraries.library(options, .readOnly)
      let output = context.terminal.output
      try await library.exportOperations { change in
        output.line(
          options.json ? JSON.line("diple.sync-change/1", json: change) : JSON.escaped(change))
      }
    }
  }
}
