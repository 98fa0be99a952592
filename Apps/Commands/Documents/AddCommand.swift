import ArgumentParser
import Console
import DaemonKit
import Model
import Rendering
import SystemSupport
import Workspace

/// `add`: brings documents into the library.
struct AddCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add Markdown files, or folders of them, to the library.",
    discussion: """
      Files stay where they are and are not written. Of a folder, what is hidden (.name) and what \
      links lead to elsewhere is skipped; name it to add it.

      Examples:
        diple add essay.md notes/
        diple add --dry-run .
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var writing: WriteOptions
  @Argument(help: "Files and folders to add.", completion: .file(extensions: ["md", "markdown"]))
  var paths: [String]

  /// How many documents are seen at a glance; of more their number is said.
  private static let listed = 5

  private struct Record: Encodable {
    var document: DocumentRecord
    var change: String
    var invalidSequences: Int
  }

  func run(in context: CommandContext) async throws {
    if writing.dryRun {
      for path in try Library.filesToAdd(paths) {
        context.answer(
          options, "diple.file/1", ["path": path],
          plain: "\(writing.said(.add)) \(path.sanitizedForTerminal)")
      }
      return
    }
    let library = try context.libraries.library(options, .create)
    let total = try await library.add(paths) { batch in
      for addition in batch.additions { say(addition, library.location, context) }
      // What has been said is stored: whoever reads along may rely on it.
      context.terminal.output.drain()
    }
    for problem in total.problems { context.warn(problem, options) }
    let added = total.additions.count { $0.kind != .known }
    if added > Self.listed, !options.json {
      context.terminal.errors.line("added \(added.counted("document"))")
    }
    if let only = total.additions.first, total.additions.count == 1, context.terminal.isInteractive
    {
      context.selection.document = only.document
    }
    if let problem = total.problems.first { throw ExitCode(problem.code.exitCode) }
    if !total.additions.contains(where: { $0.kind != .known }) { throw ExitCode(1) }
  }

  private func say(
    _ addition: AddResult, _ location: LibraryLocation, _ context: CommandContext
  ) {
    let document = addition.document
    context.answer(
      options, "diple.addition/1",
      Record(
        document: DocumentRecord(document, counts: [:], in: location),
        change: addition.kind.rawValue,
        invalidSequences: addition.invalidSequences)
    ) {
      let word = addition.kind == .known ? "already in the library:" : addition.kind.rawValue
      context.terminal.output.line(
        "\(word) \(document.path.string.sanitizedForTerminal)  \(document.title.shortened)")
      if addition.invalidSequences > 0 {
        context.terminal.errors.line(
          "\(document.path.string.sanitizedForTerminal): "
            + "\(addition.invalidSequences.counted("place")) not in UTF-8, shown as \u{FFFD}; the file stays as it is"
        )
      }
    }
  }
}
