import Actions
import ArgumentParser
import Console
import Model
import SystemSupport
import Workspace

extension DocCommand {
  /// The `doc list` command. It checks all files first, and exits with 1 if the library has no
  /// documents.
  struct List: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List the documents in the library.",
      discussion: """
        Examples:
          diple doc list
          diple doc list --json
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var lines: ListOptions

    func run(in context: CommandContext) async throws {
      let library = try context.libraries.library(options, .readOnlyOrEmpty)
      try await context.refresh(library, nil, options)
      let documents = try await library.documents()
      let counts = try await library.highlightCounts()
      context.answer(
        options, "diple.documents/1",
        documents.map {
          DocumentRecord($0, counts: counts[$0.id] ?? [:], in: library.location)
        }
      ) {
        let writer = context.listWriter(options, lines)
        for document in documents {
          writer.write(document, counts[document.id] ?? [:], in: library.location)
        }
      }
      if documents.isEmpty {
        throw context.nothing(
          .noDocuments, in: library,
          options)
      }
    }
  }
}
