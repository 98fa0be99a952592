import Actions
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
      abstract: "Remove documents and their highlights from the library; the files stay.",
      discussion: """
        `doc restore` restores a document with its highlights.

        Examples:
          diple doc remove essay.md
          diple doc remove --yes essay.md notes.md
        """, aliases: ["rm"])
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Flag(name: .shortAndLong, help: "Do not ask for confirmation.") var yes = false
    @Argument(
      help: ArgumentHelp("Paths, titles, unique parts of either, or ids.", valueName: "doc"),
      completion: .values(.document))
    var docs: [String]

    func run(in context: CommandContext) async throws {
      try await DocCommand.remove(docs, yes: yes, writing, options, context)
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
      let paths = documents.map { context.shown($0.path) }.joined(separator: ", ")
      let highlights = documents.count == 1 ? "its highlights" : "their highlights"
      try context.terminal.confirm(
        "Remove \(paths) with \(highlights) from the library?", yes: yes)
    }
    let library = try context.libraries.library(options, .existing)
    for document in documents {
      let path = context.shown(document.path)
      let removed: Hint = "\(writing.verb(.remove)) \(path) from the library"
      if writing.dryRun {
        let outcome = try await DocumentOutcome(document.id, in: library)
        let count = outcome.highlights.counted("highlight")
        finish(outcome, "\(removed) with \(count)", options, context)
        continue
      }
      let outcome = try await context.perform(RemoveDocument(document: document.id), options)
      if context.selection.document?.id == document.id { context.selection.document = nil }
      finish(
        outcome.document,
        """
        \(removed) with \(outcome.highlights.counted("highlight")); \
        \(command: "doc", "restore", .word(document.shortID)) restores it
        """, options, context)
    }
  }

  /// The `doc restore` command. It then checks the document's file for changes.
  struct Restore: DocumentCommand {
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

    func request(in context: CommandContext) async throws -> RestoreDocument {
      RestoreDocument(document: try await subject(context))
    }

    func done(_ outcome: DocumentOutcome, in context: CommandContext) -> Hint {
      let path = context.shown((outcome.before ?? outcome.document).path)
      return writing.dryRun
        ? "\(writing.verb(.restore)) \(path)"
        : "\(writing.verb(.restore)) \(path) with \(outcome.highlights.counted("highlight"))"
    }
  }
}

/// A command that changes one document.
protocol DocumentCommand: ActionCommand where Request: DocumentAction {
  var writing: WriteOptions { get }
  /// The document: its path, title, a unique part of either, or id.
  var doc: String { get }

  /// Returns the line that reports what was done, or would be.
  func done(_ outcome: DocumentOutcome, in context: CommandContext) -> Hint
}

extension DocumentCommand {
  var isDryRun: Bool { writing.dryRun }

  /// Returns the id of the document. If the name isn't complete, the user must confirm the
  /// document.
  func subject(_ context: CommandContext) async throws -> Document.ID {
    try await DocCommand.subject(doc, options, context).document.id
  }

  func preview(_ request: Request, in context: CommandContext) async throws {
    let library = try context.libraries.library(options, .existing)
    let outcome = try await DocumentOutcome(request.document, in: library)
    DocCommand.finish(outcome, done(outcome, in: context), options, context)
  }

  func notices(of outcome: DocumentOutcome) -> [RefreshReport] { outcome.reports }

  func write(_ outcome: DocumentOutcome, to context: CommandContext) {
    DocCommand.finish(outcome, done(outcome, in: context), options, context)
  }
}
