import Actions
import ArgumentParser
import Console
import Model
import Rendering
import SystemSupport
import Workspace

extension AnchorCommand {
  /// The `anchor review` command. It exits with 1 if no highlight is doubtful or orphaned.
  struct Review: ActionCommand {
    static let configuration = CommandConfiguration(
      commandName: "review",
      abstract: "List doubtful and orphaned highlights with the places where they may belong.",
      discussion: """
        Examples:
          diple anchor review
          diple anchor review essay.md
        """)
    @OptionGroup var options: GlobalOptions
    @Argument(
      help: "Documents; all of them when omitted.", completion: .values(.document))
    var docs: [String] = []

    func request(in context: CommandContext) async throws -> ReviewHighlights {
      let library = try context.libraries.library(options, .readOnlyOrEmpty)
      let documents = try await context.documents(docs, in: library)
      return ReviewHighlights(documents: documents?.map(\.id))
    }

    func notices(of outcome: ReviewHighlights.Outcome) -> [RefreshReport] { outcome.reports }

    func write(_ outcome: ReviewHighlights.Outcome, to context: CommandContext) {
      let writer = context.listWriter(options)
      for item in outcome.items {
        writer.write(item.highlight, item.document)
        for (index, candidate) in item.candidates.enumerated() {
          var line = writer.newLine
          line.append("    \(index + 1)  \(candidate.summary(writer.paths).sanitizedForTerminal)")
          writer.write(line, about: .place(candidate.document.id, candidate.line))
        }
        if item.candidates.isEmpty { context.terminal.output.line("    no similar passage") }
      }
      if let first = outcome.items.first {
        let id = outcome.items.count == 1 ? first.highlight.shortID : "ID"
        let most = outcome.items.map(\.candidates.count).max() ?? 0
        let accepts: Hint = "\(line: "anchor accept \(id)") accepts the first place"
        let start: Hint =
          switch most {
          case 0: ""
          case 1: "\(accepts), "
          default: "\(accepts) (`--candidate 2` the second), "
          }
        context.show(
          """
          \(start)\(line: "anchor reject \(id)") marks the highlight as gone, \
          \(line: "anchor reattach \(id) SPEC") moves it to another passage
          """)
      }
    }

    func emptiness(of outcome: ReviewHighlights.Outcome, in context: CommandContext) -> Hint? {
      outcome.items.isEmpty ? "no highlight is doubtful or orphaned" : nil
    }
  }
}
