import Actions
import ArgumentParser
import Console
import DaemonKit

/// The `outline` command, which lists the headings of a document.
struct OutlineCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "outline",
    abstract: "List the headings of a document, with their lines.",
    discussion: """
      Example:
        diple outline essay.md
      """)

  @OptionGroup var options: GlobalOptions
  @Argument(
    help: """
      Path, title, a unique part of either, or id; in the line editor, the current document when \
      omitted.
      """,
    completion: .values(.document))
  var doc: String?

  // The document may be a file outside the library.
  func run(in context: CommandContext) async throws {
    let outcome = DocumentOutline.Outcome(of: try await context.open(doc, options))
    context.answer(options, json: outcome.json) {
      for heading in outcome.headings {
        let indent = String(repeating: "  ", count: heading.level - 1)
        context.terminal.output.line("\(indent)\(heading.text.shortened)  :\(heading.line)")
      }
    }
    if outcome.headings.isEmpty { throw ExitCode(1) }
  }
}
