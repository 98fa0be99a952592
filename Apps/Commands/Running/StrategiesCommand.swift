import ArgumentParser
import Console
import DaemonKit
import Model
import Rendering
import SystemSupport
import Workspace

/// The `strategies` command, which lists the strategies with their kinds and summaries.
struct StrategiesCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "strategies",
    abstract: "List the strategies: search methods, export formats and so on.",
    discussion: """
      Example:
        diple strategies
      """)

  @OptionGroup var options: GlobalOptions

  private struct Record: Encodable {
    var kind: String
    var id: String
    var summary: String
  }

  func run(in context: CommandContext) async throws {
    let plugins = context.libraries.plugins
    let records =
      Self.records(plugins.anchoring) + Self.records(plugins.search)
      + Self.records(plugins.highlighting) + Self.records(plugins.renderers)
      + Self.records(plugins.lexers) + Self.records(plugins.importers)
      + Self.records(plugins.exporters)
      + Self.records(plugins.cards)
    context.answer(options, "diple.strategies/1", records) {
      var kind = ""
      for record in records {
        if record.kind != kind {
          if !kind.isEmpty { context.terminal.output.line() }
          kind = record.kind
          context.terminal.output.line(kind)
        }
        let gap = String(repeating: " ", count: max(1, 18 - record.id.count))
        context.terminal.output.line(
          "  \(record.id)\(gap)\(record.summary)".sanitizedForTerminal)
      }
    }
  }

  private static func records(_ registry: Registry<some Sendable>) -> [Record] {
    registry.entries.map { Record(kind: registry.kind, id: $0.id, summary: $0.summary) }
  }
}
