import BuiltIn
import Configuration
import DaemonKit
import ProcessPlugins
import Rendering
import SystemSupport
package import Workspace

extension LibraryContext {
  /// Reads the user's plugins, and prints a warning for each that cannot be used.
  func installedPlugins() -> PluginSet {
    guard let folder = PluginFolder(environment: environment) else { return .builtIn }
    return PluginSet.builtIn.adding(folder) { warning in
      // Strategies may run on any thread, and the context's streams are confined to its own.
      let errors = Output(descriptor: 2)
      errors.line("diple: \(warning.sanitizedForTerminal)")
      errors.flush()
    }
  }

  /// The settings about dialects. Settings that cannot be read give the default rules; a command
  /// that needs them reports the error.
  func dialectRules(at location: LibraryLocation?) -> DialectRules {
    let settings = try? Settings(
      environment: environment, library: location?.folder, files: files)
    return settings.map { DialectRules($0) } ?? DialectRules()
  }

  /// Decides the dialects of files that are in no library.
  package func dialects(_ options: GlobalOptions) -> Dialects {
    let location = try? location(options)
    return Dialects(
      root: location?.root, home: StandardFolders(environment: environment).home,
      rules: dialectRules(at: location))
  }

  /// Opens a library with them.
  package func openLibrary(at location: LibraryLocation, opening: Library.Opening) throws -> Library
  {
    try Library(
      at: location, plugins: plugins, opening: opening, dialects: dialectRules(at: location))
  }
}
