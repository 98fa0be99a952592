import ArgumentParser
import Console
import Model
import Rendering
import SystemSupport
import Workspace

extension DocCommand {
  /// The `doc remove` command. It asks for confirmation, and the file isn't deleted.
  struct Remove: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Remove a document and its highlights from the library; the file stays.",
      discussion: """
        `doc restore` brings both back.

        Examples:
          diple doc remove essay.md
          diple doc remove --yes essay.md
        """, aliases: ["rm"])
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Flag(name: .shortAndLong, help: "Do not ask for confirmation.") var yes = false
    @Argument(help: "Path, title, a unique part of either, or id.", completion: .values(.document))
    var doc: String

    func run(in context: CommandContext) async throws {
      try await DocCommand.remove([doc], yes: yes, writing, options, context)
    }
  }

  /// Removes documents, each in a separate step. All names are looked up and the user is asked
  /// before the first document is removed.
  static func remove(
    _ names: [String], yes: Bool, _ writing: WriteOptions, _ options: GlobalOptions,
    _ context: CommandContext
  ) async throws {
    var documents: [Document] = []
    for name in names {
      let document = try await subject(name, options, context).document
      if !documents.contains(where: { $0.id == document.id }) { documents.append(document) }
    }
    if !writing.dryRun {
      let paths = documents.map(\.path.string.sanitizedForTerminal).joined(separator: ", ")
      try context.terminal.confirm(
        "Remove \(paths) from the library, with all highlights there?", yes: yes)
    }
    let library = try context.libraries.library(options, .existing)
    for document in documents {
      let path = document.path.string.sanitizedForTerminal
      let removed: Hint = "\(writing.verb(.remove)) \(path) from the library"
      if writing.dryRun {
        let counts = try await library.highlightCounts(of: document.id)[document.id] ?? [:]
        let count = counts.values.reduce(0, +).counted("highlight")
        try await finish(document, "\(removed) with \(count)", writing, options, context)
        continue
      }
      let count = try await library.remove(document)
      if context.selection.document?.id == document.id { context.selection.document = nil }
      try await finish(
        document,
        """
        \(removed) with \(count.counted("highlight")); \
        \(command: "doc", "restore", .word(document.shortID)) restores it
        """, writing, options, context)
    }
  }

  /// The `doc restore` command. It then checks the document's file for changes.
  struct Restore: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "restore",
      abstract: "Restore a removed document and its highlights.",
      discussion: """
        Example:
          diple doc restore essay.md
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Argument(
      help: "Path, title, a unique part of either, or id.", completion: .values(.removedDocument))
    var doc: String

    func run(in context: CommandContext) async throws {
      let (library, document) = try await DocCommand.subject(doc, options, context)
      let path = document.path.string.sanitizedForTerminal
      if writing.dryRun {
        return try await DocCommand.finish(
          document, "\(writing.verb(.restore)) \(path)", writing, options, context)
      }
      let count = try await library.restore(document)
      do {
        context.terminal.notify(
          try await library.refresh([try await library.document(id: document.id)]))
      } catch {
        // The document is restored, so the command must not be repeated.
        throw UserError(
          .unconfirmed, "\(path) is restored, but its file was not checked: \(error.message)",
          hint: "\(command: "refresh") checks it")
      }
      try await DocCommand.finish(
        document, "\(writing.verb(.restore)) \(path) with \(count.counted("highlight"))", writing,
        options,
        context)
    }
  }
}
