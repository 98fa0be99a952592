import Anchoring
import Editing
import Interchange
import Model
import Search
import SystemSupport
package import Workspace

extension PluginSet {
  /// The strategies with those of a folder of plugins. An id that is taken already stays what it
  /// was; a plugin that cannot be used is left out, and said by `plugin list`.
  ///
  /// - Parameter warn: is given a line when an anchor strategy fails, which stops nothing.
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
