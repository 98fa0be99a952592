import Actions
import ArgumentParser
import Console
import Workspace

extension QueryCommand {
  /// The `query save` command. In a dry run it only validates the query.
  struct Save: ActionCommand {
    static let configuration = CommandConfiguration(
      commandName: "save",
      abstract: "Save a search under a name.",
      discussion: """
        Example:
          diple query save todo TODO --in notes
        """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @OptionGroup var search: SearchOptions
    @Argument(help: "Name of the search.", completion: .values(.query)) var name: String
    @Argument(help: "Text or pattern to search for.") var query: String
    @Argument(
      help: "Documents; all of them when omitted.", completion: .values(.document))
    var docs: [String] = []

    func request(in context: CommandContext) async throws -> SaveQuery {
      let library = try context.libraries.library(options, .existing)
      let documents = try await context.documents(docs, in: library)
      return SaveQuery(
        name: name,
        search: try await search.request(query, in: documents, of: library, context),
        dryRun: writing.dryRun)
    }

    func write(_ outcome: QueryOutcome, to context: CommandContext) {
      context.terminal.output.line("\(writing.verb(.save)) \(outcome.query.sentence)")
    }
  }
}
