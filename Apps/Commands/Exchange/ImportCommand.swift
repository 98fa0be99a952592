import Actions
import ArgumentParser
import Console
import DaemonKit
import FoundationEssentials
import Glibc
import LibraryExchange
import Model
import Rendering
import SystemSupport
import Workspace

/// The `import` command, which imports highlights from other programs.
struct ImportCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import highlights from another program.",
    discussion: """
      Each highlight is matched in the current text of its document: the document that it names, \
      one with the same title, or the only one that contains the quote. A highlight without a \
      match is imported as orphaned, with its quote. Quotes of a text that is not in the library \
      are written to Quotes/TITLE.md. Importing the same source again applies its changes.

      The file of `diple export --everything` is recognised and restores an identical library, if \
      there is none yet or it is empty.

      A picture of a page (PNG, JPEG, TIFF, WebP) is read by text recognition. Its words become a \
      quote, and the picture is stored beside it. --words selects a part.

      Examples:
        diple import "My Clippings.txt"
        diple import photo.jpg --words "honest..states"
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var writing: WriteOptions
  @Option(
    name: .customLong("from"),
    help: .strategy("Format; detected when omitted", \.importers),
    completion: .values(.importer))
  var format: String?
  @Option(
    name: .customLong("doc"),
    help: "Document that contains all highlights; otherwise, each highlight names its document.",
    completion: .values(.document))
  var doc: String?
  @Option(
    help: ArgumentHelp(
      "First and last word of the quote in a picture, or their numbers: 4..12.",
      valueName: "first..last"))
  var words: String?
  @Option(help: "Languages of the text in a picture, such as eng+deu.") var lang: String?
  @Flag(name: .customLong("list-words"), help: "List a picture's words with their numbers.")
  var listsWords = false
  @Flag(help: "Print every highlight and every skipped entry.") var verbose = false
  @Flag(help: "Read the clipboard (wl-paste, xclip or xsel).") var clipboard = false
  @Argument(help: "Files; - is standard input.", completion: .file()) var files: [String] = []

  func validate() throws {
    if files.isEmpty, !clipboard { throw ValidationError("name a file, or - for standard input") }
  }

  /// Returns the library. The first import creates it, after its contents were recognised.
  private func library(for request: ImportHighlights, in context: CommandContext) async throws
    -> Library
  {
    guard try !context.libraries.location(options).exists, !writing.dryRun, doc == nil else {
      return try context.libraries.library(options, .existing)
    }
    let empty = try context.libraries.library(options, .readOnlyOrEmpty)
    if let content = request.contents.first, request.contents.count == 1 {
      try await empty.checkImport(content.data, at: content.path, from: request.from)
    }
    return try context.libraries.library(options, .create)
  }

  func run(in context: CommandContext) async throws {
    if files.count == 1, files[0] != "-", Self.isWholeLibrary(files[0]) {
      return try importEverything(files[0], context)
    }
    let pictures = files.filter { ScannedPicture.isPicture($0) }
    if !pictures.isEmpty {
      guard pictures.count == files.count, format == nil, !clipboard else {
        throw UserError(
          .usage,
          "pictures cannot be imported together with other files, or with --from or --clipboard")
      }
      return try await importPictures(pictures, context)
    }
    if format == nil,
      let file = files.first(where: {
        Self.hasName($0) && ScannedPicture.isNamedAsPicture($0) && Library.isFile($0)
      })
    {
      throw UserError(
        .usage, "cannot read the picture \(file): it is damaged or not PNG, JPEG, TIFF or WebP")
    }
    guard words == nil, lang == nil, !listsWords else {
      throw UserError(.usage, "--words, --lang and --list-words are only for pictures of pages")
    }
    var request = ImportHighlights(from: format, dryRun: writing.dryRun)
    request.contents = try files.map {
      ImportHighlights.Content(
        path: Self.hasName($0) ? $0 : "",
        data: try context.content(of: $0, limit: ImportHighlights.sizeLimit))
    }
    if clipboard {
      let copied = try await Clipboard.paste(in: context.terminal.environment)
      request.contents.append(ImportHighlights.Content(data: copied))
    }
    if format == nil, try await addsProse(&request, context) { return }
    let library = try await library(for: request, in: context)
    if let doc {
      request.document = try await context.document(doc, in: library, toChange: true).id
    }
    try finish(try await context.perform(request, options).report, context)
  }

  /// If the only content is prose without a file name, asks whether it is a text to read or quotes.
  /// A text is added to the library; for quotes, the request gets their format.
  ///
  /// - Returns: whether the text was added, so that nothing remains to be imported.
  /// - Throws: `UserError` with both commands if the user cannot be asked.
  private func addsProse(
    _ request: inout ImportHighlights, _ context: CommandContext
  ) async throws -> Bool {
    guard request.contents.count == 1, request.contents[0].path.isEmpty,
      try context.libraries.library(options, .readOnlyOrEmpty).isProse(request.contents[0].data)
    else { return false }
    let source = clipboard ? "--clipboard" : "-"
    guard doc == nil, context.terminal.canPrompt else {
      let quotes: [Hint.Word] = ["import", "--from", "text", .word(source)]
      throw UserError(
        .usage,
        (clipboard ? "the clipboard" : "the input")
          + " is plain text, which may be a text to read or quotes",
        hint: doc == nil
          ? """
          \(command: "add", .word(source)) adds it as a text to read; \
          \(command: quotes) imports each paragraph as a quote
          """
          : "--from text imports each paragraph as a quote of the document")
    }
    switch try context.terminal.choose(
      "Is this a text to read, or quotes?", ["t": "text", "q": "quotes"])
    {
    case "t":
      try await AddedDocuments(options: options, writing: writing).add(
        AddDocuments(
          paths: [], text: String(decoding: request.contents[0].data, as: UTF8.self)), context)
      return true
    case "q":
      request.from = "text"
      return false
    default: throw UserError(.nothing, "nothing was imported")
    }
  }

  /// Prints the result.
  ///
  /// - Throws: `ExitCode` for the unconfirmed write or the first problem; `ExitCode(1)` if there is
  ///   no problem but nothing was imported or updated.
  func finish(_ total: ImportReport, _ context: CommandContext) throws {
    show(total, context)
    if let problem = total.unconfirmed ?? total.problems.first {
      throw ExitCode(problem.code.exitCode)
    }
    if total.made.isEmpty, total.updated.isEmpty, total.notes.isEmpty { throw ExitCode(1) }
  }

  /// Returns whether an argument is the name of a file, not standard input or a descriptor.
  private static func hasName(_ file: String) -> Bool {
    file != "-" && !["/dev/fd/", "/proc/self/fd/", "/dev/stdin"].contains(where: file.hasPrefix)
  }

  /// Returns whether a file is the export of a whole library.
  private static func isWholeLibrary(_ file: String) -> Bool {
    let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    let beginning = Array(LibraryLocation.exportBeginning.utf8)
    var bytes = [UInt8](repeating: 0, count: beginning.count)
    return pread(descriptor, &bytes, bytes.count, 0) == bytes.count && bytes == beginning
  }

  private func importEverything(_ file: String, _ context: CommandContext) throws {
    guard doc == nil, format == nil, !clipboard else {
      throw UserError(
        .usage, "\(file) is an export of a whole library",
        hint: "omit --doc, --from and --clipboard")
    }
    let location = try context.libraries.location(options)
    if !writing.dryRun { try location.requireNoDaemon() }
    context.libraries.close()
    let descriptor = open(file, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw CommandContext.unreadable(file, SystemCallError())
    }
    defer { close(descriptor) }
    let found = try location.importEverything(from: file, dryRun: writing.dryRun) {
      var buffer = [UInt8](repeating: 0, count: 1 << 18)
      while true {
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else {
          throw CommandContext.unreadable(file, SystemCallError())
        }
        return Array(buffer[..<count])
      }
    }
    context.answer(
      options, "diple.import/1",
      WholeRecord(
        folder: location.folder, documents: found.documents, highlights: found.highlights,
        operations: found.operations)
    ) {
      context.terminal.errors.line(
        "\(writing.verb(.import)) \(found.documents.counted("document")), "
          + "\(found.highlights.counted("highlight")) and "
          + found.operations.counted("operation"))
    }
  }

  /// The result of importing a whole library, a record of the schema `diple.import/1`.
  private struct WholeRecord: Encodable {
    var folder: String
    var documents: Int
    var highlights: Int
    var operations: Int
  }

  private func show(_ report: ImportReport, _ context: CommandContext) {
    if !options.json {
      for source in report.sources {
        context.terminal.errors.line(
          "\(source.format): \(source.highlights.counted("highlight")) of "
            + source.documents.counted("document")
            + (source.hasLocalDates
              ? "; its dates have no time zone, and are read as local time" : ""))
      }
    }
    for problem in report.problems { context.warn(problem, options) }
    if let unconfirmed = report.unconfirmed { context.warn(unconfirmed, options) }
    if !options.json {
      let shown = verbose ? report.skipped[...] : report.skipped.prefix(Self.shownSkipped)
      for line in shown.map({ "skipped: " + $0 }) + report.kept.map({ "kept: " + $0 }) {
        context.terminal.errors.line(line.sanitizedForTerminal)
      }
      if shown.count < report.skipped.count {
        context.terminal.errors.line(
          "skipped: \(report.skipped.count - shown.count) more; --verbose lists them")
      }
    }
    context.answer(options, json: ImportHighlights.Outcome(report).json) {
      if verbose || files.allSatisfy(ScannedPicture.isPicture) {
        let writer = context.listWriter(options)
        for (highlight, document) in report.made + report.updated {
          writer.write(highlight, document)
        }
      } else {
        for line in Self.lines(ofBooks: report, context.paths) {
          context.terminal.output.line(line)
        }
      }
      let notes = report.notes.reduce(0) { $0 + $1.count }
      let skipped = report.skipped.isEmpty ? "" : ", \(report.skipped.count) skipped"
      let unplaced = report.made.count - report.placed
      let failed = report.failed > 0 ? ", \(report.failed) failed" : ""
      context.terminal.errors.line(
        "\(writing.verb(.import)) \(report.made.count)"
          + (unplaced > 0 ? " (\(unplaced) without a place)" : "")
          + (notes > 0 ? ", \(notes.counted("note"))" : "")
          + (report.updated.isEmpty ? "" : ", updated \(report.updated.count)")
          + ", \(report.known) already present" + skipped + failed)
    }
  }

  /// The number of skipped entries that are printed without `--verbose`.
  private static let shownSkipped = 5

  /// Returns a line for each document with the number of its new and updated highlights, ordered by
  /// path: `Quotes/On signs.md  12 new (1 without a place), 1 note`.
  private static func lines(ofBooks report: ImportReport, _ paths: ShownPaths) -> [String] {
    struct Counts {
      var path: String
      var new = 0
      var unplaced = 0
      var updated = 0
      var notes = 0
    }
    var counts: [Document.ID: Counts] = [:]
    func change(_ document: Document, _ body: (inout Counts) -> Void) {
      body(&counts[document.id, default: Counts(path: paths.name(document.path))])
    }
    for (highlight, document) in report.made {
      change(document) {
        $0.new += 1
        if highlight.anchor.range == nil { $0.unplaced += 1 }
      }
    }
    for (_, document) in report.updated { change(document) { $0.updated += 1 } }
    for (document, count) in report.notes { change(document) { $0.notes += count } }
    return counts.values.sorted { $0.path < $1.path }.map { book in
      let parts = [
        book.new > 0
          ? "\(book.new) new"
            + (book.unplaced > 0 ? " (\(book.unplaced) without a place)" : "") : nil,
        book.updated > 0 ? "\(book.updated) updated" : nil,
        book.notes > 0 ? book.notes.counted("note") : nil,
      ].compactMap(\.self)
      return "\(book.path.sanitizedForTerminal)  \(parts.joined(separator: ", "))"
    }
  }
}
