import ArgumentParser
import Console
import Model
import SystemSupport
import Workspace

/// The `remove` command, which removes highlights or documents. The names decide which.
struct RemoveCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove highlights, or documents from the library; files stay.",
    discussion: """
      The same as `hl remove` and `doc remove`: a number is the id of a highlight, any other name \
      a document's. `undo` restores what was removed.

      Examples:
        diple remove 4 8
        diple remove essay.md
      """, aliases: ["rm"])

  @OptionGroup var options: GlobalOptions
  @OptionGroup var writing: WriteOptions
  @Flag(name: .shortAndLong, help: "Do not ask before documents are removed.") var yes = false
  @Argument(
    help: ArgumentHelp("Ids of highlights, or documents.", valueName: "name"),
    completion: .values(.highlight, .document))
  var names: [String]

  func run(in context: CommandContext) async throws {
    let ids = names.compactMap { context.highlightID([$0]) }
    guard ids.isEmpty || ids.count == names.count else {
      throw UserError(
        .usage, "these are highlights and documents", hint: "remove one kind at a time")
    }
    if ids.isEmpty {
      try await DocCommand.remove(names, yes: yes, writing, options, context)
    } else {
      try await HighlightCommand.setTrashed(true, ids, writing, options, context)
    }
  }
}
