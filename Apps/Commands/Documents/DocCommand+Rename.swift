import Actions
import ArgumentParser
import Console
import Model
import Rendering
import SystemSupport
import Workspace

extension DocCommand {
  /// The `doc rename` command, which changes a document's title.
  struct Rename: DocumentCommand {
    static let configuration = CommandConfiguration(
      commandName: "rename",
      abstract: "Change a document's title in the library; the file is not written.",
      discussion: """
        The file keeps its name and place; use `doc link` for a file that was moved.

        Example:
          diple doc rename essay.md 'On reading'
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Argument(help: "Path, title, a unique part of either, or id.", completion: .values(.document))
    var doc: String
    @Argument(help: "New title.") var title: String

    func request(in context: CommandContext) async throws -> RenameDocument {
      RenameDocument(document: try await subject(context), title: title)
    }

    func done(_ outcome: DocumentOutcome, in context: CommandContext) -> Hint {
      let document = outcome.before ?? outcome.document
      return """
        \(writing.verb(.change)) the title of \(context.shown(document.path)) from \
        '\(document.title.shortened)' to '\(title.shortened)'; the file keeps its name
        """
    }
  }

  /// The `doc link` command, which points a document at another file.
  struct Link: DocumentCommand {
    static let configuration = CommandConfiguration(
      commandName: "link",
      abstract: "Link a document to another file, for example after a move.",
      discussion: """
        The highlights are found again in that file.

        Example:
          diple doc link essay.md drafts/essay.md
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Argument(help: "Path, title, a unique part of either, or id.", completion: .values(.document))
    var doc: String
    @Argument(help: "New file of the document.", completion: .file()) var path: String

    func request(in context: CommandContext) async throws -> LinkDocument {
      LinkDocument(document: try await subject(context), path: path)
    }

    func done(_ outcome: DocumentOutcome, in context: CommandContext) -> Hint {
      let title = (outcome.before ?? outcome.document).title.shortened
      return "\(writing.verb(.link)) '\(title)' to \(path.sanitizedForTerminal)"
    }
  }
}

extension DocCommand {
  /// The `doc unlink` command, which separates documents that were merged across devices.
  struct Unlink: ActionCommand {
    static let configuration = CommandConfiguration(
      commandName: "unlink",
      abstract: "Separate documents that were merged across devices.",
      discussion: """
        Each document gets back the highlights that were made in it.

        Example:
          diple doc unlink essay.md
        """)
    @OptionGroup var options: GlobalOptions
    @Argument(help: "Path, title, a unique part of either, or id.", completion: .values(.document))
    var doc: String

    func request(in context: CommandContext) async throws -> UnlinkDocument {
      UnlinkDocument(
        document: try await DocCommand.subject(doc, options, context).document.id)
    }

    func write(_ outcome: DocumentsOutcome, to context: CommandContext) {
      for (part, _) in outcome.documents {
        let path = context.shown(part.path)
        context.terminal.output.line(
          "separated \(path)" + (part.path.isElsewhere ? " (on another device)" : ""))
      }
    }
  }
}
