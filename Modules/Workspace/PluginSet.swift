public import Anchoring
public import Editing
public import Interchange
public import Model
public import Rendering
public import Search
public import Sync

/// One table for each kind of strategy: a value that is built once and passed to `Library`.
public struct PluginSet: Sendable {
  /// How a highlight's place is found again; tried in this order.
  public var anchoring = Registry<any AnchorStrategy>(kind: "anchor strategy")
  /// How a text is searched.
  public var search = Registry<any SearchStrategy>(kind: "search strategy")
  /// How a selection becomes highlights.
  public var highlighting = Registry<any HighlightStrategy>(kind: "highlight strategy")
  /// How a page is drawn.
  public var renderers = Registry<any Renderer>(kind: "renderer")
  /// What highlights can be read from.
  public var importers = Registry<any Importer>(kind: "import format")
  /// What highlights can be written as.
  public var exporters = Registry<any Exporter>(kind: "export format")
  /// How a quote is shown to others.
  public var cards = Registry<any CardStrategy>(kind: "card strategy")
  /// What carries operations between replicas.
  public var transports = Registry<any SyncTransport>(kind: "transport")

  /// Makes empty tables.
  public init() {}
}
