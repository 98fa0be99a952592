import Actions
import ArgumentParser
import Configuration
import Console
import DaemonKit
import Editing
import MarkdownParse
public import Model
import Rendering
import SystemSupport
import Workspace

extension HighlightColor: OptionChoice {}

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
      "[DOC] SPEC; in the line editor omit DOC, or both to use the selection.",
      valueName: "passage"),
    completion: .values(.document, .spec))
  var words: [String] = []

  func run(in context: CommandContext) async throws {
    let settings = try context.libraries.settings(options)
    try settings.checkSelectable()
    try checkSinglePassage()
    try checkSingleNumber()
    // Report syntax errors before errors about the library.
    let named =
      context.refersToSelection(words) ? nil : try await context.documentAndSpec(words, options)
    var known: Document?
    if !writing.dryRun, let file = named.map(\.doc) ?? context.selection.file {
      known = try await context.addIfWanted(file, adding, options)
    }
    let library = try context.libraries.library(options, .existing)
    let color = try await context.color(color, in: library) ?? settings.highlightColor
    let (document, spec) = try await subject(named, known, context, library)
    if writing.dryRun { return try await preview(spec, color, in: document, of: library, context) }
    var request = MarkRequest(color: color)
    (request.note, request.tags) = (note, tag)
    let outcome = try await context.perform(
      MarkPassages(
        document: document.id, passage: .spec(spec), color: color, note: note, tags: tag,
        strategy: strategy), options)
    if let selected = outcome.selected {
      context.reportFuzzyMatch(selected, for: spec, in: outcome.open)
    }
    if let report = outcome.open.report { context.notify([report]) }
    if !context.isReader {
      for line in outcome.notices(request) { context.terminal.errors.line(line) }
    }
    // The selected passage is now a highlight.
    if words.isEmpty { context.selection.selected = nil }
    context.selection.made = outcome.highlights.first?.id
    try context.answer(options, json: outcome.json) {
      // The reader shows the text with the highlights itself.
      if context.isReader { return context.terminal.output.line(outcome.summary(request)) }
      let writer = context.listWriter(options)
      for highlight in outcome.highlights {
        writer.write(highlight, document)
        try context.draw(outcome.open, around: highlight, width: width.width, settings)
      }
    }
  }

  /// Checks that at most one SPEC is typed. Words that aren't in quotation marks may be a quote.
  ///
  /// - Throws: `usage` for several SPECs.
  private func checkSinglePassage() throws(UserError) {
    let isSpec = { (word: String) in (try? SelectionSpec(parsing: word))?.namesItsKind == true }
    let first = words.firstIndex(where: isSpec) ?? words.endIndex
    // DOC precedes the first SPEC.
    guard first <= 1, words.count - first > 1, words[first...].allSatisfy(isSpec) else { return }
    throw UserError(
      .usage, "expected one passage, got \(words.count - first)",
      hint: "mark each with a command, first \(Self.line(words[..<first] + [words[first]]))")
  }

  /// Checks that a quote has at most one number: `"fox"#1,2` are two passages.
  ///
  /// - Throws: `usage` for several numbers.
  private func checkSingleNumber() throws(UserError) {
    guard let word = words.last, word.hasPrefix("\""), let mark = word.lastIndex(of: "#"),
      word[..<mark].hasSuffix("\""),
      let number = HighlightNumbers(String(word[word.index(after: mark)...]))?.words.first
    else { return }
    let first = Self.line(words.dropLast() + [word[...mark] + number])
    throw UserError(
      .usage, "'\(word)' has several numbers, and a passage has one",
      hint: "mark each with a command, first \(first)")
  }

  /// The command that highlights the passage that is the last word.
  private static func line(_ words: [String]) -> Hint {
    let names = words.dropLast().map { Hint.Word.word($0) }
    return "\(command: ["mark"] + names + words.suffix(1).map { .spec($0) })"
  }

  /// Prints the passages that would be highlighted, and those that would receive the note and the
  /// tags.
  private func preview(
    _ spec: SelectionSpec, _ color: HighlightColor, in document: Document, of library: Library,
    _ context: CommandContext
  ) async throws {
    let open = try await library.openToMark(document)
    let selected = try await library.select(library.passage(spec, for: strategy), in: open)
    context.reportFuzzyMatch(selected, for: spec, in: open)
    var request = MarkRequest(color: color)
    (request.note, request.tags, request.strategy) = (note, tag, strategy)
    let ranges = try await library.passages(from: selected, request, in: open.parsed)
    let plans = try await library.plan(ranges, as: request, in: open)
    for plan in plans {
      let change =
        plan.updated.map { "\(writing.verb(.add)) \(request.additions) to \($0.shortID)" }
        ?? "\(writing.verb(.highlight)) \(plan.range)"
      context.answer(
        options, json: SelectionRecord.line(plan.range, in: open.parsed),
        plain: "\(change): “\(open.parsed.text.substring(plan.range).shortened)”")
    }
    let sharing = plans.filter { $0.updated == nil }.flatMap(\.sharing).asSharingNotice
    if let sharing, !options.json { context.terminal.errors.line(sharing) }
  }
}

extension MarkCommand {
  /// Returns the document and a SPEC of the passage to highlight, in which display rows are
  /// converted to offsets. Without a typed SPEC, the passage is the current selection.
  private func subject(
    _ named: (doc: String?, spec: SelectionSpec)?, _ known: Document?, _ context: CommandContext,
    _ library: Library
  ) async throws -> (Document, SelectionSpec) {
    guard let named else {
      let passage = try await context.passage(words, options)
      guard let document = passage.open.document else { throw UserError.inNoLibrary() }
      guard !passage.range.isEmpty else {
        throw UserError(.nothing, "nothing is selected", hint: context.howToSelect)
      }
      return (document, finished(SelectionSpec(units: passage.range)))
    }
    let document = try await context.document(named.doc, known, in: library, toChange: true)
    if named.spec.rows == nil { return (document, finished(named.spec)) }
    let open = try await library.openToMark(document)
    return (document, finished(try context.resolved(named.spec, in: open, options)))
  }

  private func finished(_ spec: SelectionSpec) -> SelectionSpec {
    var spec = spec
    if word { spec.wholeWords = true }
    return spec
  }
}
