import Actions
import ArgumentParser
import Console
import Model
import SystemSupport
import Workspace

extension DocCommand {
  /// The `doc list` command. It checks all files first, and exits with 1 if the library has no
  /// documents.
  struct List: ActionCommand {
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

    func request(in context: CommandContext) -> ListDocuments { ListDocuments() }

    func notices(of outcome: DocumentsOutcome) -> [RefreshReport] { outcome.reports }

    func write(_ outcome: DocumentsOutcome, to context: CommandContext) {
      let writer = context.listWriter(options, lines)
      for (document, counts) in outcome.documents {
        writer.write(document, counts, in: outcome.location)
      }
    }

    func emptiness(of outcome: DocumentsOutcome, in context: CommandContext) throws -> Hint? {
      guard outcome.documents.isEmpty else { return nil }
      return context.reason(
        .noDocuments, in: try context.libraries.library(options, .readOnlyOrEmpty))
    }
  }
}
