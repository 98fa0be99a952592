import ArgumentParser
import Console
import DaemonKit
import Editing
import Model
import Rendering
import Search
import SystemSupport
import Workspace

/// `replace`: puts other words in place of those that a search finds.
struct ReplaceCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "replace", abstract: "Replace words, in the files.",
    discussion: """
      Without --all or --match the words have to be there once. The rendered text is searched, and \
      a match is left alone where replacing it would break the markup. With --regex, $1 and ${name} \
      in WITH stand for what the groups matched, and \\U, \\L, \\u, \\l and \\E change its case. All \
      files are written as one step, which `undo` takes back; --dry-run shows the change as a \
      unified diff.
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var writing: WriteOptions
  @Flag(help: "Every match.") var all = false
  @Option(help: "Only the match with this number.") var match: Int?
  @Flag(help: "Only whole words.") var word = false
  @Flag(help: "Upper and lower case are not the same.") var caseSensitive = false
  @Flag(help: "Write the new words in capitals where the old ones are.") var preserveCase = false
  @Option(help: "How to search; `strategies` lists the ways.") var strategy = "literal"
  @Flag(help: "The same as --strategy regex.") var regex = false
  @Flag(help: "Search the files as they are written, with their markup.") var source = false
  @Option(name: .customLong("in"), help: "Only in this passage: a SPEC, as for `mark`.")
  var passage: String?
  @Flag(help: "In all documents of the library.") var everywhere = false
  @Flag(name: .shortAndLong, help: "Do not ask.") var yes = false
  @Argument(help: "[DOC …] QUERY WITH; DOC may be left out in the REPL.") var words: [String]

  func validate() throws {
    if all, match != nil { throw ValidationError("--all and --match exclude each other") }
    if regex, strategy != "literal" {
      throw ValidationError("--regex and --strategy exclude each other")
    }
  }

  func run(in context: CommandContext) async throws {
    let library = try context.libraries.library(options, .existing)
    guard words.count >= 2 else { return try await replaceFound(context, library) }
    let request = try request(context)
    let documents = try await documents(context, library)
    if asks(context), let only = documents?.first, documents?.count == 1,
      try await library.places(of: request, in: only).edits.count > 1
    {
      return try await replace(request, in: only, from: TextOffset(utf16: 0), context, library)
    }
    if !writing.dryRun, all, !yes {
      let plan = try await library.replace(request, in: documents, dryRun: true)
      if plan.places > 1 {
        let files = plan.changes.count
        try context.terminal.confirm(
          "Replace \(plan.places.counted("place")) in \(files.counted("file"))?", yes: yes)
      }
    }
    let report = try await library.replace(request, in: documents, dryRun: writing.dryRun)
    sayRefused(report.refused, context)
    context.say(report.changes, options, refused: report.refused)
    if report.changes.isEmpty { throw ExitCode(1) }
    if report.changes.count > 1, !options.json, !writing.dryRun {
      context.terminal.output.line(
        "\(report.places.counted("place")) in \(report.changes.count.counted("file"))")
    }
  }

  /// Whether a person is asked about each match, when there are several.
  private func asks(_ context: CommandContext) -> Bool {
    let isReader = context.terminal.isInteractive && !context.terminal.allowsPrompts
    return !all && match == nil && !writing.dryRun && !options.json && !source && !yes
      && (isReader || context.terminal.canAsk)
  }

  /// Replaces what `find` found, from the match at hand on.
  private func replaceFound(_ context: CommandContext, _ library: Library) async throws {
    guard context.terminal.isInteractive, let find = context.selection.find else {
      throw UserError(
        .usage, "this takes QUERY and WITH, and got one word",
        hint: context.terminal.isInteractive ? "`find QUERY` first, then `replace WITH`" : nil)
    }
    let document = try await context.document(find.name, in: library)
    var request = ReplaceRequest(find.session.query, with: words[0])
    request.strategy = find.session.strategy
    request.preservesCase = preserveCase
    request.passage = try passage.map { try context.selectionSpec($0) }
    let place = find.session.match?.lowerBound ?? TextOffset(utf16: 0)
    if asks(context) {
      return try await replace(request, in: document, from: place, context, library)
    }
    guard all || match != nil else {
      throw UserError(.usage, "nobody can be asked here", hint: "say which: --match N, or --all")
    }
    request.which = all ? .all : .number(match ?? 1)
    let report = try await library.replace(request, in: [document], dryRun: writing.dryRun)
    context.say(report.changes, options, refused: report.refused)
    if report.changes.isEmpty { throw ExitCode(1) }
  }

  /// Asks about one match after the other; a reader does so itself, with its keys.
  private func replace(
    _ request: ReplaceRequest, in document: Document, from place: TextOffset,
    _ context: CommandContext, _ library: Library
  ) async throws {
    var session = ReplaceSession(request, in: document, from: place)
    var proposal = try await session.advance(in: library)
    guard proposal != nil else {
      throw UserError(.nothing, "'\(request.query.text)' is nowhere from here on")
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
      context.draw(found, in: shown.open, width: nil, settings)
      let answer = try context.terminal.ask(shown.question)
      let report = try await session.take(answer, in: library)
      sayRefused(report?.refused ?? [], context)
      if answer == .quit || answer == .all { break }
      proposal = try await session.advance(in: library)
    }
    context.terminal.output.line(session.summary)
    if session.replaced == 0 { throw ExitCode(1) }
  }

  private func sayRefused(_ refused: [ReplaceReport.Refusal], _ context: CommandContext) {
    for refusal in refused {
      context.terminal.errors.line(
        "left alone: \(refusal.document.path.string.sanitizedForTerminal):\(refusal.position.line):"
          + "\(refusal.position.column): “\(refusal.words.shortened)”; it would break the markup")
    }
  }

  private func request(_ context: CommandContext) throws -> ReplaceRequest {
    let query: SearchQuery
    do {
      query = try SearchQuery(
        words[words.count - 2], ignoresCase: caseSensitive ? false : nil, wholeWords: word)
    } catch { throw UserError(.usage, error.description) }
    var request = ReplaceRequest(query, with: words[words.count - 1])
    request.strategy = regex ? "regex" : strategy
    request.which = all ? .all : match.map { .number($0) } ?? .only
    request.text = source ? .source : .rendered
    request.preservesCase = preserveCase
    request.passage = try passage.map { try context.selectionSpec($0) }
    return request
  }

  /// The documents that are named; nil for all of them.
  private func documents(_ context: CommandContext, _ library: Library) async throws -> [Document]?
  {
    let names = words.dropLast(2)
    guard !everywhere else {
      guard names.isEmpty else {
        throw UserError(.usage, "with --everywhere no document is named")
      }
      return nil
    }
    guard !names.isEmpty else { return [try await context.document(nil, in: library)] }
    var documents: [Document] = []
    for name in names {
      let document = try await context.document(name, in: library)
      if !documents.contains(where: { $0.id == document.id }) { documents.append(document) }
    }
    return documents
  }
}
