import BuiltIn
import ProcessPlugins
import Workspace

extension Session {
  /// The strategies that come with Diple, and the person's own.
  var plugins: PluginSet {
    guard let folder = PluginFolder(environment: environment) else { return .builtIn }
    return PluginSet.builtIn.adding(folder) { warning in
      // Strategies may run on any thread, and the session's streams are confined to its own.
      let errors = Output(descriptor: 2)
      errors.line("diple: \(warning.neutralized)")
      errors.flush()
    }
  }

  /// Opens a library with them.
  func openLibrary(at location: LibraryLocation, opening: Library.Opening) throws -> Library {
    try Library(at: location, plugins: plugins, opening: opening)
  }
}
