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

  /// Returns the library and the document that a command changes. The name must be complete, or
  /// else the user must confirm it.
  static func subject(_ name: String, _ options: GlobalOptions, _ context: CommandContext)
    async throws -> (library: Library, document: Document)
  {
    let library = try context.libraries.library(options, .existing)
    return (library, try await context.document(name, in: library, toChange: true))
  }

  /// Prints the result of a change of a document, or of a dry run.
  ///
  /// - Throws: ``UserError`` with the code `unconfirmed` if the change was made but the library
  ///   can't be read any more.
  static func finish(
    _ document: Document, _ done: Hint, _ writing: WriteOptions, _ options: GlobalOptions,
    _ context: CommandContext
  ) async throws {
    let text = done.text(in: context.terminal.typing)
    let library: Library
    let now: Document
    let counts: [AnchorState: Int]
    do {
      library = try context.libraries.library(options, .existing)
      now = try await library.document(id: document.id)
      counts = try await library.highlightCounts(of: now.id)[now.id] ?? [:]
    } catch let error as UserError {
      if writing.dryRun { throw error }
      // The change was made. Only the answer is missing.
      throw UserError(
        .unconfirmed, "\(text), but the library cannot be read any more: \(error.message)")
    }
    context.answer(
      options, "diple.document/1", DocumentRecord(now, counts: counts, in: library.location),
      plain: text)
  }
}
