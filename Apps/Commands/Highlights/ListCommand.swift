import Actions
import ArgumentParser
import Console
import DaemonKit
import FoundationEssentials
import LibrarySync
public import Model
import Rendering
import Storage
import SystemSupport
import Workspace

extension AnchorState: OptionChoice {}
extension ListHighlights.Order: OptionChoice {}

/// The `list` command, which lists highlights.
struct ListCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List highlights, by document and place; orphaned ones come last.",
    discussion: """
      Examples:
        diple list essay.md --filter 'color:green -#old "two words"'
        diple list --format '{{path}}:{{line}}:{{column}}: {{quote}}'
      """, aliases: ["ls"])

  @OptionGroup var options: GlobalOptions
  @OptionGroup var filter: FilterOptions
  @OptionGroup var words: FilterWords
  @OptionGroup var format: LineFormat
  @OptionGroup var lines: ListOptions
  @OptionGroup var adding: AddOptions
  @Option(help: "Sort order.") var sort = ListHighlights.Order.place
  @Option(help: "Stop after N highlights.") var limit: Int?
  @Argument(
    help: "Documents; all of them when omitted.", completion: .values(.document))
  var docs: [String] = []

  func validate() throws {
    if let limit, limit < 1 {
      throw ValidationError("--limit must be at least 1, not \(limit)")
    }
  }

  func run(in context: CommandContext) async throws {
    let template = try format.template(options)
    for doc in docs { try await context.addIfWanted(doc, adding, options, isWanted: false) }
    let library = try context.libraries.library(options, .readOnlyOrEmpty)
    let documents = try await context.documents(docs, in: library)
    var request = try await filter.request(documents, of: library, context)
    (request.filter, request.sort, request.limit) = (words.filter, sort, limit)
    let session = try context.session(for: ListHighlights.self, options)
    let reports = try await request.checkFiles(in: session)
    // The last line names all missing files.
    let isSilent = !options.json && template == nil
    context.notify(isSilent ? reports.filter { $0.change != .missing } : reports)
    if let template {
      // Other orders and limits need the whole list before the first line.
      let order =
        sort == .place && limit == nil
        ? nil
        : sort.sorted(
          try await request.gather(in: session, into: Rows(), detail: .line) {
            for highlight in $2 { $0.append((highlight, $1)) }
            return true
          }
        ).prefix(limit ?? .max).map(\.highlight.id)
      let count = try await context.writeLines(
        of: try await request.selected(in: library), ordered: order, by: template, in: library)
      if count == 0 { throw try await nothing(documents, in: library, context) }
      return
    }
    context.terminal.output.presents(
      documents == nil && filter.isEmpty && words.filter == nil ? .allHighlights : .list)
    let conflicts = options.json ? [] : try await library.conflictingHighlights()
    let writer = ListingWriter(
      options.json ? .json(context.terminal.output) : .lines(context.listWriter(options, lines)),
      conflicts: conflicts)
    // Finish writing before other code writes to the output.
    defer { writer.finish() }
    let listing = try await request.gather(
      in: session, into: Listing(writer, limit: limit, by: sort),
      detail: options.json ? .withoutContext : .line
    ) { $0.add($2, in: $1) }.finished()
    if !options.json {
      if listing.orphans + listing.doubtful > 0 {
        context.terminal.errors.line(
          "\(listing.orphans) orphaned, \(listing.doubtful) doubtful of \(listing.count)")
      }
      if let line = missingLine(listing, context.paths) { context.show(line) }
      if listing.conflicts > 0 {
        context.show(
          """
          \(listing.conflicts.counted("note")) changed on two devices at once; \
          \(command: "sync", "conflicts") shows the versions
          """)
      }
      if listing.onOtherDevices > 0 {
        context.show(
          """
          \(listing.onOtherDevices.counted("highlight")) in documents of other devices that are \
          not found here; \(command: "doc", "link", "DOC", "PATH") links one to its file here
          """)
      }
    }
    if listing.count == 0 { throw try await nothing(documents, in: library, context) }
  }

  /// The maximum number of missing files that the last line names.
  private static let namedFiles = 3

  /// Returns the line about highlights in missing files; nil if there are none.
  private func missingLine(_ listing: Listing, _ paths: ShownPaths) -> Hint? {
    guard let first = listing.missingDocuments.first else { return nil }
    let count = listing.missing.counted("highlight")
    let files = listing.missingDocuments.count
    if files == 1 {
      return """
        \(paths.name(first.path)) is missing: \(count) listed at the last known position; \
        \(command: "refresh") searches for it, \
        \(command: "doc", "link", .word(paths.name(first.path)), "FILE") links it to its new file
        """
    }
    let names = listing.missingDocuments.prefix(Self.namedFiles).map { paths.name($0.path) }
      .joined(separator: ", ")
    return """
      \(files.counted("file")) missing (\(names)\(files > Self.namedFiles ? ", …" : "")): \
      \(count) listed at the last known position; \(command: "refresh") searches for them, \
      \(command: "doc", "link", "DOC", "FILE") links one to its new file
      """
  }

  private typealias Rows = [(highlight: Highlight, document: Document)]

  /// Returns the exit code for an empty list, and prints the reason.
  private func nothing(
    _ documents: [Document]?, in library: Library, _ context: CommandContext
  ) async throws -> ExitCode {
    let isFiltered = documents != nil || !filter.isEmpty || words.filter != nil
    let hint: Hint =
      if let tag = try await unknownTag(in: library) {
        "no highlight has the tag '\(tag)'; \(command: "tags") lists them"
      } else if isFiltered {
        "no highlight matches"
      } else {
        "no highlights yet; \(command: "mark", "FILE", .spec("\"some words\"")) makes one"
      }
    return context.nothing(hint, in: library, options)
  }

  /// Returns a requested tag that no highlight has; nil if all requested tags are in use.
  private func unknownTag(in library: Library) async throws -> String? {
    if filter.tag.isEmpty || filter.trashed { return nil }
    let known = Set(try await library.tags().map(\.name))
    return filter.tag.first { !known.contains($0) }
  }
}

/// The option that selects highlights by the words of a filter.
struct FilterWords: ParsableArguments {
  @Option(
    name: .customLong("filter"), parsing: .unconditional,
    help: ArgumentHelp(
      "Only highlights that match, such as 'color:green -#old doc:essay'.", valueName: "filter"))
  var filter: String?
}

/// The options that select highlights.
struct FilterOptions: ParsableArguments {
  @Option(name: .shortAndLong, help: "Only this colour or label; can be repeated.")
  var color: [ColorName] = []
  @Option(
    parsing: .unconditionalSingleValue, help: "Only with this tag; can be repeated.",
    completion: .values(.tag))
  var tag: [String] = []
  @Option(help: "Only in this state; can be repeated.") var state: [AnchorState] = []
  @Option(
    help: "Only created or changed since this day or time: yesterday, 7d, 2026-01-31.")
  var since: String?
  @Flag(help: "List the trash instead.") var trashed = false

  /// Whether no filter is set.
  var isEmpty: Bool { color.isEmpty && tag.isEmpty && state.isEmpty && since == nil && !trashed }

  /// Returns the request for the highlights that the options select.
  func request(_ documents: [Document]?, of library: Library, _ context: CommandContext)
    async throws -> ListHighlights
  {
    let colors = try await context.colors(color, in: library)
    return ListHighlights(
      documents: documents?.map(\.id), colors: color.isEmpty ? nil : colors, tags: tag,
      states: state.isEmpty ? nil : state,
      since: since, trashed: trashed)
  }
}
