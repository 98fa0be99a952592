package import Anchoring
package import Editing
package import Interchange
package import Model
package import Rendering
package import Search
package import Sync

/// The strategies of all kinds. The set is built once and passed to `Library`.
///
/// ```swift
/// let plugins = PluginSet.builtIn
/// let searcher = try plugins.search.strategy("literal")
/// ```
package struct PluginSet: Sendable {
  /// The strategies that anchor highlights in a changed text, in the order in which they are tried.
  package var anchoring = Registry<any AnchorStrategy>(kind: "anchor strategy")
  /// The strategies that search a text.
  package var search = Registry<any SearchStrategy>(kind: "search strategy")
  /// The strategies that turn a selection into highlights.
  package var highlighting = Registry<any HighlightStrategy>(kind: "highlight strategy")
  /// The strategies that render a page.
  package var renderers = Registry<any Renderer>(kind: "renderer")
  /// The strategies that highlight the syntax of code. For each language the first that supports it
  /// is used.
  package var lexers = Registry<any CodeLexer>(kind: "code lexer")
  /// The formats from which highlights can be imported.
  package var importers = Registry<any Importer>(kind: "import format")
  /// The formats in which highlights can be exported.
  package var exporters = Registry<any Exporter>(kind: "export format")
  /// The strategies that draw quote cards.
  package var cards = Registry<any CardStrategy>(kind: "card strategy")
  /// The transports that carry operations between replicas.
  package var transports = Registry<any SyncTransport>(kind: "transport")

  package init() {}
}
