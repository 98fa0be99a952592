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
      // Strategies run on any thread, where the context's streams must not be used.
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

  /// Returns the dialect rules for files that aren't in a library.
  package func dialects(_ options: GlobalOptions) -> Dialects {
    let location = try? location(options)
    return Dialects(
      root: location?.root, home: StandardFolders(environment: environment).home,
      rules: dialectRules(at: location))
  }

  /// Opens a library with the plugins and dialect rules.
  package func openLibrary(at location: LibraryLocation, opening: Library.Opening) throws -> Library
  {
    try Library(
      at: location, plugins: plugins, opening: opening, dialects: dialectRules(at: location))
  }
}
