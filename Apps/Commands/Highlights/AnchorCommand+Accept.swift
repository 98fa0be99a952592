import Actions
import ArgumentParser
import Console
import Model
import Rendering
import Workspace

extension AnchorCommand {
  /// The `anchor accept` command, which moves a highlight to a place that was found for it.
  struct Accept: ActionCommand {
    static let configuration = CommandConfiguration(
      commandName: "accept",
      abstract: "Accept a highlight's place, or one of the places that `anchor review` lists.",
      discussion: """
        Examples:
          diple anchor accept 12
          diple anchor accept 12 --candidate 2
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Option(
      name: [.customShort("c"), .long], help: "Number of a place that `anchor review` lists.")
    var candidate: Int?
    @Argument(help: "Id of the highlight, such as 4.", completion: .values(.highlight))
    var id: String

    var isDryRun: Bool { writing.dryRun }

    func request(in context: CommandContext) async throws -> AcceptPlace {
      let library = try context.libraries.library(options, .existing)
      return AcceptPlace(
        highlight: try await context.highlight(id, in: library).0.id, candidate: candidate)
    }

    func preview(_ request: AcceptPlace, in context: CommandContext) async throws {
      let library = try context.libraries.library(options, .existing)
      let highlight = try await library.highlight(id: request.highlight)
      let place = try await library.place(of: highlight, candidate: candidate)
      let open = try await library.open(place.document)
      let summary = place.summary(context.paths).sanitizedForTerminal
      context.answer(
        options, json: SelectionRecord.line(place.range, in: open.parsed),
        plain: "\(writing.verb(.place)) \(highlight.shortID) at \(summary)")
    }

    func write(_ outcome: HighlightOutcome, to context: CommandContext) {
      context.show(outcome.highlight, in: outcome.document, options)
    }
  }

  /// The `anchor reject` command. The highlight is detached: it is kept, but no longer searched
  /// for.
  struct Reject: ActionCommand {
    static let configuration = CommandConfiguration(
      commandName: "reject",
      abstract: "Mark a highlight as gone: it is kept, but no longer searched for.",
      discussion: """
        Example:
          diple anchor reject 12
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Argument(help: "Id of the highlight, such as 4.", completion: .values(.highlight))
    var id: String

    var isDryRun: Bool { writing.dryRun }

    func request(in context: CommandContext) async throws -> DetachHighlight {
      let library = try context.libraries.library(options, .existing)
      return DetachHighlight(highlight: try await context.highlight(id, in: library).0.id)
    }

    func preview(_ request: DetachHighlight, in context: CommandContext) async throws {
      let library = try context.libraries.library(options, .existing)
      let highlight = try await library.highlight(id: request.highlight)
      let document = try await library.document(id: highlight.document)
      context.answer(
        options, json: HighlightRecord.lines([highlight], in: document), plain: line(highlight))
    }

    func write(_ outcome: HighlightOutcome, to context: CommandContext) {
      context.terminal.output.line(line(outcome.highlight))
    }

    private func line(_ highlight: Highlight) -> String {
      let words = highlight.selector.exact.shortened
      return "\(writing.verb(.markAsGone)): \(highlight.shortID)  “\(words)”"
    }
  }
}
