import Actions
import ArgumentParser
import Console
import Interchange
import Model
import Rendering
import SystemSupport
import Workspace

/// The `source` command, which shows and sets the bibliographic sources of documents.
struct SourceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "source",
    abstract: "Show and set a document's bibliographic source.",
    discussion: """
      The source is used by `copy --cite`, cards and exports. Values set here override those of \
      the file's front matter; the file is not changed.

      Examples:
        diple source set room.md --author 'Woolf, Virginia' --date 1929
        diple source show --as bibtex -o refs.bib
      """,
    subcommands: [Show.self, Set.self, Link.self], defaultSubcommand: Show.self)

  /// Prints the source of a document.
  ///
  /// - Parameter start: a line to print before the source, if not empty.
  static func show(
    _ outcome: SourcesOutcome, after start: String = "", _ context: CommandContext
  ) {
    let output = context.terminal.output
    if !start.isEmpty { output.line(start.sanitizedForTerminal) }
    for (_, source) in outcome.sources {
      for (name, text, origin) in source.variables {
        let note =
          switch origin {
          case .set: ""
          case .file: "  (front matter)"
          case .import: "  (import)"
          case .title: "  (title of the document)"
          }
        output.line("\(name.padded(to: 16))  \(text.sanitizedForTerminal)\(note)")
      }
    }
  }
}
