import Actions
import ArgumentParser
import Console
import MarkdownParse
import Model
import Rendering
import Workspace

extension DocCommand {
  /// The `doc show` command. Its record `diple.document/1` contains the dialect of the document.
  struct Show: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Show a document's id, title, path, state, dialect and number of highlights.",
      discussion: """
        Example:
          diple doc show essay.md
        """)
    @OptionGroup var options: GlobalOptions
    @Argument(help: "Path, title, a unique part of either, or id.", completion: .values(.document))
    var doc: String?

    func run(in context: CommandContext) async throws {
      let library = try context.libraries.library(options, .readOnlyOrEmpty)
      // Invalid settings select no dialect, so report them instead of showing a wrong one.
      _ = try context.libraries.settings(options)
      let found = try await context.document(doc, in: library)
      if found.state != .removed { context.terminal.notify(try await library.refresh([found])) }
      let document = try await library.document(id: found.id)
      let choice = library.dialects.choice(for: library.location.absolute(document.path))
      let counts = try await library.highlightCounts(of: document.id)[document.id] ?? [:]
      context.answer(
        options, "diple.document/1",
        DocumentRecord(document, counts: counts, in: library.location, choice)
      ) {
        context.terminal.output.line("id          \(document.id)")
        context.terminal.output.line("title       \(document.title.shortened)")
        context.terminal.output.line(
          "path        \(library.location.absolute(document.path).sanitizedForTerminal)")
        context.terminal.output.line("state       \(library.location.stateName(of: document))")
        context.terminal.output.line(
          "dialect     \(choice.dialect.rawValue) (\(choice.reason.sanitizedForTerminal))")
        context.terminal.output.line("added       \(document.created.localTimestamp)")
        let states = AnchorState.allCases.compactMap { state in
          counts[state].map { "\($0) \(state)" }
        }
        context.terminal.output.line(
          "highlights  \(states.isEmpty ? "none" : states.joined(separator: ", "))")
      }
    }
  }
}
