import ArgumentParser
import Console
import DaemonKit
import Model
import Rendering
import SystemSupport
import Workspace

/// `doc`: the documents of the library.
struct DocCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doc",
    abstract: "List, show, rename, link, remove and restore documents.",
    discussion: """
      Examples:
        diple doc
        diple doc show essay.md
      """,
    subcommands: [List.self, Show.self, Rename.self, Link.self, Remove.self, Restore.self],
    defaultSubcommand: List.self)

  /// `doc list`.
  struct List: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List the documents in the library.",
      discussion: """
        Examples:
          diple doc list
          diple doc list --json
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var lines: ListOptions

    func run(in context: CommandContext) async throws {
      let library = try context.libraries.library(options, .readOnlyOrEmpty)
      try await context.refresh(library, nil, options)
      let documents = try await library.documents()
      let counts = try await library.highlightCounts()
      if options.json {
        let records = documents.map {
          DocumentRecord($0, counts: counts[$0.id] ?? [:], in: library.location)
        }
        context.terminal.output.line(
          JSON.line(Envelope(schema: "diple.documents/1", data: records)))
      } else {
        let writer = context.listWriter(options, lines)
        for document in documents {
          writer.write(document, counts[document.id] ?? [:], in: library.location)
        }
      }
      if documents.isEmpty {
        throw context.nothing(
          "the library has no documents; \(command: "add", "FILE") adds one", in: library,
          options)
      }
    }
  }

  /// `doc show`.
  struct Show: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Show a document's id, title, path, state and number of highlights.",
      discussion: """
        Example:
          diple doc show essay.md
        """)
    @OptionGroup var options: GlobalOptions
    @Argument(help: "Path, title, a unique part of either, or id.", completion: .values(.document))
    var doc: String?

    func run(in context: CommandContext) async throws {
      let library = try context.libraries.library(options, .readOnlyOrEmpty)
      let found = try await context.document(doc, in: library)
      if found.state != .removed { context.terminal.notify(try await library.refresh([found])) }
      let document = try await library.document(id: found.id)
      let counts = try await library.highlightCounts()[document.id] ?? [:]
      if options.json {
        context.terminal.output.line(
          JSON.line(
            Envelope(
              schema: "diple.document/1",
              data: DocumentRecord(document, counts: counts, in: library.location))))
        return
      }
      context.terminal.output.line("id          \(document.id)")
      context.terminal.output.line("title       \(document.title.shortened)")
      context.terminal.output.line(
        "path        \(library.location.absolute(document.path).sanitizedForTerminal)")
      context.terminal.output.line("state       \(library.location.stateName(of: document))")
      context.terminal.output.line("added       \(document.created.localTimestamp)")
      let states = AnchorState.allCases.compactMap { state in
        counts[state].map { "\($0) \(state)" }
      }
      context.terminal.output.line(
        "highlights  \(states.isEmpty ? "none" : states.joined(separator: ", "))")
    }
  }

  /// `doc rename`.
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
      let library = try context.libraries.library(options, .existing)
      let document = try await context.document(doc, in: library, toChange: true)
      if !writing.dryRun { try await library.rename(document, to: title) }
      try await DocCommand.finish(
        document,
        """
        the title of \(document.path.string.sanitizedForTerminal) is now '\(title.shortened)', and was \
        '\(document.title.shortened)'; the file keeps its name
        """, writing, options, context)
    }
  }

  /// `doc link`.
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
      let library = try context.libraries.library(options, .existing)
      let document = try await context.document(doc, in: library, toChange: true)
      if !writing.dryRun { context.terminal.notify([try await library.link(document, to: path)]) }
      try await DocCommand.finish(
        document, "\(document.title.shortened) is now at \(path.sanitizedForTerminal)", writing,
        options, context)
    }
  }

  /// `doc remove`.
  struct Remove: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Remove a document and its highlights from the library; the file stays.",
      discussion: """
        `doc restore` brings both back.

        Examples:
          diple doc remove essay.md
          diple doc remove --yes essay.md
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Flag(name: .shortAndLong, help: "Do not ask for confirmation.") var yes = false
    @Argument(help: "Path, title, a unique part of either, or id.", completion: .values(.document))
    var doc: String

    func run(in context: CommandContext) async throws {
      let library = try context.libraries.library(options, .existing)
      let document = try await context.document(doc, in: library, toChange: true)
      let path = document.path.string.sanitizedForTerminal
      if writing.dryRun {
        return try await DocCommand.finish(document, "removed \(path)", writing, options, context)
      }
      try context.terminal.confirm("Remove \(path) and its highlights from the library?", yes: yes)
      let count = try await library.remove(document)
      if context.selection.document?.id == document.id { context.selection.document = nil }
      try await DocCommand.finish(
        document,
        """
        removed \(path) with \(count.counted("highlight")); \
        \(command: "doc", "restore", .word("\(document.id.dot.sequence)")) restores it
        """, writing, options, context)
    }
  }

  /// `doc restore`.
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
      let library = try context.libraries.library(options, .existing)
      let document = try await context.document(doc, in: library, toChange: true)
      let path = document.path.string.sanitizedForTerminal
      if writing.dryRun {
        return try await DocCommand.finish(document, "restored \(path)", writing, options, context)
      }
      let count = try await library.restore(document)
      context.terminal.notify(
        try await library.refresh([try await library.document(id: document.id)]))
      try await DocCommand.finish(
        document, "restored \(path) with \(count.counted("highlight"))", writing,
        options, context)
    }
  }

  /// Says what was done to a document, or what would be.
  private static func finish(
    _ document: Document, _ done: Hint, _ writing: WriteOptions, _ options: GlobalOptions,
    _ context: CommandContext
  ) async throws {
    guard options.json else {
      let done = done.text(in: context.terminal.typing)
      context.terminal.output.line(writing.dryRun ? "would do: \(done)" : done)
      return
    }
    let library = try context.libraries.library(options, .existing)
    let now = try await library.document(id: document.id)
    let counts = try await library.highlightCounts()[now.id] ?? [:]
    context.terminal.output.line(
      JSON.line(
        Envelope(
          schema: "diple.document/1",
          data: DocumentRecord(now, counts: counts, in: library.location))))
  }
}
