import ArgumentParser
import Console
import Model
import SystemSupport
import Workspace

/// The `remove` command, which removes highlights or documents, depending on the names.
struct RemoveCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove highlights, or documents from the library; files stay.",
    discussion: """
      Equivalent to `highlight remove` or `doc remove`: a number is the id of a highlight, any \
      other name is a document's. `undo` reverts it.

      Examples:
        diple remove 4 8
        diple remove essay.md
      """, aliases: ["rm"])

  @OptionGroup var options: GlobalOptions
  @OptionGroup var writing: WriteOptions
  @Flag(name: .shortAndLong, help: "Do not ask before documents are removed.") var yes = false
  @Argument(
    help: ArgumentHelp("Ids of highlights, or documents.", valueName: "name"),
    completion: .values(.documentOrHighlight))
  var names: [String]

  func run(in context: CommandContext) async throws {
    let ids = names.compactMap { context.highlightID([$0]) }
    guard ids.isEmpty || ids.count == names.count else {
      throw UserError(
        .usage, "cannot remove highlights and documents in one command",
        hint: "remove one kind at a time")
    }
    if ids.isEmpty {
      try await DocCommand.remove(names, yes: yes, writing, options, context)
    } else {
      try await HighlightCommand.setTrashed(true, ids, writing, options, context)
    }
  }
}
