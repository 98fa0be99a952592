import Actions
import ArgumentParser
import Console
import DaemonKit
import Model
import Rendering
import SystemSupport
import Workspace

/// The `trash` command, which lists, restores and deletes removed highlights and documents.
struct TrashCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trash",
    abstract: "List, restore and empty the trash.",
    discussion: """
      Examples:
        diple trash
        diple trash restore 4
      """,
    subcommands: [List.self, Restore.self, Empty.self], defaultSubcommand: List.self)

  /// The `trash list` command. It exits with 1 if the trash is empty.
  struct List: ActionCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List removed highlights and documents.",
      discussion: """
        Example:
          diple trash list
        """)
    @OptionGroup var options: GlobalOptions

    func request(in context: CommandContext) -> ListTrash { ListTrash() }

    func write(_ outcome: TrashOutcome, to context: CommandContext) {
      TrashCommand.show(outcome.contents, options, context)
    }

    func emptiness(of outcome: TrashOutcome, in context: CommandContext) -> Hint? {
      outcome.contents.isEmpty ? "the trash is empty" : nil
    }
  }

  /// The `trash restore` command. It then checks the files of restored documents for changes.
  struct Restore: ActionCommand {
    static let configuration = CommandConfiguration(
      commandName: "restore",
      abstract: "Restore highlights and documents.",
      discussion: """
        Example:
          diple trash restore 4
        """)
    @OptionGroup var options: GlobalOptions
    @Argument(
      help: "Ids of highlights, or documents.", completion: .values(.trashed))
    var ids: [String]

    func request(in context: CommandContext) -> RestoreFromTrash { RestoreFromTrash(ids) }

    func notices(of outcome: TrashOutcome) -> [RefreshReport] { outcome.reports }

    func write(_ outcome: TrashOutcome, to context: CommandContext) {
      TrashCommand.show(outcome.contents, options, context)
    }
  }

  /// The `trash empty` command. It asks for confirmation, because it can't be undone.
  struct Empty: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "empty",
      abstract: "Delete everything in the trash permanently; this cannot be undone.",
      discussion: """
        The files of documents are not deleted.

        Examples:
          diple trash empty
          diple trash empty --yes
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Flag(name: .shortAndLong, help: "Do not ask for confirmation.") var yes = false

    func run(in context: CommandContext) async throws {
      let outcome = try await context.perform(EmptyTrash(dryRun: true), options)
      let contents = outcome.contents
      if !writing.dryRun {
        let (documents, highlights) = (contents.documents.count, contents.highlights.count)
        let what = [
          documents > 0 ? documents.counted("document") : nil,
          highlights > 0 ? highlights.counted("highlight") : nil,
        ].compactMap(\.self).joined(separator: " and ")
        try context.terminal.confirm("Permanently delete \(what)?", yes: yes)
        _ = try await context.perform(EmptyTrash(), options)
      }
      TrashCommand.show(contents, after: "\(writing.verb(.delete)): ", options, context)
    }
  }

  private static func show(
    _ contents: TrashContents, after start: String = "", _ options: GlobalOptions,
    _ context: CommandContext
  ) {
    context.answer(options, json: TrashOutcome(contents).json) {
      let writer = context.listWriter(options)
      for document in contents.documents { writer.write(document, after: start) }
      for (highlight, document) in contents.highlights {
        writer.write(highlight, document, after: start)
      }
    }
  }
}
