import Actions
import ArgumentParser
import Console
import Workspace

extension QueryCommand {
  /// The `query save` command. In a dry run it only validates the query.
  struct Save: ContextCommand {
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

    func run(in context: CommandContext) async throws {
      let library = try context.libraries.library(options, .existing)
      let documents = try await context.documents(docs, in: library)
      let saved = try await search.request(query, in: documents, of: library, context)
        .saved()
      if writing.dryRun {
        _ = try saved.request()
      } else {
        try await library.save(saved, as: name)
      }
      let record = Record(name, saved)
      context.answer(
        options, "diple.query/1", record,
        plain: "\(writing.verb(.save)) \(record.plain)")
    }
  }
}
