import Actions
import ArgumentParser
import Console
import FoundationEssentials
import LibrarySync
import Model
import Rendering
import SystemSupport
import Workspace

extension HighlightCommand {
  /// The `highlight show` command. It prints the paragraph only if the highlight has a position in
  /// an existing file.
  struct Show: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Show highlights in their paragraphs.",
      discussion: """
        Examples:
          diple hl show 4 8
          diple hl show 4 --format '{{quote}} ({{title}})'
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var width: WidthOptions
    @OptionGroup var format: LineFormat
    @Argument(help: "Ids of highlights, such as 4.", completion: .values(.highlight))
    var ids: [String]

    func run(in context: CommandContext) async throws {
      let template = try format.template(options)
      let library = try context.libraries.library(options, .readOnlyOrEmpty)
      var highlights: [Highlight.ID] = []
      for id in ids { highlights.append(try await library.highlight(id).id) }
      var outcomes: [HighlightOutcome] = []
      for id in highlights {
        outcomes.append(try await context.perform(ShowHighlight(highlight: id), options))
      }
      context.notify(outcomes.flatMap(\.reports))
      if let template {
        _ = try await context.writeLines(
          of: HighlightFilter(documents: outcomes.map(\.document.id), trash: .included),
          ordered: highlights, by: template, in: library)
        return
      }
      if options.json {
        return context.terminal.output.line(
          HighlightRecord.lines(outcomes.map { ($0.highlight, in: $0.document) }))
      }
      for (index, outcome) in outcomes.enumerated() {
        if index > 0 { context.terminal.output.line() }
        try await write(outcome, to: context)
      }
    }

    private func write(_ outcome: HighlightOutcome, to context: CommandContext) async throws {
      let (highlight, document) = (outcome.highlight, outcome.document)
      let library = try context.libraries.library(options, .readOnlyOrEmpty)
      let hasConflict = try await library.conflictingHighlights().contains(highlight.id)
      context.listWriter(options).write(highlight, document, hasConflict: hasConflict)
      if hasConflict {
        context.show(
          """
          the note was changed on two devices at once; \
          \(command: "sync", "conflicts", .word(highlight.shortID)) shows the versions
          """)
      }
      if highlight.now != nil {
        context.terminal.output.line("marked as “\(highlight.selector.exact.shortened)”")
      }
      if highlight.isTrashed { context.terminal.output.line("in the trash") }
      if highlight.anchor.range != nil, document.state == .present, !highlight.isTrashed {
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
        line("  original colour", origin.color),
        line("  created", date(origin.created)),
        line("  changed", origin.updated == origin.created ? nil : date(origin.updated)),
        line("  original text", origin.quote),
      ].compactMap(\.self) + (origin.earlier ?? []).compactMap { line("  earlier text", $0.quote) }
    }
  }
}
