import Actions
import ArgumentParser
import Console
import DaemonKit
import Model
import Rendering
import SystemSupport
import Workspace

/// The `add` command, which adds documents to the library.
struct AddCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add Markdown files, web pages, books or word-processor documents to the library.",
    discussion: """
      Markdown files are added where they are, and are never changed. In a folder, hidden files \
      (.name) and links to files outside the folder are skipped; to add one, name it.

      The article of a web page (an address or an HTML file) becomes a Markdown file beside the \
      library; a book becomes a folder with a file for each chapter. A word-processor document \
      (RTF, DOCX, ODT, attributed JSON) becomes a Markdown file, and formats that Markdown does \
      not have are stored in the library. A Scrivener project becomes a folder; its list of \
      contents represents the whole project in list, search and export. Existing files are never \
      replaced.

      With - or --clipboard, text becomes a new Markdown file beside the library. Its name is its \
      title: --title, the title that it has, or its first words.

      Examples:
        diple add essay.md notes/ https://example.org/essay
        diple add --clipboard --title 'A letter'
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var writing: WriteOptions
  @OptionGroup var pages: FetchOptions
  @Argument(
    help: "Files, folders and addresses to add; - is text from standard input.",
    completion: .file(
      extensions: [
        "md", "markdown", "html", "htm", "xhtml", "epub", "rtf", "docx", "odt", "json",
      ]))
  var paths: [String] = []
  @Flag(help: "Add the text of the clipboard (wl-paste, xclip or xsel).") var clipboard = false
  @Option(help: "Title of the text of - or --clipboard; becomes its heading.") var title: String?

  func validate() throws {
    if paths.isEmpty, !clipboard {
      throw ValidationError("name a file, folder or address, or - for text from standard input")
    }
    if paths.count(where: { $0 == "-" }) + (clipboard ? 1 : 0) > 1 {
      throw ValidationError("add one text at a time: - or --clipboard")
    }
    if title != nil, !clipboard, !paths.contains("-") {
      throw ValidationError("--title is for the text of - or --clipboard")
    }
  }

  /// Returns the text of the clipboard or of standard input; nil if none is wanted.
  private func text(_ context: CommandContext) async throws -> String? {
    guard clipboard || paths.contains("-") else { return nil }
    let bytes =
      clipboard
      ? try await Clipboard.paste(in: context.terminal.environment)
      : try context.content(of: "-", limit: AddDocuments.textLimit)
    guard let text = String(validating: bytes, as: UTF8.self), !text.contains("\0") else {
      throw UserError(
        .usage, "\(clipboard ? "the clipboard" : "the input") is not text in UTF-8",
        hint: "convert it first, or save it as a file and add the file")
    }
    return text
  }

  func run(in context: CommandContext) async throws {
    let request = pages.request(
      paths.filter { $0 != "-" }, text: try await text(context), title: title)
    try await AddedDocuments(options: options, writing: writing).add(request, context)
  }
}

/// Adds documents for a command, and prints them.
struct AddedDocuments {
  var options: GlobalOptions
  var writing: WriteOptions

  /// The number of added documents above which their count is printed, too.
  private static let listed = 5

  /// Performs a request.
  ///
  /// - Throws: the error of the request; `ExitCode` for the first document that could not be added,
  ///   and if no document is new.
  func add(_ request: AddDocuments, _ context: CommandContext) async throws {
    let order = try await request.read()
    for warning in order.warnings { context.warn(UserError(.nothing, warning), options) }
    if writing.dryRun {
      let (planned, problems) = try order.files(at: context.libraries.location(options))
      for (path, title) in planned {
        context.answer(
          options, "diple.file/1", ["path": path],
          plain: "\(writing.verb(.add)) \(FileSystem.shown(path).sanitizedForTerminal)"
            + (title.map { "  \($0.shortened)" } ?? ""))
      }
      for problem in problems { context.warn(problem, options) }
      if let problem = problems.first { throw ExitCode(problem.code.exitCode) }
      return
    }
    let library = try context.libraries.library(options, AddDocuments.opening)
    let outcome = try await order.add(in: library) { show($0, library.location, context) }
    for problem in outcome.problems { context.warn(problem, options) }
    let added = outcome.additions.count { $0.kind != .known }
    if added > Self.listed, !options.json {
      context.terminal.errors.line("added \(added.counted("document"))")
    }
    if let only = outcome.additions.first, outcome.additions.count == 1,
      context.terminal.isInteractive
    {
      context.selection.document = only.document
    }
    if let problem = outcome.problems.first { throw ExitCode(problem.code.exitCode) }
    if added == 0 { throw ExitCode(1) }
  }

  private func show(
    _ event: AddDocuments.Event, _ location: LibraryLocation, _ context: CommandContext
  ) {
    switch event {
    case .added(let addition): show(addition, location, context)
    case .kept(let addition, let kind):
      show(addition, location, context)
      if !options.json {
        context.terminal.errors.line("the \(kind) is not changed; --again adds a second copy of it")
      }
    case .importable(let path, let format):
      guard !options.json else { return }
      context.show(
        """
        \(path) has highlights (\(format)); \(command: "import", .word(path)) imports them into \
        their documents
        """)
    case .converted(let formats, let highlights, let notes, let losses):
      guard !options.json else { return }
      var kept: [String] = []
      if formats > 0 { kept.append(formats.counted("formatted passage")) }
      if highlights > 0 {
        let withNotes = notes == 1 ? " (1 with a note)" : notes > 1 ? " (\(notes) with notes)" : ""
        kept.append(highlights.counted("highlight") + withNotes)
      }
      if !kept.isEmpty { context.show("kept in the library: \(kept.joined(separator: ", "))") }
      for loss in losses { context.show("\(loss)") }
    case .quotesMoved(let count):
      guard !options.json else { return }
      context.show(
        """
        moved \(count.counted("imported quote")) to the added text; \
        \(action: "highlight.review", [:]) lists their places
        """)
    case .stored:
      // A program that reads the output may use the printed documents immediately.
      context.terminal.output.drain()
    }
  }

  private func show(
    _ addition: AddResult, _ location: LibraryLocation, _ context: CommandContext
  ) {
    let document = addition.document
    context.answer(options, "diple.addition/1", AdditionRecord(addition, in: location)) {
      let word = addition.kind == .known ? "already in the library:" : addition.kind.rawValue
      let link = addition.link.map { "\(context.shown($0)) is a link to " } ?? ""
      context.terminal.output.line(
        "\(word) \(link)\(context.shown(document.path))  \(document.title.shortened)")
      if addition.invalidSequences > 0 {
        context.terminal.errors.line(
          "\(context.shown(document.path)): "
            + """
            \(addition.invalidSequences.counted("place")) not in UTF-8, shown as \u{FFFD}; the \
            file is not changed
            """
        )
      }
    }
  }
}
