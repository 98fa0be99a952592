import Model
package import Workspace

/// Lists the strategies that requests can name.
package struct ListStrategies: Action {
  package static let name = "library.strategies"
  package static let summary = "Lists the strategies of each kind, such as searches and cards."
  package static let effect = ActionEffect.reads
  package static let parameters: [ActionParameter] = []
  package static let examples = [ListStrategies()]

  package init() {}

  package struct Outcome: ActionOutcome {
    /// A strategy, an element of `diple.strategies/1`.
    package struct Entry: Encodable, Sendable {
      package var kind: String
      package var id: String
      package var summary: String
    }

    /// The strategies, by kind.
    package var entries: [Entry]

    package init(_ plugins: PluginSet) {
      func entries(_ registry: Registry<some Sendable>) -> [Entry] {
        registry.entries.map { Entry(kind: registry.kind, id: $0.id, summary: $0.summary) }
      }
      self.entries =
        entries(plugins.anchoring) + entries(plugins.search) + entries(plugins.highlighting)
        + entries(plugins.renderers) + entries(plugins.lexers) + entries(plugins.importers)
        + entries(plugins.exporters) + entries(plugins.cards)
    }

    package var json: String { JSON.line("diple.strategies/1", entries) }
  }

  package func run(in session: ActionSession) async throws -> Outcome {
    Outcome(session.library.plugins)
  }
}
