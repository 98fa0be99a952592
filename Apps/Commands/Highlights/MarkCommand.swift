public import ArgumentParser
import Configuration
import Console
import DaemonKit
import Editing
import MarkdownParse
public import Model
import Rendering
import SystemSupport
import Workspace

extension HighlightColor: ExpressibleByArgument {}

/// `mark`: highlights a passage.
struct MarkCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "mark", abstract: "Highlight a passage.",
    discussion: """
      SPEC says which: word:12, words:12..19, line:4, lines:4..7, row:4, para:3, heading:"Intro", \
      section:"Intro", "exact words", "exact words"#2, "first words"…"last words" (or ...), \
      u16:120-164, hl:ID, all, or - for a quote on standard input. Anything else is a quote.
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var writing: WriteOptions
  @OptionGroup var width: WidthOptions
  @Option(
    name: .shortAndLong,
    help: "yellow, green, blue or pink; yellow unless the settings say otherwise.")
  var color: HighlightColor?
  @Option(help: "What you think of it.") var note = ""
  @Option(help: "A tag; may be given several times.") var tag: [String] = []
  @Option(help: "What to make of the selection; `strategies` lists the ways.") var strategy =
    "exact"
  @Argument(
    help: "[DOC] SPEC; in the REPL DOC may be left out, and without SPEC it is the selection.")
  var words: [String] = []

  func run(in context: CommandContext) async throws {
    let library = try context.libraries.library(options, .existing)
    let (before, spec) = try await subject(context, library)
    let settings = try context.libraries.settings(options)
    var request = MarkRequest(spec: try context.resolved(spec, in: before, options))
    (request.color, request.note, request.tags) = (color ?? settings.highlightColor, note, tag)
    request.strategy = strategy
    if writing.dryRun {
      for range in try await library.passages(of: request, in: before) {
        context.terminal.output.line(
          options.json
            ? SelectionRecord.line(range, in: before.parsed)
            : "would highlight \(range): “\(before.parsed.text.substring(range).shortened)”")
      }
      return
    }
    let (made, open) = try await library.mark(request, in: before)
    if let report = open.report { context.terminal.notify([report]) }
    guard let document = open.document else { return }
    if options.json {
      context.terminal.output.line(HighlightRecord.lines(made, in: document))
      return
    }
    for highlight in made {
      context.terminal.output.line(
        "\(highlight.shortID)  \(highlight.color)  \(document.path.string.sanitizedForTerminal)")
      context.draw(open, around: highlight, width: width.width, settings)
    }
  }
}

extension MarkCommand {
  /// What to mark; in the line editor without a SPEC what is selected there.
  private func subject(_ context: CommandContext, _ library: Library) async throws -> (
    OpenDocument, SelectionSpec
  ) {
    if words.isEmpty, context.terminal.isInteractive {
      let passage = try await context.passage([], options)
      return (passage.open, SelectionSpec(units: passage.range))
    }
    let (doc, spec) = try context.documentAndSpec(words)
    return (try await library.openToMark(try await context.document(doc, in: library)), spec)
  }
}
