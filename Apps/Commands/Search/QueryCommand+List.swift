import ArgumentParser
import Console
import Workspace

extension QueryCommand {
  /// The `query list` command. It sorts the searches by name, and exits with 1 if there are none.
  struct List: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List the saved searches.",
      discussion: """
        Example:
          diple query list
        """)

    @OptionGroup var options: GlobalOptions

    func run(in context: CommandContext) async throws {
      let library = try context.libraries.library(options, .readOnlyOrEmpty)
      let records = try await library.savedQueries().sorted { $0.key < $1.key }
        .map { Record($0.key, $0.value) }
      context.answer(options, "diple.queries/1", records) {
        for record in records { context.terminal.output.line(record.plain) }
      }
      if records.isEmpty { throw ExitCode(1) }
    }
  }
}
