import ArgumentParser
import Console
import Workspace

extension QueryCommand {
  /// The `query remove` command. Its record is `diple.query/1` with the removed search.
  struct Remove: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Delete a saved search.",
      discussion: """
        Example:
          diple query remove foxes
        """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Argument(help: "Name of the search.", completion: .values(.query)) var name: String

    func run(in context: CommandContext) async throws {
      let library = try context.libraries.library(options, .existing)
      let record = Record(name, try await library.savedQuery(name))
      if !writing.dryRun { try await library.removeQuery(name) }
      context.answer(
        options, "diple.query/1", record,
        plain: "\(writing.verb(.remove)) \(record.plain)")
    }
  }
}
