import Actions
import ArgumentParser
import BuiltIn
import Configuration
import Console
import DaemonKit
import FoundationEssentials
import Interchange
import MarkdownParse
import Model
import Rendering
import SystemSupport
import Workspace

/// The `show` command, which renders a document with its highlights.
struct ShowCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Print a document with its highlights.",
    discussion: """
      Long pages go through the pager. Files that are in no library can be shown too.

      Examples:
        diple show --source essay.md
        diple show essay.md --format '{{line}}: {{quote}}'
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var drawing: DrawOptions
  @OptionGroup var dialects: DialectOptions
  @Flag(help: "Print the Markdown source, with the same highlights.") var source = false
  @Flag(
    inversion: .prefixedNo,
    help: "Number the lines of the source; on a terminal when omitted.")
  var numbers: Bool?
  @Flag(help: "Write no escape sequences.") var plain = false
  @Flag(help: "Do not use the pager.") var noPager = false
  @Flag(help: "Use the pager even for a short page.") var page = false
  @OptionGroup var format: LineFormat
  @Option(
    help: .strategy("Renderer", \.renderers), completion: .values(.renderer))
  var renderer: String?
  @Argument(
    help: """
      Path, title, a unique part of either, or id; - reads standard input. In the line editor, the \
      current document when omitted.
      """,
    completion: .values(.document))
  var doc: String?

  func validate() throws {
    if numbers != nil, !source {
      throw ValidationError("--numbers and --no-numbers are for --source")
    }
  }

  private struct Record: Encodable {
    @Nullable var document: HighlightRecord.DocumentReference?
    var text: String
    /// The Markdown; nil without `--source`.
    @Nullable var source: String?
    var renderVersion: Int
    var highlights: [HighlightRecord]

    init(_ open: OpenDocument, withSource: Bool) {
      source = withSource ? open.parsed.source.text : nil
      document = open.document.map { .init($0) }
      text = open.parsed.text.string
      renderVersion = ParsedDocument.renderVersion
      highlights =
        open.document.map { document in
          open.highlights.map { HighlightRecord($0, in: document) }
        } ?? []
    }
  }

  /// Prints a line for each highlight of the document.
  private func writeLines(by template: Template, _ context: CommandContext) async throws {
    let open = try await openDocument(context)
    let library = try context.libraries.library(options, .readOnlyOrEmpty)
    guard let document = open.document,
      try await context.writeLines(
        of: HighlightFilter(documents: [document.id]), by: template, in: library) > 0
    else { throw context.nothing("the document has no highlights", options) }
  }

  func run(in context: CommandContext) async throws {
    if let template = try format.template(options) {
      return try await writeLines(by: template, context)
    }
    if options.json {
      // A long document is released before its text is encoded.
      let record = Record(try await openDocument(context), withSource: source)
      return context.terminal.output.line(JSON.line("diple.page/1", record))
    }
    let open = try await openDocument(context)
    let settings = try context.libraries.settings(options)
    var pageOptions = try context.terminal.pageOptions(drawing, settings)
    if drawing.hideTitle ?? settings.isOn(.readerHideTitle) {
      pageOptions.hiddenTitle = open.title
    }
    pageOptions.head = open.head.lines
    if source {
      let hasNumbers = numbers ?? context.terminal.output.isTerminal
      pageOptions.source = SourceDrawing(hasNumbers: hasNumbers)
    }
    let id = renderer ?? (plain ? "plain" : "terminal")
    if plain { pageOptions.color = .none }
    var text = ""
    if id == "terminal", context.terminal.output.isTerminal, !self.page, !source {
      pageOptions.pictures = pictures(of: open, settings, context)
    }
    if id == "terminal", context.terminal.output.isTerminal, !source {
      pageOptions.embeds = try await embeds(of: open, context)
    }
    let plugins = Workspace.PluginSet.builtIn
    var page = Page(
      document: open.parsed, overlays: open.overlays, format: open.format, options: pageOptions,
      lexers: plugins.lexers.all)
    do throws(UnknownStrategyError) {
      try plugins.renderers.strategy(id).render(page, to: &text)
      // A pager can't display pictures, so render the page again without them.
      let pager = settings.text(.pager)
      if page.options.pictures != nil,
        context.terminal.pages(text, through: pager, never: noPager, always: self.page)
      {
        (page.options.pictures, text) = (nil, "")
        try plugins.renderers.strategy(id).render(page, to: &text)
      }
    } catch {
      throw UserError(.usage, error.description)
    }
    text += Self.orphans(open.highlights)
    context.terminal.page(
      text, through: settings.text(.pager), never: noPager, always: self.page,
      hasPictures: page.options.pictures != nil)
  }

  /// Returns the content of the embedded notes; nil if the text is not from a file.
  private func embeds(of open: OpenDocument, _ context: CommandContext) async throws -> PageEmbeds?
  {
    guard open.parsed.options.wikiLinks, context.libraries.hasPlace(options) else { return nil }
    let library = try context.libraries.library(options, .readOnlyOrEmpty)
    guard
      let file = open.document.map({ library.location.absolute($0.path) })
        ?? doc.flatMap({ $0 == "-" ? nil : FileSystem.resolved($0) })
    else { return nil }
    return await library.embeds(in: open.parsed, file: file, of: open.document)
  }

  private func pictures(of open: OpenDocument, _ settings: Settings, _ context: CommandContext)
    -> PictureShow?
  {
    let location = try? context.libraries.location(options)
    let filePath = doc.flatMap { $0 == "-" ? nil : FileSystem.resolved($0) }
    let file = open.document.flatMap { document in location?.absolute(document.path) } ?? filePath
    return file.flatMap {
      PictureShow.pictures(
        of: $0, open.document, in: location, settings, context.terminal.environment,
        isReader: false)
    }
  }

  /// Returns a list of the orphaned highlights, which have no position in the page. Empty if no
  /// highlight is orphaned.
  private static func orphans(_ highlights: [Highlight]) -> String {
    let orphans = highlights.filter { $0.anchor.state == .orphaned }
    guard !orphans.isEmpty else { return "" }
    return "\nOrphaned:\n"
      + orphans.map {
        "  \($0.shortID)  \($0.color.letter)  “\($0.selector.exact.shortened)”\n"
      }.joined()
  }

  /// Opens the document, and reports what changed in it.
  private func openDocument(_ context: CommandContext) async throws -> OpenDocument {
    let open = try await document(context)
    if let report = open.report { context.notify([report]) }
    return open
  }

  private func document(_ context: CommandContext) async throws -> OpenDocument {
    if doc == "-" || !context.libraries.hasPlace(options) {
      return try await context.open(doc, options, in: dialects.dialect)
    }
    do {
      let library = try context.libraries.library(options, .readOnlyOrEmpty)
      let document = try await context.document(doc, in: library)
      if document.state == .removed {
        throw UserError.removed(document)
      }
      if dialects.dialect != nil { throw UserError.dialectOfDocument(document) }
      return try await library.open(document)
    } catch let error as UserError where error.code == .notFound {
      // A file outside the library can be shown too.
      guard let doc, Library.isFile(doc) else { throw error }
      return try Library.openFile(doc, in: dialects.dialect, context.libraries.dialects(options))
    }
  }
}
