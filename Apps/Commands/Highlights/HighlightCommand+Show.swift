import Actions
import ArgumentParser
import Console
import FoundationEssentials
import Model
import Rendering
import SystemSupport
import Workspace

extension HighlightCommand {
  /// The `highlight show` command. It prints the paragraph only if the highlight has a position in
  /// an existing file.
  struct Show: ActionCommand {
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

    func request(in context: CommandContext) async throws -> ShowHighlight {
      let library = try context.libraries.library(options, .readOnlyOrEmpty)
      return ShowHighlight(highlight: try await library.highlight(id).id)
    }

    func notices(of outcome: HighlightOutcome) -> [RefreshReport] { outcome.reports }

    func write(_ outcome: HighlightOutcome, to context: CommandContext) async throws {
      let (highlight, document) = (outcome.highlight, outcome.document)
      context.listWriter(options).write(highlight, document)
      if highlight.isTrashed { context.terminal.output.line("in the trash") }
      if highlight.anchor.range != nil, document.state == .present, !highlight.isTrashed {
        let library = try context.libraries.library(options, .readOnlyOrEmpty)
        let open = try await library.open(document)
        let settings = try context.libraries.settings(options)
        context.terminal.output.line()
        try context.draw(open, around: highlight, width: width.width, settings)
      } else {
        context.terminal.output.line("\n\(highlight.selector.exact.sanitizedForTerminal)")
      }
      if !highlight.note.isEmpty {
        context.terminal.output.line("\n\(highlight.note.linesSanitizedForTerminal)")
      }
      if let origin = highlight.origin?.origin {
        context.terminal.output.line("")
        for line in Self.lines(origin) { context.terminal.output.line(line) }
      }
    }

    /// Returns lines about the origin of an imported highlight.
    private static func lines(_ origin: Origin) -> [String] {
      func line(_ name: String, _ text: String?) -> String? {
        text.map { "\(name): \($0.sanitizedForTerminal)" }
      }
      func date(_ moment: Date?) -> String? {
        moment.map { LocalTime.timestamp(secondsSince1970: Int($0.timeIntervalSince1970)) }
      }
      let book = [origin.title, origin.author].compactMap(\.self).joined(separator: ", ")
      return [
        line("imported from", origin.format + (origin.id.map { " \($0)" } ?? "")),
        line("  of", book.isEmpty ? origin.source : book),
        line("  at", origin.location),
        line("  colour there", origin.color),
        line("  made there", date(origin.created)),
        line("  changed there", origin.updated == origin.created ? nil : date(origin.updated)),
        line("  words there", origin.quote),
      ].compactMap(\.self) + (origin.earlier ?? []).compactMap { line("  earlier there", $0.quote) }
    }
  }
}
