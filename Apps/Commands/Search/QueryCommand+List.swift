import Actions
import ArgumentParser
import Console
import SystemSupport

extension QueryCommand {
  /// The `query list` command. It sorts the searches by name, and exits with 1 if no search is
  /// saved.
  struct List: ActionCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List the saved searches.",
      discussion: """
        Example:
          diple query list
        """)

    @OptionGroup var options: GlobalOptions

    func request(in context: CommandContext) -> ListQueries { ListQueries() }

    func write(_ outcome: ListQueries.Outcome, to context: CommandContext) throws {
      for query in outcome.queries { context.terminal.output.line(query.plain) }
    }

    func emptiness(of outcome: ListQueries.Outcome, in context: CommandContext) -> Hint? {
      guard outcome.queries.isEmpty else { return nil }
      return "no search is saved; \(command: "query", "save", "NAME", "WORDS") saves one"
    }
  }
}
