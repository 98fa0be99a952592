import Actions
import ArgumentParser
import Console
import Model
import Rendering
import SystemSupport
import Workspace

extension DocCommand {
  /// The `doc note` command, which shows, sets or removes a document's note.
  struct Note: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "note",
      abstract: "Show or set the note on a whole document.",
      discussion: """
        TEXT is Markdown: its emphasis, links and headings are kept as formatting. If TEXT is -, \
        it is read from standard input; if it is empty, the note is removed.

        Examples:
          diple doc note essay.md
          diple doc note essay.md 'Read **again** before May.'
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Argument(help: "Path, title, a unique part of either, or id.", completion: .values(.document))
    var doc: String
    @Argument(help: "New note; - is standard input.") var text: String?

    func run(in context: CommandContext) async throws {
      guard let text else {
        let library = try context.libraries.library(options, .readOnlyOrEmpty)
        let document = try await context.document(doc, in: library)
        let outcome = try await context.perform(
          ShowDocumentNote(document: document.id), options)
        context.answer(options, json: outcome.json) {
          if let markdown = outcome.markdown {
            context.terminal.output.line(markdown.linesSanitizedForTerminal)
          } else {
            context.show("\(context.paths.name(document.path)) has no note")
          }
        }
        if outcome.note == nil { throw ExitCode(1) }
        return
      }
      let document = try await DocCommand.subject(doc, options, context).document
      let content =
        text == "-" ? String(decoding: try context.terminal.readInput(), as: UTF8.self) : text
      let outcome = try await context.perform(
        SetDocumentNote(document: document.id, text: content, dryRun: writing.dryRun), options)
      let verb = writing.verb(outcome.note == nil ? .remove : .set)
      context.answer(
        options, json: outcome.json,
        plain: "\(verb) the note of \(context.shown(document.path))")
    }
  }
}
