import BuiltIn
import DaemonKit
import ProcessPlugins
import Rendering
import SystemSupport
package import Workspace

extension LibraryContext {
  /// The strategies that come with Diple, and the person's own.
  package var plugins: PluginSet {
    guard let folder = PluginFolder(environment: environment) else { return .builtIn }
    return PluginSet.builtIn.adding(folder) { warning in
      // Strategies may run on any thread, and the context's streams are confined to its own.
      let errors = Output(descriptor: 2)
      errors.line("diple: \(warning.sanitizedForTerminal)")
      errors.flush()
    }
  }

  /// Opens a library with them.
  package func openLibrary(at location: LibraryLocation, opening: Library.Opening) throws -> Library
  {
    try Library(at: location, plugins: plugins, opening: opening)
  }
}
