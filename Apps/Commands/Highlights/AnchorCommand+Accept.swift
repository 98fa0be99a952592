import ArgumentParser
import Console
import Model
import Rendering
import Workspace

extension AnchorCommand {
  /// The `anchor accept` command. In a dry run it prints the position without storing it.
  struct Accept: ContextCommand {
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
    @Argument(help: "Highlight id, or a unique prefix of it.", completion: .values(.highlight))
    var id: String

    func run(in context: CommandContext) async throws {
      let library = try context.libraries.library(options, .existing)
      let (highlight, _) = try await context.highlight(id, in: library)
      if writing.dryRun {
        let place = try await library.place(of: highlight, candidate: candidate)
        let open = try await library.open(place.document)
        context.answer(
          options, json: SelectionRecord.line(place.range, in: open.parsed),
          plain:
            "\(writing.verb(.place)) \(highlight.shortID) at \(place.summary.sanitizedForTerminal)")
        return
      }
      let accepted = try await library.accept(highlight, candidate: candidate)
      let document = try await library.document(id: accepted.document)
      context.say(accepted, in: document, options)
    }
  }

  /// The `anchor reject` command. The highlight is detached: it is kept, but no longer searched
  /// for.
  struct Reject: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "reject",
      abstract: "Mark a highlight's passage as deleted; it is kept, and no longer searched for.",
      discussion: """
        Example:
          diple anchor reject 12
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Argument(help: "Highlight id, or a unique prefix of it.", completion: .values(.highlight))
    var id: String

    func run(in context: CommandContext) async throws {
      let library = try context.libraries.library(options, .existing)
      let (highlight, home) = try await context.highlight(id, in: library)
      if writing.dryRun {
        context.answer(
          options, json: HighlightRecord.lines([highlight], in: home),
          plain:
            "\(writing.verb(.markAsGone)): \(highlight.shortID)  “\(highlight.selector.exact.shortened)”"
        )
        return
      }
      context.say(try await library.detach(highlight), in: home, options)
    }
  }
}
