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
      if options.json {
        context.terminal.output.line(HighlightRecord.lines([highlight], in: document))
        return
      }
      context.listWriter(options).write(highlight, document)
      if highlight.isTrashed { context.terminal.output.line("in the trash") }
      if highlight.anchor.range != nil, document.state == .present, !highlight.isTrashed {
        context.terminal.output.line()
        context.draw(
          try await library.open(document), around: highlight, width: width.width,
          try context.libraries.settings(options))
      } else {
        context.terminal.output.line("\n\(highlight.selector.exact.sanitizedForTerminal)")
      }
      if !highlight.note.isEmpty {
        context.terminal.output.line("\n\(highlight.note.neutralizedLines)")
      }
    }
  }
}

extension String {
  /// Lines without what steers a terminal.
  var neutralizedLines: String {
    split(separator: "\n", omittingEmptySubsequences: false).map { String($0).sanitizedForTerminal }
      .joined(separator: "\n")
  }
}
