import Anchoring
import Editing
import Interchange
import Model
import Search
import SystemSupport
package import Workspace

extension PluginSet {
  /// Returns the strategies extended by those of a plugin folder. If an id is already registered,
  /// the existing strategy is kept. Invalid plugins are ignored; `plugin list` shows them.
  ///
  /// - Parameter warn: called with a message when an anchor strategy fails, which doesn't stop the
  ///   anchoring.
  package func adding(_ folder: PluginFolder, warn: @escaping @Sendable (String) -> Void)
    -> PluginSet
  {
    var plugins = self
    for entry in folder.entries {
      guard case .success(let program) = entry.program else { continue }
      let (id, summary) = (program.manifest.id, program.manifest.summary)
      switch program.manifest.kind {
      case .search: plugins.search.register(ProcessSearch(program: program), id, summary)
      case .highlight:
        plugins.highlighting.register(ProcessHighlight(program: program), id, summary)
      case .anchor:
        plugins.anchoring.register(ProcessAnchor(program, warn: warn), id, summary)
      case .import: plugins.importers.register(ProcessImporter(program: program), id, summary)
      case .card: plugins.cards.register(ProcessCard(program: program), id, summary)
      case .export: plugins.exporters.register(ProcessExporter(program: program), id, summary)
      }
    }
    return plugins
  }
}
