import Actions
import ArgumentParser
import Console

extension QueryCommand {
  /// The `query remove` command. Its record is `diple.query/1` with the removed search.
  struct Remove: ActionCommand {
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

    func request(in context: CommandContext) -> RemoveQuery {
      RemoveQuery(name: name, dryRun: writing.dryRun)
    }

    func write(_ outcome: QueryOutcome, to context: CommandContext) {
      context.terminal.output.line("\(writing.verb(.remove)) \(outcome.query.sentence)")
    }
  }
}
