import Actions
import ArgumentParser
import Console
import DaemonKit
import Files
import Interchange
import LibraryExchange
import LibrarySync
import Model
import Rendering
import SystemSupport
import Workspace

/// The `export` command, which writes highlights or documents in another format.
struct ExportCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Export highlights in another format.",
    discussion: """
      With --everything, the whole library is written as lines of JSON: documents and their texts, \
      highlights, history, queries and settings. `diple import` restores an identical library \
      from it.

      rtf, docx, odt, pdf, epub and attributed-json export whole documents with their formatting. \
      Several documents are joined, in order, into one file. Highlights are shaded, with their \
      notes and tags as comments; --no-highlights omits them. docx, odt and pdf need LibreOffice, \
      epub needs pandoc.

      With --update, the Markdown is written to marked regions of the file. Later exports update \
      these regions and leave the rest of the file unchanged.

      Examples:
        diple export essay.md --to html --links -o essay.html
        diple export essay.md --template note.md --update -o notes/essay.md
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var filter: FilterOptions
  @OptionGroup var words: FilterWords
  @Option(
    help: .strategy("Format", \.exporters, and: RichForm.allCases.map(\.rawValue)),
    completion: .values(.exporter))
  var to = "markdown"
  @Option(name: .shortAndLong, help: "Output file; - is standard output.", completion: .file())
  var output = "-"
  @Flag(help: "Replace the output file if it exists.") var force = false
  @Option(
    help: "Template for Markdown (see Documentation/exporting.md).",
    completion: .file())
  var template: String?
  @Flag(help: "Update Diple's regions of the output file, and keep the rest.") var update = false
  @Flag(help: "Remove highlights from the file that are no longer in the library.") var prune =
    false
  @Flag(help: "Add a link to each highlight, which `diple goto` opens.")
  var links = false
  @Flag(help: "Write nothing, and end with exit code 10, if the format omits something.")
  var failOnLoss = false
  @Flag(help: "Print what the format omits.") var verbose = false
  @Flag(help: "Export only the text, for word processors and books.") var noHighlights = false
  @Flag(help: "Export the whole library, as lines of JSON.") var everything = false
  @Argument(
    help: "Documents or folders; all when omitted.", completion: .values(.document))
  var docs: [String] = []

  typealias Record = ExportHighlights.Outcome.Record

  func run(in context: CommandContext) async throws {
    if everything { return try await exportEverything(context) }
    if let form = RichForm(rawValue: to) { return try await export(as: form, context) }
    if noHighlights {
      throw UserError(
        .usage, "--no-highlights is for whole documents, and \(to) exports highlights",
        hint: "choose --to \(RichForm.allCases.map(\.rawValue).joined(separator: "|"))")
    }
    do { _ = try context.libraries.plugins.exporters.strategy(to) } catch {
      var problem = error
      problem.known += RichForm.allCases.map(\.rawValue)
      throw UserError(.usage, problem.description)
    }
    try requireManageable()
    let template = try readTemplate(context)
    let isManaged = try isManaged()
    let library = try context.libraries.library(options, .readOnlyOrEmpty)
    let documents = try await context.documents(docs, in: library)
    try await context.refresh(library, documents, options)
    var list = try await filter.request(documents, of: library, context)
    list.filter = words.filter
    let highlightFilter = try await list.selected(in: library)
    let isFile = output != "-"
    // Only the message about a file needs the number of all highlights.
    let count = try await library.gatherHighlights(highlightFilter, into: 0) { count, _, found in
      count += found.count
      return isFile || count == 0
    }
    // If the format includes the text, documents without highlights are exported, too.
    let hasTexts = documents?.isEmpty == false && writesTexts(context)
    let isEmpty = count == 0 && !hasTexts
    let omissions = template?.omissions ?? omissions(context)
    if failOnLoss {
      try await ExportHighlights.requireNoLoss(highlightFilter, omissions, to, in: library)
    }
    var exportOptions = try await exportOptions(library, context)
    exportOptions.template = template
    if isEmpty, isFile { throw context.nothing("no highlight matches", in: library, options) }
    if isManaged {
      try await updateFile(
        highlightFilter, template ?? .standard, in: library, exportOptions, context)
      return reportOmissions(omissions, context)
    }
    // A terminal receives the text without control characters, a pipe receives it unchanged.
    if !isFile, !options.json, !context.terminal.output.isTerminal {
      _ = try await library.export(
        highlightFilter, as: to, to: context.terminal.output, exportOptions)
      if isEmpty { throw context.nothing("no highlight matches", in: library, options) }
      return reportOmissions(omissions, context)
    }
    let text = try await library.export(highlightFilter, as: to, to: "", exportOptions)
    if isFile {
      try await context.write(Array(text.utf8), toFile: output, force: force, options)
    }
    context.answer(
      options, "diple.export/1",
      Record(
        form: to, output: isFile ? output : nil,
        text: isFile ? nil : text)
    ) {
      if isFile {
        showFile(of: count.counted("highlight"), context)
      } else {
        context.terminal.writeData(text)
      }
    }
    if isEmpty { throw context.nothing("no highlight matches", in: library, options) }
    if isFile { reportOmissions(omissions, context) }
  }

  /// Prints a notice that the output file was written.
  func showFile(of content: String, _ context: CommandContext) {
    context.show("wrote \(output) (\(content))")
  }

  /// Prints a notice about the parts that the format can't represent, with `--verbose`.
  private func reportOmissions(_ omissions: [RecordPart], _ context: CommandContext) {
    guard verbose, !omissions.isEmpty else { return }
    context.show("\(to) omits \(omissions.map(\.rawValue).joined(separator: ", "))")
  }

  /// Returns whether the format includes the documents' texts.
  private func writesTexts(_ context: CommandContext) -> Bool {
    (try? context.libraries.plugins.exporters.strategy(to)) is any DocumentExporter
  }

  private func omissions(_ context: CommandContext) -> [RecordPart] {
    (try? context.libraries.plugins.exporters.strategy(to)).map { type(of: $0).omissions } ?? []
  }

  mutating func validate() throws {
    if to == "md" { to = "markdown" }
    if everything,
      !docs.isEmpty || to != "markdown" || !filter.isEmpty || words.filter != nil || links
        || template != nil || update || prune
    {
      throw ValidationError(
        "--everything cannot be combined with documents, filters, --to, --links, --template, "
          + "--update or --prune")
    }
  }

  /// Exports the whole library. Standard output receives each line immediately. A file is only
  /// created at its path after all lines have been written.
  private func exportEverything(_ context: CommandContext) async throws {
    let library = try context.libraries.library(options, .readOnly)
    guard output != "-" else {
      if options.json {
        throw UserError(
          .usage, "--everything is JSON already", hint: "omit --json, or write to a file: -o FILE")
      }
      let lines = context.terminal.output
      try library.location.exportEverything { lines.line($0) }
      return try await requireSound(library)
    }
    try await library.requireForeign(output)
    var count = 0
    try OutputFile.write(to: output, replacing: force) { write in
      try library.location.exportEverything { line in
        try write(Array(line.utf8) + [UInt8(ascii: "\n")])
        count += 1
      }
    }
    context.answer(
      options, "diple.export/1", Record(form: "everything", output: output, text: nil)
    ) { showFile(of: count.counted("line"), context) }
    try await requireSound(library)
  }

  /// Checks that the exported library has no integrity errors. It is called after the export,
  /// because the export may be the best copy that exists. An export with errors can't be imported.
  ///
  /// - Throws: ``UserError`` with the code `damaged` if there are integrity errors.
  private func requireSound(_ library: Library) async throws {
    let problems = try await library.integrityProblems()
    guard let first = problems.first else { return }
    throw UserError(
      .damaged,
      "the export was written, but the library has integrity errors, so it cannot be imported: "
        + "\(first)",
      hint:
        "\(command: "doctor") lists them; \(command: "doctor", "--repair") saves readable data"
    )
  }
}
