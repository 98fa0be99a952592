import Actions
import ArgumentParser
import Console
import Model
import Workspace

extension HighlightCommand {
  /// The `highlight remove` command. It moves all of the highlights to the trash, or none if an id
  /// is invalid.
  struct Remove: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Move highlights to the trash; `hl restore` restores them.",
      discussion: """
        Example:
          diple hl remove 4 8
        """, aliases: ["rm"])
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Argument(help: "Ids of highlights, such as 4.", completion: .values(.highlight))
    var ids: [String]

    func run(in context: CommandContext) async throws {
      try await HighlightCommand.setTrashed(true, ids, writing, options, context)
    }
  }

  /// The `highlight restore` command. It restores all of the highlights, or none if an id is
  /// invalid.
  struct Restore: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "restore",
      abstract: "Restore highlights from the trash.",
      discussion: """
        Example:
          diple hl restore 4
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Argument(help: "Ids of highlights, such as 4.", completion: .values(.trashedHighlight))
    var ids: [String]

    func run(in context: CommandContext) async throws {
      try await HighlightCommand.setTrashed(false, ids, writing, options, context)
    }
  }

  /// Moves highlights to the trash or restores them, in a single step, and prints them. If an id is
  /// invalid, nothing is changed.
  static func setTrashed(
    _ trashed: Bool, _ ids: [String], _ writing: WriteOptions, _ options: GlobalOptions,
    _ context: CommandContext
  ) async throws {
    let library = try context.libraries.library(options, .existing)
    var highlights: [Highlight] = []
    for id in ids { highlights.append(try await library.highlight(id)) }
    let outcome: HighlightsOutcome
    if writing.dryRun {
      outcome = try await HighlightsOutcome(highlights, in: library)
    } else if trashed {
      outcome = try await context.perform(RemoveHighlights(highlights.map(\.id)), options)
    } else {
      outcome = try await context.perform(RestoreHighlights(highlights.map(\.id)), options)
    }
    if options.json { return context.terminal.output.line(outcome.json) }
    let verb = writing.verb(trashed ? .remove : .restore)
    for (highlight, document) in outcome.highlights {
      context.show(highlight, in: document, after: "\(verb): ", options)
    }
  }
}
