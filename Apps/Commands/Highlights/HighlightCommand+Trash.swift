import Actions
import ArgumentParser
import Console
import Model
import SystemSupport
import Workspace

extension HighlightCommand {
  /// The `highlight remove` command. It moves all of the highlights to the trash, or none if an id
  /// is invalid.
  struct Remove: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Move highlights to the trash; `hl restore` restores them.",
      discussion: """
        With --filter, it asks for confirmation.

        Examples:
          diple hl remove 4 8
          diple hl remove --filter '#done -has:note' --dry-run
        """, aliases: ["rm"])
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @OptionGroup var choice: FilterChoice
    @Flag(name: .shortAndLong, help: "Do not ask for confirmation.") var yes = false
    @Argument(help: "Ids of highlights, such as 4.", completion: .values(.highlight))
    var ids: [String] = []

    func run(in context: CommandContext) async throws {
      try choice.check(ids)
      guard let filter = choice.filter else {
        return try await HighlightCommand.setTrashed(true, ids, writing, options, context)
      }
      var request = RemoveHighlights(filter: filter)
      if yes, !writing.dryRun {
        return show(try await context.perform(request, options), context)
      }
      request.dryRun = true
      let found = try await context.perform(request, options).highlights
      let count = found.count.counted("highlight")
      if writing.dryRun {
        return context.answer(
          options, json: HighlightRecord.lines(found.map { ($0.highlight, in: $0.document) })
        ) {
          let writer = context.listWriter(options)
          let verb = "\(writing.verb(.remove)): "
          for (highlight, document) in found { writer.write(highlight, document, after: verb) }
          context.terminal.output.line("\(writing.verb(.remove)) \(count)")
        }
      }
      try context.terminal.confirm("Move \(count) to the trash?", yes: yes)
      // Remove exactly the highlights that were counted.
      show(
        try await context.perform(RemoveHighlights(found.map(\.highlight.id)), options), context)
    }

    private func show(_ removed: HighlightsOutcome, _ context: CommandContext) {
      context.answer(options, json: removed.json) {
        let count = removed.highlights.count
        context.terminal.output.line("\(writing.verb(.remove)) \(count.counted("highlight"))")
        context.show("\(command: "undo") restores \(count == 1 ? "it" : "them")")
      }
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
