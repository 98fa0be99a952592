package import Anchoring
package import Editing
package import Interchange
package import Model
package import Rendering
package import Search
package import Sync

/// One table for each kind of strategy: a value that is built once and passed to `Library`.
package struct PluginSet: Sendable {
  /// How a highlight's place is found again; tried in this order.
  package var anchoring = Registry<any AnchorStrategy>(kind: "anchor strategy")
  /// How a text is searched.
  package var search = Registry<any SearchStrategy>(kind: "search strategy")
  /// How a selection becomes highlights.
  package var highlighting = Registry<any HighlightStrategy>(kind: "highlight strategy")
  /// How a page is drawn.
  package var renderers = Registry<any Renderer>(kind: "renderer")
  /// How the parts of code are told apart; the first that knows a language reads it.
  package var lexers = Registry<any CodeLexer>(kind: "code lexer")
  /// What highlights can be read from.
  package var importers = Registry<any Importer>(kind: "import format")
  /// What highlights can be written as.
  package var exporters = Registry<any Exporter>(kind: "export format")
  /// How a quote is shown to others.
  package var cards = Registry<any CardStrategy>(kind: "card strategy")
  /// What carries operations between replicas.
  package var transports = Registry<any SyncTransport>(kind: "transport")

  /// Makes empty tables.
  package init() {}
}
