import ArgumentParser
import Console
import Model
import Rendering
import Workspace

extension HighlightCommand {
  /// `highlight show`.
  struct Show: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Show a highlight in its paragraph.",
      discussion: """
        Example:
          diple hl show 4
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var width: WidthOptions
    @Argument(help: "Highlight id, or a unique prefix of it.", completion: .values(.highlight))
    var id: String

    func run(in context: CommandContext) async throws {
      let library = try context.libraries.library(options, .readOnlyOrEmpty)
      let (highlight, document) = try await context.highlight(id, in: library)
      let isDrawn =
        highlight.anchor.range != nil && document.state == .present && !highlight.isTrashed
      let open = isDrawn && !options.json ? try await library.open(document) : nil
      try context.answer(options, json: HighlightRecord.lines([highlight], in: document)) {
        context.listWriter(options).write(highlight, document)
        if highlight.isTrashed { context.terminal.output.line("in the trash") }
        if let open {
          let settings = try context.libraries.settings(options)
          context.terminal.output.line()
          try context.draw(open, around: highlight, width: width.width, settings)
        } else {
          context.terminal.output.line("\n\(highlight.selector.exact.sanitizedForTerminal)")
        }
        if !highlight.note.isEmpty {
          context.terminal.output.line("\n\(highlight.note.linesSanitizedForTerminal)")
        }
      }
    }
  }
}
