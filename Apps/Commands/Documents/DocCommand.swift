import ArgumentParser
import Console
import Model
import SystemSupport
import Workspace

/// `doc`: the documents of the library.
struct DocCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doc",
    abstract: "List, show, rename, link, remove and restore documents.",
    discussion: """
      Examples:
        diple doc
        diple doc show essay.md
      """,
    subcommands: [List.self, Show.self, Rename.self, Link.self, Remove.self, Restore.self],
    defaultSubcommand: List.self)

  /// The document that a command changes, in its library.
  static func subject(_ name: String, _ options: GlobalOptions, _ context: CommandContext)
    async throws -> (library: Library, document: Document)
  {
    let library = try context.libraries.library(options, .existing)
    return (library, try await context.document(name, in: library, toChange: true))
  }

  /// Says what was done to a document, or what would be.
  static func finish(
    _ document: Document, _ done: Hint, _ options: GlobalOptions, _ context: CommandContext
  ) async throws {
    let library = try context.libraries.library(options, .existing)
    let now = try await library.document(id: document.id)
    let counts = try await library.highlightCounts(of: now.id)[now.id] ?? [:]
    context.answer(
      options, "diple.document/1", DocumentRecord(now, counts: counts, in: library.location),
      plain: done.text(in: context.terminal.typing))
  }
}
