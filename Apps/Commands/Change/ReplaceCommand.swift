import Actions
import ArgumentParser
import Console
import DaemonKit
import Editing
import MarkdownParse
import Model
import Rendering
import Search
import SystemSupport
import Workspace

/// The `replace` command, which replaces the matches of a query.
struct ReplaceCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "replace",
    abstract: "Replace text, in the files.",
    discussion: """
      Without --all or --match the query must match once. The rendered text is searched; a match \
      is skipped if replacing it would break the markup. WITH is plain text: characters with a \
      meaning in Markdown are escaped. With --source, the Markdown itself is searched and \
      replaced. With --regex, WITH can contain the groups $1 and ${name}, and \\U, \\L, \\u, \\l \
      and \\E to change case.

      DOC can be a folder, for all documents below it. All files are written in one step, which \
      `undo` reverts; --dry-run prints the change as a unified diff. With --everywhere, a document \
      that is missing or cannot be read is skipped and reported; the exit code is 4 if a \
      document could not be read.

      Examples:
        diple replace essay.md colour color --all --preserve-case
        diple replace --everywhere --dry-run --regex '([a-z]+)s' '$1' --all
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var writing: WriteOptions
  @Flag(help: "Replace every match.") var all = false
  @Option(help: "Replace only match N.") var match: Int?
  @OptionGroup var matching: MatchOptions
  @Flag(help: "Keep the case of the replaced text.") var preserveCase = false
  @Flag(help: "Search the source with its markup, not the rendered text.") var source = false
  @Option(
    name: .customLong("in"), help: "Only in this passage, a SPEC as for `mark`.",
    completion: .values(.spec))
  var passage: String?
  @Flag(help: "Replace in all documents of the library.") var everywhere = false
  @Flag(name: .shortAndLong, help: "Do not ask for confirmation.") var yes = false
  @Argument(
    help: ArgumentHelp(
      "[DOC ...] QUERY WITH; in the line editor DOC may be omitted.", valueName: "query"),
    completion: .values(.document))
  var words: [String]

  func validate() throws {
    if all, match != nil { throw ValidationError("--all and --match exclude each other") }
  }

  func run(in context: CommandContext) async throws {
    let library = try context.libraries.library(options, .existing)
    guard words.count >= 2 else { return try await replaceFound(context, library) }
    var action = try action(context)
    let request = try action.request()
    let documents = try await documents(context, library)
    action.documents = documents?.map(\.id)
    if asksForEach(context), let only = documents?.first, documents?.count == 1,
      case let found = try await library.places(of: request, in: only), found.edits.count > 1,
      !found.edits.changing(found.open.parsed.text).isEmpty
    {
      return try await replace(request, in: only, from: TextOffset(utf16: 0), context, library)
    }
    if !writing.dryRun, all, !yes {
      action.dryRun = true
      let plan = try await context.perform(action, options).report
      if plan.places > 1 {
        let amount =
          "\(plan.places.counted("place")) in \(plan.changes.count.counted("file"))"
        try context.terminal.confirm(
          "Replace \(amount)?", yes: yes, effect: "this would change \(amount)",
          hint: "add --yes, or list the changes with --dry-run")
      }
    }
    action.dryRun = writing.dryRun
    let report = try await context.perform(action, options).report
    for document in report.skipped {
      guard let problem = document.problem?.description(in: context.terminal.typing) else {
        continue
      }
      context.terminal.errors.line("skipped: \(problem.sanitizedForTerminal)")
    }
    reportRefused(report.refused, context)
    context.show(report, options)
    context.notify(report.linked)
    if report.changes.count > 1, !options.json, !writing.dryRun {
      context.terminal.output.line(
        "\(report.places.counted("place")) in \(report.changes.count.counted("file"))")
    }
    if report.skipped.contains(where: \.isUnread) { throw ExitCode(4) }
    if report.changes.isEmpty { throw ExitCode(1) }
  }

  /// Returns whether to ask the user about each match if there are several.
  private func asksForEach(_ context: CommandContext) -> Bool {
    return !all && match == nil && !writing.dryRun && !options.json && !source && !yes
      && (context.terminal.isReader || context.terminal.canPrompt)
  }

  /// Replaces the matches of the last `find`, starting at the current match.
  private func replaceFound(_ context: CommandContext, _ library: Library) async throws {
    guard context.terminal.isInteractive, let find = context.selection.find else {
      throw UserError(
        .usage, "expected QUERY and WITH, got one word",
        hint: context.terminal.isInteractive
          ? "\(command: "find", "QUERY") first, then \(command: "replace", "WITH")" : Self.example)
    }
    let document = try await context.document(find.name, in: library)
    var request = ReplaceRequest(find.session.query, with: words[0])
    request.strategy = find.session.strategy
    request.preservesCase = preserveCase
    request.passage = try passage.map { try context.selectionSpec($0) }
    let place = find.session.match?.lowerBound ?? TextOffset(utf16: 0)
    if asksForEach(context) {
      return try await replace(request, in: document, from: place, context, library)
    }
    guard all || match != nil else {
      throw UserError(.usage, "cannot prompt: no terminal", hint: "use --match N or --all")
    }
    request.which = all ? .all : .number(match ?? 1)
    let report = try await library.replace(request, in: [document], dryRun: writing.dryRun)
    reportRefused(report.refused, context)
    context.show(report, options)
    if report.changes.isEmpty { throw ExitCode(1) }
  }

  /// Asks about the matches one by one. In a reader it only starts the session, because the reader
  /// asks with its keys.
  private func replace(
    _ request: ReplaceRequest, in document: Document, from place: TextOffset,
    _ context: CommandContext, _ library: Library
  ) async throws {
    var session = ReplaceSession(request, in: document, from: place)
    var proposal = try await session.advance(in: library)
    guard proposal != nil else {
      throw UserError(.nothing, "no more matches for '\(request.query.text)'")
    }
    guard context.terminal.allowsPrompts else {
      context.selection.replacing = session
      return
    }
    let settings = try context.libraries.settings(options)
    while let shown = proposal {
      let found = FindSession(
        query: request.query, strategy: request.strategy, matches: shown.matches,
        from: shown.edit.range.lowerBound)
      try context.draw(found, in: shown.open, width: nil, settings)
      let answer = try context.terminal.ask(shown.question)
      let report = try await session.take(answer, in: library)
      reportRefused(report?.refused ?? [], context)
      if answer == .quit || answer == .all { break }
      proposal = try await session.advance(in: library)
    }
    context.terminal.output.line(session.summary)
    if session.replaced == 0 { throw ExitCode(1) }
  }

  private func reportRefused(_ refused: [ReplaceReport.Refusal], _ context: CommandContext) {
    for refusal in refused {
      context.terminal.errors.line(
        "skipped: \(context.shown(refusal.document.path)):\(refusal.position.line):"
          + "\(refusal.position.column): “\(refusal.words.shortened)”; \(refusal.reason)"
          + (refusal.reason.isForSource ? "; --source replaces it" : ""))
    }
  }

  /// Returns the action that the options ask for.
  private func action(_ context: CommandContext) throws -> ReplaceText {
    let search = matching.request(words[words.count - 2])
    return ReplaceText(
      query: search.query, replacement: words[words.count - 1], strategy: search.strategy,
      case: search.case, wholeWords: search.wholeWords, ignoreDiacritics: search.ignoreDiacritics,
      all: all, match: match, source: source, preserveCase: preserveCase,
      passage: try passage.map { .spec(try context.selectionSpec($0)) })
  }

  /// Returns the named documents; nil for all documents of the library.
  private func documents(_ context: CommandContext, _ library: Library) async throws -> [Document]?
  {
    let names = words.dropLast(2)
    guard !everywhere else {
      guard names.isEmpty else {
        throw UserError(.usage, "--everywhere cannot be combined with documents")
      }
      return nil
    }
    guard !names.isEmpty else {
      if context.selection.document == nil { try await requireThree(context, library) }
      return [try await context.document(nil, in: library)]
    }
    return try await context.documents(Array(names), in: library, toChange: true)
  }

  private static let example: Hint = "for example: \(typed: "replace", "essay.md", "old", "new")"

  /// Throws an error that names the missing word. Call this if there are two words instead of
  /// three.
  ///
  /// - Throws: ``UserError`` with the code `usage`, always.
  private func requireThree(_ context: CommandContext, _ library: Library) async throws {
    if try await context.isWholeName(words[0], in: library) {
      throw UserError(
        .usage,
        "expected DOC, QUERY and WITH; WITH, the text that replaces '\(words[1])', is missing",
        hint: "for example: \(typed: "replace", .word(words[0]), .word(words[1]), "new")")
    }
    throw UserError(
      .usage, "expected DOC, QUERY and WITH; DOC, the document, is missing", hint: Self.example)
  }
}
