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

/// The `mark` command, which highlights a passage.
struct MarkCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "mark",
    abstract: "Highlight a passage.",
    discussion: """
      SPEC selects the passage: "exact words", "exact words"#2 for the second occurrence, "first \
      words"…"last words" (or ...), word:12, words:12..19, line:4, lines:4..7, row:4, para:3, \
      heading:"Intro", section:"Intro", u16:120-164, hl:ID, all, or - for a quote on standard \
      input. Anything else is a quote. In the shell, put single quotation marks around the \
      double ones.

      Examples:
        diple mark essay.md '"quick fox"'
        diple mark essay.md 'heading:"Intro"' --color green --note 'start here'
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var writing: WriteOptions
  @OptionGroup var width: WidthOptions
  @OptionGroup var adding: AddOptions
  @Option(
    name: .shortAndLong,
    help: "Colour or its label; the setting highlight.default_color when omitted.")
  var color: ColorName?
  @Option(parsing: .unconditional, help: "Attach a note.") var note = ""
  @Option(
    parsing: .unconditionalSingleValue, help: "Add a tag; can be repeated.",
    completion: .values(.tag))
  var tag: [String] = []
  @Option(
    help: .strategy("How the passage becomes highlights", \.highlighting),
    completion: .values(.highlightStrategy))
  var strategy = "exact"
  @Flag(help: "Match a quote only as whole words.") var word = false
  @Argument(
    help: ArgumentHelp(
      "[DOC] SPEC; in the line editor DOC may be omitted, and both for the selection.",
      valueName: "passage"),
    completion: .values(.document, .spec))
  var words: [String] = []

  func run(in context: CommandContext) async throws {
    let settings = try context.libraries.settings(options)
    try settings.checkSelectable()
    // Report syntax errors before errors about the library.
    let named = context.refersToSelection(words) ? nil : try context.documentAndSpec(words)
    if !writing.dryRun, let file = named.map(\.doc) ?? context.selection.file {
      try await context.addIfWanted(file, adding, options)
    }
    let library = try context.libraries.library(options, .existing)
    let (before, spec) = try await subject(named, context, library)
    var request = MarkRequest(spec: try context.resolved(spec, in: before, options))
    if word { request.spec.wholeWords = true }
    request.spec.allowsOtherMarks = true
    let range = try await library.select(request.spec, in: before)
    context.reportFuzzyMatch(range, for: request.spec, in: before)
    request.color = try await context.color(color, in: library) ?? settings.highlightColor
    (request.note, request.tags) = (note, tag)
    request.strategy = strategy
    if writing.dryRun {
      for range in try await library.passages(of: request, in: before) {
        context.answer(
          options, json: SelectionRecord.line(range, in: before.parsed),
          plain:
            "\(writing.verb(.highlight)) \(range): “\(before.parsed.text.substring(range).shortened)”"
        )
      }
      return
    }
    let (made, open) = try await library.mark(request, in: before)
    if let report = open.report { context.terminal.notify([report]) }
    // The selected passage is now a highlight.
    if words.isEmpty { context.selection.selected = nil }
    guard let document = open.document else { return }
    try context.answer(options, json: HighlightRecord.lines(made, in: document)) {
      for highlight in made {
        context.terminal.output.line(
          "\(highlight.shortID)  \(highlight.color)  \(document.path.string.sanitizedForTerminal)")
        try context.draw(open, around: highlight, width: width.width, settings)
      }
    }
  }
}

extension MarkCommand {
  /// Returns the document and the passage to highlight. Without a SPEC this is the current
  /// selection.
  private func subject(
    _ named: (doc: String?, spec: SelectionSpec)?, _ context: CommandContext, _ library: Library
  ) async throws -> (OpenDocument, SelectionSpec) {
    guard let named else {
      let passage = try await context.passage(words, options)
      return (passage.open, SelectionSpec(units: passage.range))
    }
    let document = try await context.document(named.doc, in: library, toChange: true)
    return (try await library.openToMark(document), named.spec)
  }
}
