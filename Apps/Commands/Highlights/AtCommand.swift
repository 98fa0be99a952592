import ArgumentParser
import Console
import DaemonKit
import Editing
import Model
import SystemSupport
import Workspace

/// `at`: the highlights at a place.
struct AtCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "at",
    abstract: "List the highlights at a position of a document.",
    discussion: """
      POS is LINE:COLUMN of the file, or an offset in UTF-16 units of the rendered text.

      Examples:
        diple at essay.md 12:5
        diple at essay.md 240
      """)

  @OptionGroup var options: GlobalOptions
  @Argument(
    help: ArgumentHelp(
      "[DOC] POS; in the line editor DOC may be omitted.", valueName: "position"),
    completion: .values(.document, .none))
  var words: [String]

  func run(in context: CommandContext) async throws {
    let (doc, position) = try context.documentAndPosition(words)
    let library = try context.libraries.library(options, .readOnlyOrEmpty)
    let document = try await context.document(doc, in: library)
    let (found, report) = try await library.highlights(in: document, at: position)
    context.terminal.notify([report])
    if options.json {
      let records = found.map { HighlightRecord($0, in: document) }
      context.terminal.output.line(JSON.line(Envelope(schema: "diple.highlights/1", data: records)))
    } else {
      let writer = context.listWriter(options)
      for highlight in found { writer.write(highlight, document) }
    }
    if found.isEmpty { throw ExitCode(1) }
  }
}

extension CommandContext {
  /// Divides `[DOC] POS`.
  func documentAndPosition(_ words: [String]) throws -> (doc: String?, position: PositionSpec) {
    guard (1...2).contains(words.count), terminal.isInteractive || words.count == 2 else {
      throw UserError(
        .usage, "expected DOC and POS", hint: "for example: \(typed: "at", "essay.md", "12:5")")
    }
    do {
      let position = try PositionSpec(parsing: words[words.count - 1])
      return (words.count == 2 ? words[0] : nil, position)
    } catch {
      throw UserError(.usage, error.description)
    }
  }
}
