import Actions
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

/// The `find` command, which searches a single document.
struct FindCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "find",
    abstract: "Find text in one document.",
    discussion: """
      In the line editor, the first match is shown and selected, `next` and `prev` continue from \
      there, DOC can be omitted, and several words are one query. Nothing is stored, unless --mark \
      highlights the matches.

      Examples:
        diple find essay.md --regex 'fox(es)?' --case-sensitive
        diple find essay.md fox --mark green --tag animals
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var matching: MatchOptions
  @OptionGroup var width: WidthOptions
  @OptionGroup var lines: ListOptions
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
    if mark == nil, !tag.isEmpty { throw ValidationError("--tag needs --mark") }
  }

  func run(in context: CommandContext) async throws {
    if clear { return try clearSession(context) }
    let (doc, text) = try await documentAndQuery(context)
    let query = matching.request(text)
    if let mark { return try await markMatches(query, doc, mark, context) }
    let open = try await context.open(doc, options)
    let found = try await context.find(
      try query.saved().request().query, strategy: matching.usedStrategy, in: open,
      within: try passage.map(context.selectionSpec), options)
    if context.terminal.isInteractive, doc != "-" {
      let name = open.document?.id.description ?? doc.map { FileSystem.absolute($0) }
      context.selection.find = SelectionState.DocumentFind(session: found, name: name)
      context.select(found, in: open)
    }
    try context.answer(options, json: FindRecord.line(found, in: open)) {
      // A reader shows the matches in its text.
      if context.terminal.isReader { return }
      if context.terminal.isInteractive, found.match != nil {
        try context.draw(
          found, in: open, width: width.width, try context.libraries.settings(options))
      } else {
        let path = open.document.map { context.paths.name($0.path) } ?? doc ?? "-"
        let writer = context.listWriter(options, lines)
        for (index, match) in open.matches(of: found).enumerated() {
          writer.write(
            match, path.sanitizedForTerminal, in: open.document?.id,
            after: "\(index + 1)/\(found.matches.count)  ")
        }
      }
    }
    if found.matches.isEmpty { throw context.nothing("no match for '\(text)'", options) }
  }

  /// Splits the words `[DOC] QUERY`. In a REPL with a current document, the first of several words
  /// is a document only if it is a complete name.
  private func documentAndQuery(_ context: CommandContext) async throws -> (String?, String) {
    let isSession = context.terminal.isInteractive
    guard !words.isEmpty, isSession || words.count == 2 else {
      throw UserError(
        .usage, "expected DOC and QUERY, got \(words.count.counted("word"))",
        hint: "put a query of several words in quotation marks")
    }
    guard words.count > 1 else { return (nil, words[0]) }
    if isSession, context.selection.document != nil || context.selection.file != nil {
      let library = try? context.libraries.library(options, .readOnlyOrEmpty)
      guard try await context.isWholeName(words[0], in: library) else {
        return (nil, words.joined(separator: " "))
      }
    }
    return (words[0], words.dropFirst().joined(separator: " "))
  }

  private func clearSession(_ context: CommandContext) throws {
    guard words.isEmpty else { throw UserError(.usage, "--clear takes no words") }
    guard context.selection.find != nil else {
      throw UserError(.nothing, "no search yet")
    }
    context.selection.find = nil
    context.answer(options, "diple.find/1", FindRecord()) {}
  }

  private func markMatches(
    _ query: SearchLibrary, _ doc: String?, _ color: HighlightColor, _ context: CommandContext
  ) async throws {
    let library = try context.libraries.library(options, .existing)
    let document: Document
    do { document = try await context.document(doc, in: library, toChange: true) } catch let error
      as UserError
      where error.code == .notFound
    {
      guard let doc, doc == "-" else { throw error }
      throw UserError(.usage, "only documents of the library can be highlighted, not '-'")
    }
    let marked = try await context.perform(
      MarkMatches(
        document: document.id, search: query,
        passage: try passage.map { .spec(try context.selectionSpec($0)) }, color: color, tags: tag),
      options)
    if let report = marked.open.report { context.notify([report]) }
    context.answer(options, json: marked.json) {
      let writer = context.listWriter(options, lines)
      for highlight in marked.highlights {
        writer.write(highlight, marked.open.document ?? document)
      }
    }
  }
}

/// The `next` command, which goes to the next match.
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

/// The `prev` command, which goes to the previous match.
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

/// A search in a document, a record of the schema `diple.find/1`.
private struct FindRecord: Encodable {
  @Nullable var document: HighlightRecord.DocumentReference?
  var query: String = ""
  var strategy: String = ""
  /// The number of the current match, counted from 1.
  @Nullable var current: Int?
  var wrapped = false
  var matches: [MatchRecord] = []

  /// Creates the record for a cleared search.
  init() {}

  static func line(_ found: FindSession, in open: OpenDocument) -> String {
    var record = FindRecord()
    record.query = found.query.text
    record.strategy = found.strategy
    record.current = found.current.map { $0 + 1 }
    record.wrapped = found.hasWrapped
    record.document = open.document.map { .init($0) }
    record.matches = open.matches(of: found).map { MatchRecord($0, in: open.document) }
    return JSON.line("diple.find/1", record)
  }
}

extension CommandContext {
  /// Searches an open document or file.
  func find(
    _ query: SearchQuery, strategy: String, in open: OpenDocument, within spec: SelectionSpec?,
    _ options: GlobalOptions
  ) async throws -> FindSession {
    var passage: TextRange?
    if let spec { passage = try await range(of: spec, in: open, options) }
    return try libraries.plugins.find(query, strategy: strategy, in: open, within: passage)
  }

  /// Selects the current match in the REPL. The reader selects it itself.
  fileprivate func select(_ found: FindSession, in open: OpenDocument) {
    guard let match = found.match, terminal.allowsPrompts else { return }
    let units = units(of: open)
    select(Selection(match, in: units), in: open, units)
  }

  /// Goes to another match in the current version of the document.
  fileprivate func step(
    _ options: GlobalOptions, width: Int?, _ go: (inout FindSession) -> TextRange?
  ) async throws {
    guard var find = selection.find else {
      throw UserError(
        .usage, "no search yet",
        hint: terminal.isInteractive
          ? "start one with \(command: "find", "QUERY")"
          : "this works in the line editor: \(typed: "repl")")
    }
    let open = try await self.open(find.name, options)
    if open.report?.change != .unchanged {
      let fresh = try await self.find(
        find.session.query, strategy: find.session.strategy, in: open, within: nil, options)
      find.session.replaceMatches(fresh.matches)
    }
    let match = go(&find.session)
    selection.find = find
    select(find.session, in: open)
    try answer(options, json: FindRecord.line(find.session, in: open)) {
      try draw(find.session, in: open, width: width, try libraries.settings(options))
    }
    if match == nil { throw ExitCode(1) }
  }

  /// Prints the paragraphs around the current match, with all matches marked.
  func draw(
    _ found: FindSession, in open: OpenDocument, width asked: Int?, _ settings: Settings
  ) throws {
    let wrapped = found.hasWrapped ? " (wrapped)" : ""
    terminal.output.line("\(found.position)\(wrapped)")
    guard let match = found.match else { return }
    write(
      Page(
        document: open.parsed, overlays: open.overlays, format: open.format,
        decorations: found.decorations(in: match),
        options: try terminal.pageOptions(width: asked, settings, around: match),
        lexers: libraries.plugins.lexers.all))
  }
}
