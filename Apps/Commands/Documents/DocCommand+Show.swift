import Actions
import ArgumentParser
import Console
import MarkdownParse
import Model
import Rendering
import Workspace

extension DocCommand {
  /// The `doc show` command. Its record `diple.document/1` contains the dialect of the document.
  struct Show: ActionCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Show a document's id, title, path, state, dialect, highlights and note.",
      discussion: """
        Example:
          diple doc show essay.md
        """)
    @OptionGroup var options: GlobalOptions
    @Argument(help: "Path, title, a unique part of either, or id.", completion: .values(.document))
    var doc: String?

    func request(in context: CommandContext) async throws -> ShowDocument {
      let library = try context.libraries.library(options, .readOnlyOrEmpty)
      // Invalid settings select no dialect, so report them instead of showing a wrong one.
      _ = try context.libraries.settings(options)
      return ShowDocument(document: try await context.document(doc, in: library).id)
    }

    func notices(of outcome: DocumentOutcome) -> [RefreshReport] { outcome.reports }

    func write(_ outcome: DocumentOutcome, to context: CommandContext) async throws {
      let (document, location) = (outcome.document, outcome.location)
      let output = context.terminal.output
      output.line("id          \(document.shortID)  (\(document.id))")
      output.line("title       \(document.title.shortened)")
      output.line("path        \(location.absolute(document.path).sanitizedForTerminal)")
      output.line("state       \(location.stateName(of: document))")
      if let choice = outcome.dialect {
        output.line(
          "dialect     \(choice.dialect.rawValue) (\(choice.reason.sanitizedForTerminal))")
      }
      output.line("added       \(document.created.localTimestamp)")
      let states = AnchorState.allCases.compactMap { state in
        outcome.counts[state].map { "\($0) \(state)" }
      }
      output.line("highlights  \(states.isEmpty ? "none" : states.joined(separator: ", "))")
      let note = try await context.perform(ShowDocumentNote(document: document.id), options)
      if let text = note.markdown { output.line("note        \(text.shortened)") }
    }
  }
}
