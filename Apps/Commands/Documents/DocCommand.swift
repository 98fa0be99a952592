import Actions
import ArgumentParser
import Console
import Model
import SystemSupport
import Workspace

/// The `doc` command, which manages the documents of the library.
struct DocCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doc",
    abstract: "List, show, note, rename, link, remove and restore documents.",
    discussion: """
      Examples:
        diple doc
        diple doc show essay.md
      """,
    subcommands: [
      List.self, Show.self, Statistics.self, Note.self, Rename.self, Link.self, Unlink.self,
      Remove.self,
      Restore.self,
    ],
    defaultSubcommand: List.self)

  /// Returns the library and the document that a command changes. If `name` is only a part of a
  /// title or path, the user has to confirm the document.
  static func subject(_ name: String, _ options: GlobalOptions, _ context: CommandContext)
    async throws -> (library: Library, document: Document)
  {
    let library = try context.libraries.library(options, .existing)
    return (library, try await context.document(name, in: library, toChange: true))
  }

  /// Prints the result of a change of a document, or of a dry run.
  static func finish(
    _ outcome: DocumentOutcome, _ done: Hint, _ options: GlobalOptions, _ context: CommandContext
  ) {
    context.answer(
      options, json: outcome.json, plain: done.text(in: context.terminal.typing))
  }
}
