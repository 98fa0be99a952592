import ArgumentParser
import Console

/// The `highlight` command, which shows and changes a highlight.
struct HighlightCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "highlight",
    abstract: "Show, edit, remove and restore highlights.",
    discussion: """
      `hl` is short for `highlight`.

      Examples:
        diple highlight show 4
        diple hl note 4 "look this up"
      """,
    subcommands: [
      Show.self, Edit.self, Color.self, Note.self, Tag.self, Remove.self, Restore.self, Why.self,
      Log.self, AnchorCommand.Reattach.self,
    ], aliases: ["hl"])
}
