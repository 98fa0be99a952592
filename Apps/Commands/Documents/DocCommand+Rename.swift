import Actions
import ArgumentParser
import Console
import Model
import Rendering
import SystemSupport
import Workspace

extension DocCommand {
  /// The `doc rename` command, which changes a document's title.
  struct Rename: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "rename",
      abstract: "Change a document's title in the library; the file is not written.",
      discussion: """
        The file keeps its name and place; `doc link` says where a file is that was moved.

        Example:
          diple doc rename essay.md 'On reading'
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Argument(help: "Path, title, a unique part of either, or id.", completion: .values(.document))
    var doc: String
    @Argument(help: "New title.") var title: String

    func run(in context: CommandContext) async throws {
      let (library, document) = try await DocCommand.subject(doc, options, context)
      if !writing.dryRun { try await library.rename(document, to: title) }
      try await DocCommand.finish(
        document,
        """
        \(writing.verb(.change)) the title of \(document.path.string.sanitizedForTerminal) from \
        '\(document.title.shortened)' to '\(title.shortened)'; the file keeps its name
        """, writing, options, context)
    }
  }

  /// The `doc link` command, which changes a document's file.
  struct Link: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "link",
      abstract: "Point a document at another file, for example after a move.",
      discussion: """
        The highlights are found again in that file.

        Example:
          diple doc link essay.md drafts/essay.md
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Argument(help: "Path, title, a unique part of either, or id.", completion: .values(.document))
    var doc: String
    @Argument(help: "File that the document is now.", completion: .file()) var path: String

    func run(in context: CommandContext) async throws {
      let (library, document) = try await DocCommand.subject(doc, options, context)
      if !writing.dryRun { context.terminal.notify([try await library.link(document, to: path)]) }
      try await DocCommand.finish(
        document,
        "\(writing.verb(.link)) '\(document.title.shortened)' to \(path.sanitizedForTerminal)",
        writing, options,
        context)
    }
  }
}

extension DocCommand {
  /// The `doc unlink` command, which separates documents that were merged across devices.
  struct Unlink: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "unlink",
      abstract: "Separate documents that were merged across devices.",
      discussion: """
        Each has its own highlights again.

        Example:
          diple doc unlink essay.md
        """)
    @OptionGroup var options: GlobalOptions
    @Argument(help: "Path, title, a unique part of either, or id.", completion: .values(.document))
    var doc: String

    func run(in context: CommandContext) async throws {
      let (library, document) = try await DocCommand.subject(doc, options, context)
      let parts = try await library.part(document)
      let counts = try await library.highlightCounts()
      let records = parts.map {
        DocumentRecord($0, counts: counts[$0.id] ?? [:], in: library.location)
      }
      context.answer(options, "diple.documents/1", records) {
        for part in parts {
          let path = part.path.string.sanitizedForTerminal
          context.terminal.output.line(
            "parted \(path)" + (part.path.isElsewhere ? " (on another machine)" : ""))
        }
      }
    }
  }
}
