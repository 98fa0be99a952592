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

  /// Returns the settings of a library; nil if they cannot be read. The default settings are then
  /// in effect; a command that needs others reports the error.
  func readableSettings(at location: LibraryLocation?) -> Settings? {
    try? Settings(environment: environment, library: location?.folder, files: files)
  }

  /// Returns the dialect rules for files that aren't in a library.
  package func dialects(_ options: GlobalOptions) -> Dialects {
    let location = try? location(options)
    return Dialects(
      root: location?.root, home: StandardFolders(environment: environment).home,
      rules: readableSettings(at: location).map { DialectRules($0) } ?? DialectRules())
  }

  /// Opens a library with the plugins and the settings that concern it.
  package func openLibrary(at location: LibraryLocation, opening: Library.Opening) throws -> Library
  {
    let settings = readableSettings(at: location)
    return try Library(
      at: location, plugins: plugins, opening: opening,
      dialects: settings.map { DialectRules($0) } ?? DialectRules(),
      certificates: settings?.syncCertificates)
  }
}
