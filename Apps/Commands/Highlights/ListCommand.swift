public import ArgumentParser
import Console
import DaemonKit
import FoundationEssentials
public import Model
import Rendering
import Storage
import SystemSupport
import Workspace

extension AnchorState: ExpressibleByArgument {}

/// `list`: the highlights.
struct ListCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List highlights, by document and place; orphaned ones come last.",
    discussion: """
      Examples:
        diple list essay.md
        diple list --color green --tag todo --since 2026-01-31
      """)

  /// The orders of a list.
  enum Order: String, CaseIterable, ExpressibleByArgument { case place, created, updated, color }

  @OptionGroup var options: GlobalOptions
  @OptionGroup var filter: FilterOptions
  @OptionGroup var lines: ListOptions
  @Option(help: "Sort order.") var sort = Order.place
  @Argument(
    help: "Documents; all of them when omitted.", completion: .values(.document))
  var docs: [String] = []

  func run(in context: CommandContext) async throws {
    let library = try context.libraries.library(options, .readOnlyOrEmpty)
    let documents = try await context.documents(docs, in: library)
    try await context.refresh(library, documents, options)
    var wanted = try await filter.filter(documents, of: library, context)
    wanted.omitsContext = true
    var found = try await library.highlights(wanted)
    switch sort {
    case .place: break
    case .created: found.sort { $0.created < $1.created }
    case .updated: found.sort { $0.updated < $1.updated }
    case .color: found.sort { $0.color.order < $1.color.order }
    }
    let byID = Dictionary(uniqueKeysWithValues: try await library.documents().map { ($0.id, $0) })
    if options.json {
      let records = found.compactMap { highlight in
        byID[highlight.document].map { HighlightRecord(highlight, in: $0) }
      }
      context.terminal.output.line(JSON.line(Envelope(schema: "diple.highlights/1", data: records)))
    } else {
      let writer = context.listWriter(options, lines)
      for highlight in found { writer.write(highlight, byID[highlight.document]) }
      let orphans = found.count { $0.anchor.state == .orphaned }
      let doubtful = found.count { $0.anchor.state == .doubtful }
      let missing = found.count { byID[$0.document]?.state == .missing }
      if orphans + doubtful > 0 {
        context.terminal.errors.line("\(orphans) orphaned, \(doubtful) doubtful of \(found.count)")
      }
      if missing > 0 {
        context.say(
          """
          \(missing.counted("highlight")) in missing files, at the places last seen; \
          \(command: "doc", "link", "DOC", "PATH") says where a file is
          """)
      }
    }
    if found.isEmpty {
      let isAsked = documents != nil || !filter.isEmpty
      throw context.nothing(
        isAsked
          ? "no highlight fits" : "no highlights yet; \(command: "mark", "DOC", "SPEC") makes one",
        in: library, options)
    }
  }
}

extension HighlightColor {
  /// The place in the order of colours.
  fileprivate var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// Which highlights a command means.
struct FilterOptions: ParsableArguments {
  @Option(name: .shortAndLong, help: "Only this colour or label; can be repeated.")
  var color: [ColorName] = []
  @Option(
    parsing: .unconditionalSingleValue, help: "Only with this tag; can be repeated.",
    completion: .values(.tag))
  var tag: [String] = []
  @Option(help: "Only in this state; can be repeated.") var state: [AnchorState] = []
  @Option(help: "Only made or changed since this day (2026-01-31, local time) or time (RFC 3339).")
  var since: String?
  @Flag(help: "List what is in the trash instead.") var trashed = false

  /// Whether nothing is filtered out.
  var isEmpty: Bool { color.isEmpty && tag.isEmpty && state.isEmpty && since == nil && !trashed }

  func filter(_ documents: [Document]?, of library: Library, _ context: CommandContext)
    async throws -> HighlightFilter
  {
    let colors = try await context.colors(color, in: library)
    return HighlightFilter(
      documents: documents?.map(\.id), colors: color.isEmpty ? nil : Set(colors), tags: tag,
      states: state.isEmpty ? nil : Set(state), since: try since.map(Self.date),
      trash: trashed ? .only : .excluded)
  }

  private static func date(_ text: String) throws -> Date {
    let parts = text.wholeMatch(of: /([0-9]{4})-([0-9]{2})-([0-9]{2})/)
    let day = parts.flatMap { parts in
      LocalTime.startOfDay(year: Int(parts.1)!, month: Int(parts.2)!, day: Int(parts.3)!)
    }
    guard
      let date = day.map({ Date(timeIntervalSince1970: Double($0)) })
        ?? (try? Date(text, strategy: .iso8601))
    else {
      throw UserError(
        .usage, "'\(text)' is not a date or time", hint: "write 2026-01-31 or 2026-01-31T12:00:00Z")
    }
    return date
  }
}
