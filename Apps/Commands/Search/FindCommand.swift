import ArgumentParser
import Configuration
import Console
import DaemonKit
import Editing
import Model
import Rendering
import Search
import SystemSupport
import Workspace

/// `find`: looks for something in one document.
struct FindCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "find",
    abstract: "Find text in one document.",
    discussion: """
      In the line editor the first match is shown, and `next` and `prev` go on from there. \
      Nothing is stored, unless --mark highlights the matches.

      Examples:
        diple find essay.md fox
        diple find essay.md fox --mark green --tag animals
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var matching: MatchOptions
  @OptionGroup var width: WidthOptions
  @Option(
    name: .customLong("in"), help: "Only in this passage, a SPEC as for `mark`.",
    completion: .values(.spec))
  var passage: String?
  @Option(help: "Highlight all matches in this colour.") var mark: HighlightColor?
  @Option(
    parsing: .unconditionalSingleValue, help: "Tag for these highlights; can be repeated.",
    completion: .values(.tag))
  var tag: [String] = []
  @Flag(help: "End the current search (line editor).") var clear = false
  @Argument(
    help: ArgumentHelp(
      "[DOC] QUERY; in the line editor DOC may be omitted.", valueName: "query"),
    completion: .values(.document, .none))
  var words: [String] = []

  func validate() throws {
    if mark == nil, !tag.isEmpty { throw ValidationError("--tag goes with --mark") }
  }

  func run(in context: CommandContext) async throws {
    if clear { return try clearSession(context) }
    guard (1...2).contains(words.count), context.terminal.isInteractive || words.count == 2 else {
      throw UserError(
        .usage, "this takes DOC and QUERY, and got \(words.count.counted("word"))",
        hint: "put a query of several words in quotation marks")
    }
    let library = try context.libraries.library(options, .lookOnly)
    let document = try await context.document(words.count == 2 ? words[0] : nil, in: library)
    let query = matching.query(words[words.count - 1])
    if let mark { return try await markMatches(query, document, mark, context) }
    let open = try await library.open(document)
    if let report = open.report { context.terminal.notify([report]) }
    let found = try await library.find(
      try query.request().query, strategy: matching.strategy, in: open,
      within: try passage.map(context.selectionSpec))
    if context.terminal.isInteractive {
      context.selection.find = SelectionState.DocumentFind(session: found, document: document)
    }
    if options.json {
      context.terminal.output.line(FindRecord.line(found, in: open, library))
    } else if context.terminal.isInteractive, found.match != nil {
      context.draw(found, in: open, width: width.width, try context.libraries.settings(options))
    } else {
      for (index, hit) in library.hits(of: found, in: open).enumerated() {
        let record = MatchRecord(hit, in: open.document ?? document)
        context.terminal.output.line("\(index + 1)/\(found.matches.count)  \(record.plain)")
      }
    }
    if found.matches.isEmpty { throw ExitCode(1) }
  }

  private func clearSession(_ context: CommandContext) throws {
    guard words.isEmpty else { throw UserError(.usage, "--clear takes no words") }
    guard context.selection.find != nil else {
      throw UserError(.nothing, "nothing is being looked for")
    }
    context.selection.find = nil
    if options.json {
      context.terminal.output.line(JSON.line(Envelope(schema: "diple.find/1", data: FindRecord())))
    }
  }

  private func markMatches(
    _ query: SavedQuery, _ document: Document, _ color: HighlightColor, _ context: CommandContext
  ) async throws {
    let library = try context.libraries.library(options, .existing)
    var request = MarkRequest(spec: try context.selectionSpec(passage ?? "all"))
    request.matching = query
    request.color = color
    request.tags = tag
    let (made, report) = try await library.mark(document, request)
    context.terminal.notify([report])
    if options.json {
      context.terminal.output.line(HighlightRecord.lines(made, in: report.document))
    } else {
      for highlight in made {
        context.terminal.output.line(ListCommand.line(highlight, report.document))
      }
    }
  }
}

/// `next`: goes to the next match.
struct NextCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "next",
    abstract: "Go to the next match of `find` (line editor).",
    discussion: """
      Example:
        diple next
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var width: WidthOptions

  func run(in context: CommandContext) async throws {
    try await context.step(options, width: width.width) { $0.next() }
  }
}

/// `prev`: goes to the match before.
struct PreviousCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "prev",
    abstract: "Go to the previous match of `find` (line editor).",
    discussion: """
      Example:
        diple prev
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var width: WidthOptions

  func run(in context: CommandContext) async throws {
    try await context.step(options, width: width.width) { $0.previous() }
  }
}

/// `diple.find/1`.
private struct FindRecord: Encodable {
  @Nullable var document: HighlightRecord.DocumentReference?
  var query: String = ""
  var strategy: String = ""
  /// The number of the match at hand, from 1.
  @Nullable var current: Int?
  var wrapped = false
  var matches: [MatchRecord] = []

  /// Nothing is looked for.
  init() {}

  static func line(_ found: FindSession, in open: OpenDocument, _ library: Library) -> String {
    var record = FindRecord()
    record.query = found.query.text
    record.strategy = found.strategy
    record.current = found.current.map { $0 + 1 }
    record.wrapped = found.hasWrapped
    if let document = open.document {
      record.document = .init(document)
      record.matches = library.hits(of: found, in: open).map { MatchRecord($0, in: document) }
    }
    return JSON.line(Envelope(schema: "diple.find/1", data: record))
  }
}

extension CommandContext {
  /// Goes to another match of what is looked for, in the document as its file is now.
  fileprivate func step(
    _ options: GlobalOptions, width: Int?, _ go: (inout FindSession) -> TextRange?
  ) async throws {
    guard var find = selection.find else {
      throw UserError(
        .usage, "nothing is being looked for",
        hint: terminal.isInteractive ? "`find QUERY` does" : "this is for the REPL: diple repl")
    }
    let library = try libraries.library(options, .lookOnly)
    let open = try await library.open(find.document)
    if let report = open.report, report.change != .unchanged {
      terminal.notify([report])
      let anew = try await library.find(
        find.session.query, strategy: find.session.strategy, in: open)
      find.session.replaceMatches(anew.matches)
    }
    let match = go(&find.session)
    selection.find = find
    if options.json {
      terminal.output.line(FindRecord.line(find.session, in: open, library))
    } else {
      draw(find.session, in: open, width: width, try libraries.settings(options))
    }
    if match == nil { throw ExitCode(1) }
  }

  /// Draws the paragraphs around the match at hand, with the matches decorated.
  fileprivate func draw(
    _ found: FindSession, in open: OpenDocument, width asked: Int?, _ settings: Settings
  ) {
    let wrapped = found.hasWrapped ? " (went round)" : ""
    terminal.output.line("\(found.position)\(wrapped)")
    guard let match = found.match else { return }
    let page = Page(
      document: open.parsed, overlays: open.overlays, decorations: found.decorations(in: match),
      options: terminal.pageOptions(width: asked, settings, around: match))
    let writer = ANSIWriter(page.options)
    var text = ""
    for line in PageLayout.lines(of: page) { writer.write(line, to: &text) }
    terminal.output.write(text)
  }
}
