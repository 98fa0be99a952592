import Actions
import ArgumentParser
import Console
import DaemonKit
import Files
import Model
import Rendering
import Search
import SystemSupport
import Workspace

/// The `search` command, which searches the library.
struct SearchCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "search",
    abstract: "Search the documents of the library.",
    discussion: """
      Words after the first are the documents and folders to search if all of them exist; \
      otherwise all words are one query. With --color, --tag, --state or --since only text in such \
      highlights is searched. With --json each match is an object on its own line, printed as soon \
      as it is found; without a match the output is empty and the exit code is 1.

      Examples:
        diple search fox
        diple search --strategy regex 'fox(es)?' essay.md
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var search: SearchOptions
  @OptionGroup var result: ResultOptions
  @Argument(
    help: ArgumentHelp(
      "QUERY [DOC ...]; the text or pattern, and where to search: everywhere when omitted.",
      valueName: "query"),
    completion: .values(.none, .document))
  var words: [String]

  func validate() throws {
    if words.isEmpty { throw ValidationError("Missing expected argument '<query>'") }
  }

  func run(in context: CommandContext) async throws {
    let library = try context.libraries.library(options, .readOnlyOrEmpty)
    let (query, docs) = try await queryAndDocuments(in: library, context)
    let documents = try await context.documents(docs, in: library)
    try await context.search(
      try await search.request(query, in: documents, of: library, context), in: library, result,
      options)
  }

  /// Splits the words `QUERY [DOC ...]`. If no word is a document, all words are part of the query.
  private func queryAndDocuments(in library: Library, _ context: CommandContext) async throws
    -> (String, [String])
  {
    let docs = Array(words.dropFirst())
    for doc in docs {
      // A word that looks like a path is treated as one. A missing file is reported later.
      let isPath = doc.contains("/") || FolderScan.isMarkdown(doc)
      let isNamed = try await context.isWholeName(doc, in: library)
      if isPath || isNamed { return (words[0], docs) }
    }
    return (words.joined(separator: " "), [])
  }
}

extension CommandContext {
  /// Runs a search and prints each document's matches immediately.
  func search(
    _ search: SearchLibrary, in library: Library, _ result: ResultOptions, _ options: GlobalOptions
  ) async throws {
    var request = try search.saved().request()
    result.complete(&request)
    request.filesAreSettled = request.checksFiles && libraries.filesAreSettled(library, options)
    terminal.output.presents(.list)
    let printer = SearchPrinter(
      context: self, options, result.lines, limit: result.limit ?? .max)
    let progress = ProgressLine(on: terminal)
    printer.progress = progress
    defer { progress?.end() }
    var show: (@Sendable (Int, Int) -> Void)?
    if let progress {
      show = { count, total in
        progress.show("searched \(count) of \(total.counted("document"))")
      }
    }
    let outcome = try await library.search(request, writing: printer.formatter, progress: show) {
      printer.take($0)
    }
    progress?.end()
    printer.reportMissing()
    switch outcome {
    case .complete: break
    case .cancelled where printer.count >= printer.limit: break
    case .cancelled: throw ExitCode(130)
    case .timedOut:
      throw UserError(.nothing, "timed out; there may be more matches")
    case .failed(let cause): throw UserError(.plugin, cause)
    }
    if printer.count == 0, printer.unread > 0 {
      // The result is uncertain, because some documents couldn't be read.
      throw UserError(
        .notFound,
        "no match for '\(search.query)'; "
          + "\(printer.unread.counted("document")) could not be read")
    }
    if printer.count == 0 {
      throw nothing(
        try await library.hasDocuments() ? search.noMatch : .noDocuments,
        in: library, options, isStream: true)
    }
  }
}

extension SearchLibrary {
  /// The message for no match. Several words that were searched as one phrase are suggested as words
  /// in any order.
  fileprivate var noMatch: Hint {
    guard strategy ?? "literal" == "literal", query.split(separator: " ").count > 1 else {
      return "no match for '\(query)'"
    }
    return """
      no match for '\(query)' as a phrase; \
      \(command: "search", "--strategy", "words", .word(query)) finds the words in any order
      """
  }
}

/// Prints the results of a search.
final class SearchPrinter: @unchecked Sendable {
  // Confined: a single search calls it, one event after the other.

  private let context: CommandContext
  private let writer: ListWriter
  /// Formats matches as JSON or as plain lines; nil if they are printed on a terminal or shown by a
  /// front-end.
  let formatter: (any MatchFormatter)?
  let limit: Int
  /// The line that shows how far a long search is.
  var progress: ProgressLine?
  /// The number of printed matches.
  private(set) var count = 0
  /// The number of documents that couldn't be read.
  private(set) var unread = 0
  /// The documents whose files are missing.
  private var missing: [Document] = []
  /// A buffer for the line of a match.
  private var lines: [UInt8] = []
  private let clock = ContinuousClock()
  private var flushed: ContinuousClock.Instant

  init(context: CommandContext, _ options: GlobalOptions, _ drawing: ListOptions, limit: Int) {
    (self.context, self.limit) = (context, limit)
    writer = context.listWriter(options, drawing)
    formatter =
      options.json
      ? MatchRecordFormatter()
      : writer.width == nil && !writer.isCollecting ? MatchLineFormatter(paths: writer.paths) : nil
    flushed = clock.now - .seconds(1)
  }

  /// The maximum number of missing files that are named.
  private static let mostNamed = 3

  /// Prints a line about the missing files, if there are any.
  func reportMissing() {
    guard let first = missing.first else { return }
    let names = missing.prefix(Self.mostNamed).map { writer.paths.name($0.path) }
    let more = missing.count - names.count
    let record = Remedy.Member.record(first.id.description, name: writer.paths.name(first.path))
    let hint: Hint = """
      \(action: "document.link", ["document": record, "path": .asked("path")]) or \
      \(action: "document.remove", ["document": record])
      """
    let line =
      missing.count == 1
      ? "\(names[0]) is missing; searched as last seen; "
        + hint.text(in: context.terminal.typing)
      : "\(missing.count.counted("file")) are missing; searched as last seen: "
        + names.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    context.terminal.output.drain()
    context.terminal.errors.line(line.sanitizedForTerminal)
    context.terminal.errors.flush()
  }

  /// Handles an event. Returns false to end the search.
  func take(_ event: SearchEvent) -> Bool {
    switch event {
    case .report(let report):
      if report.isMissing {
        missing.append(report.document)
        break
      }
      if report.isUnread { unread += 1 }
      removingProgress { context.notify([report]) }
    case .written(let bytes, let matches):
      // Each match is one line.
      let lines = matches <= limit - count ? bytes[...] : bytes.firstLines(limit - count)
      count += min(matches, limit - count)
      context.terminal.output.write(lines)
    case .found(let result):
      let matches = result.matches.prefix(limit - count)
      count += matches.count
      let path = writer.paths.text(result.document.path)
      for match in matches {
        if formatter is MatchRecordFormatter {
          context.terminal.output.line(MatchRecord(match, in: result.document).json)
        } else if formatter == nil {
          writer.write(match, path, in: result.document.id)
        } else {
          lines.removeAll(keepingCapacity: true)
          match.appendLine(path, to: &lines)
          context.terminal.output.write(lines)
        }
      }
    }
    // Show matches soon, but without a system call for each document.
    if clock.now - flushed > .milliseconds(20) {
      removingProgress { context.terminal.output.drain() }
      flushed = clock.now
    }
    return count < limit
  }

  private func removingProgress(_ write: () -> Void) {
    if let progress { progress.removing(while: write) } else { write() }
  }
}

extension [UInt8] {
  /// Returns the first lines, including their line feeds.
  fileprivate func firstLines(_ count: Int) -> ArraySlice<UInt8> {
    var (end, lines) = (startIndex, 0)
    while lines < count, let feed = self[end...].firstIndex(of: 10) {
      (end, lines) = (feed + 1, lines + 1)
    }
    return self[..<end]
  }
}
