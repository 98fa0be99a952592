import Actions
import ArgumentParser
import Console
import DaemonKit
import Interchange
import Model
import Rendering
import Scrivener
import SystemSupport
import Workspace

/// The `add` command, which adds documents to the library.
struct AddCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add Markdown files, web pages, books or word-processor documents to the library.",
    discussion: """
      Markdown files stay where they are and are not written. Of a folder, what is hidden (.name) and \
      what links lead to elsewhere is skipped; name it to add it.

      Of a web page (an address, or a file in HTML) the article becomes a Markdown file beside the \
      library, of a book each chapter in a folder of its own. A text of a word processor (RTF, DOCX, \
      ODT, attributed text in JSON) becomes one too; what Markdown cannot say of its format is kept in \
      the library. A Scrivener project becomes a folder with a list of contents, which stands for all of \
      it in list, search and export. No file is replaced.

      Examples:
        diple add essay.md notes/
        diple add https://example.org/essay
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var writing: WriteOptions
  @OptionGroup var pages: PageOptions
  @Argument(
    help: "Files, folders and addresses to add.",
    completion: .file(
      extensions: [
        "md", "markdown", "html", "htm", "xhtml", "epub", "rtf", "docx", "odt", "json",
      ]))
  var paths: [String]

  /// The number of documents up to which their count isn't printed.
  private static let listed = 5

  private struct Record: Encodable {
    var document: DocumentRecord
    var change: String
    var invalidSequences: Int
  }

  func run(in context: CommandContext) async throws {
    var files: [String] = []
    var orders: [FetchOrder] = []
    var rich: [RichFile] = []
    var projects: [ScrivenerProject] = []
    for path in paths {
      if let order = try pages.order(for: path) {
        orders.append(order)
      } else if ScrivenerProject.isProject(path) {
        projects.append(try ScrivenerProject.read(FileSystem.absolute(path)))
      } else if RichFile.isOne(FileSystem.absolute(path)) {
        rich.append(try await RichFile(reading: FileSystem.absolute(path)))
      } else {
        files.append(path)
      }
    }
    guard pages.output == nil || orders.count + rich.count + projects.count == 1 && files.isEmpty
    else {
      throw UserError(.usage, "-o is for one page, one book, one text or one project")
    }
    var fetched: [FetchedPages] = []
    for order in orders { fetched.append(try await FetchedPages(order)) }
    for warning in fetched.flatMap(\.warnings) {
      context.warn(UserError(.nothing, warning), options)
    }
    if writing.dryRun { return try await rehearse(files, fetched, rich, projects, context) }
    let library = try context.libraries.library(options, .create)
    var total = AddReport()
    for pages in fetched {
      if !self.pages.again, let known = try await library.document(of: pages) {
        total.additions.append(try await reportExisting(known, "page", library, context))
        continue
      }
      let place = try library.location.place(for: pages, at: self.pages.output)
      let report = try await library.add(pages, at: place)
      for addition in report.additions { show(addition, library.location, context) }
      total.additions += report.additions
      total.problems += report.problems
    }
    for file in rich {
      let place = try await library.place(for: file, at: self.pages.output)
      var wishes = RichOptions()
      (wishes.usesTags, wishes.failsOnLoss) = (self.pages.tags, self.pages.failOnLoss)
      let added = try await library.add(file, at: place, wishes)
      show(added.addition, library.location, context)
      show(added.formats, added.comments, added.losses, context)
      total.additions.append(added.addition)
    }
    for project in projects {
      let collection = RichCollection(project)
      if !self.pages.again, self.pages.output == nil,
        let known = try await library.contents(of: collection)
      {
        total.additions.append(try await reportExisting(known, "project", library, context))
        continue
      }
      let place = try library.location.place(for: collection, at: self.pages.output)
      let (report, formats, losses) = try await library.add(collection, at: place)
      for addition in report.additions { show(addition, library.location, context) }
      let comments = collection.items.reduce(0) { $0 + $1.comments.count }
      show(formats, comments, project.losses + losses, context)
      total.additions += report.additions
      total.problems += report.problems
    }
    if !files.isEmpty {
      let report = try await library.add(files) { batch in
        for addition in batch.additions { show(addition, library.location, context) }
        // Write the output at once. The printed documents are already stored, and a reader of the
        // output may use them.
        context.terminal.output.drain()
      }
      total.additions += report.additions
      total.problems += report.problems
    }
    for problem in total.problems { context.warn(problem, options) }
    let added = total.additions.count { $0.kind != .known }
    if added > Self.listed, !options.json {
      context.terminal.errors.line("added \(added.counted("document"))")
    }
    if let only = total.additions.first, total.additions.count == 1, context.terminal.isInteractive
    {
      context.selection.document = only.document
    }
    if let problem = total.problems.first { throw ExitCode(problem.code.exitCode) }
    if !total.additions.contains(where: { $0.kind != .known }) { throw ExitCode(1) }
  }

  /// Prints the files that would be added, and the new files for pages and projects.
  private func rehearse(
    _ files: [String], _ fetched: [FetchedPages], _ rich: [RichFile],
    _ projects: [ScrivenerProject], _ context: CommandContext
  ) async throws {
    if !fetched.isEmpty || !rich.isEmpty || !projects.isEmpty {
      let location = try context.libraries.location(options)
      for project in projects {
        let path = try location.place(for: RichCollection(project), at: self.pages.output)
        context.answer(
          options, "diple.file/1", ["path": path],
          plain: "\(writing.verb(.add)) \(path.sanitizedForTerminal)  \(project.title.shortened)")
      }
      for file in rich {
        let path = try location.place(for: file, at: self.pages.output)
        context.answer(
          options, "diple.file/1", ["path": path],
          plain: "\(writing.verb(.add)) \(path.sanitizedForTerminal)  \(file.title.shortened)")
      }
      for pages in fetched {
        let place = try location.place(for: pages, at: self.pages.output)
        for (path, title) in pages.files(at: place) {
          context.answer(
            options, "diple.file/1", ["path": path],
            plain: "\(writing.verb(.add)) \(path.sanitizedForTerminal)  \(title.shortened)")
        }
      }
    }
    guard !files.isEmpty else { return }
    for path in try Library.filesToAdd(files) {
      context.answer(
        options, "diple.file/1", ["path": path],
        plain: "\(writing.verb(.add)) \(path.sanitizedForTerminal)")
    }
  }

  /// Reports that the library already contains a page or project, with a hint about `--again`.
  private func reportExisting(
    _ known: Document, _ what: String, _ library: Library, _ context: CommandContext
  ) async throws -> AddResult {
    let counts = try await library.highlightCounts(of: known.id)[known.id] ?? [:]
    let result = AddResult(known: known, counts)
    show(result, library.location, context)
    if !options.json {
      context.terminal.errors.line("it is not changed; --again adds the \(what) as it is now")
    }
    return result
  }

  /// Prints on standard error which formats and comments of a word-processor document are stored in
  /// the library, and what was lost.
  private func show(
    _ formats: Int, _ comments: Int, _ losses: [String], _ context: CommandContext
  ) {
    guard !options.json else { return }
    var kept: [String] = []
    if formats > 0 { kept.append(formats.counted("formatted passage")) }
    if comments > 0 { kept.append(comments.counted("comment") + " as highlights") }
    if !kept.isEmpty {
      context.show("kept in the library: \(kept.joined(separator: ", "))")
    }
    for loss in losses { context.show("\(loss)") }
  }

  private func show(
    _ addition: AddResult, _ location: LibraryLocation, _ context: CommandContext
  ) {
    let document = addition.document
    context.answer(
      options, "diple.addition/1",
      Record(
        document: DocumentRecord(document, counts: addition.counts, in: location),
        change: addition.kind.rawValue,
        invalidSequences: addition.invalidSequences)
    ) {
      let word = addition.kind == .known ? "already in the library:" : addition.kind.rawValue
      context.terminal.output.line(
        "\(word) \(document.path.string.sanitizedForTerminal)  \(document.title.shortened)")
      if addition.invalidSequences > 0 {
        context.terminal.errors.line(
          "\(document.path.string.sanitizedForTerminal): "
            + "\(addition.invalidSequences.counted("place")) not in UTF-8, shown as \u{FFFD}; the file is not changed"
        )
      }
    }
  }
}

extension RichCollection {
  /// Creates a collection from a Scrivener project. Its folders become headings of the table of
  /// contents.
  fileprivate init(_ project: ScrivenerProject) {
    self.init(
      title: project.title,
      items: project.items.map { item in
        let hasText = item.conversion != nil || item.synopsis != nil
        return Item(
          file: item.file, title: item.title, level: item.level,
          source: hasText ? item.source : nil, conversion: item.conversion, images: item.images,
          comments: item.comments.map { ($0.range, $0.text) }, note: item.notes)
      })
  }
}
