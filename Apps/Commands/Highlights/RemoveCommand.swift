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
    for name in names where context.highlightID([name]) == nil {
      try await checkDocument(name, context)
    }
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

  /// Checks that a name is not unknown. Other problems are reported when the document is removed.
  ///
  /// - Throws: `notFound` if nothing has a similar name.
  private func checkDocument(_ name: String, _ context: CommandContext) async throws {
    do {
      _ = try await context.libraries.library(options, .readOnlyOrEmpty).document(name)
    } catch let error as UserError {
      guard error.code == .notFound, case .action("document.add", _)? = error.hint?.remedy,
        !Library.isFile(name)
      else { return }
      let numbers = HighlightNumbers(name)?.words
      throw UserError(
        .notFound, "no highlight or document '\(name)'",
        hint: numbers.map { Hint.removing($0) }
          ?? "\(command: "list") shows the highlights, \(command: "doc", "list") the documents")
    }
  }
}

extension Hint {
  /// The command that removes the highlights with the numbers.
  fileprivate static func removing(_ numbers: [String]) -> Hint {
    "\(command: ["remove"] + numbers.map { .word($0) })"
  }
}
