import Actions
import BuiltIn
package import Configuration
import DaemonKit
import ProcessPlugins
import Rendering
import Synchronization
package import SystemSupport
package import Workspace

/// The library, settings and plugins of the commands of a front-end.
///
/// A command finds its library and plugins once. The library stays open between commands, and a
/// settings file is read again only after it changed.
package final class LibraryContext: @unchecked Sendable {
  // Not synchronized: a front-end runs one command at a time, and only commands use the context.

  /// The libraries and plugins that the running command has found.
  private struct Found {
    /// The locations by the value of `--library`.
    var locations: [String?: LibraryLocation] = [:]
    var plugins: PluginSet?
  }

  let environment: [String: String]
  let files = SettingsFiles()
  private let typing: Hint.Syntax
  private let warn: (String) -> Void
  private var warnings: Set<String> = []
  private var last: Library?
  private var opened: (location: LibraryLocation, opening: Library.Opening, library: Library)?
  /// Nil between commands, so that the next command notices a new library.
  private var found: Found?

  /// Creates a context that opens nothing yet.
  ///
  /// - Parameters:
  ///   - typing: the syntax of commands in warnings.
  ///   - warn: prints a warning, each once.
  package init(
    environment: [String: String], typing: Hint.Syntax, warn: @escaping (String) -> Void
  ) {
    (self.environment, self.typing, self.warn) = (environment, typing, warn)
  }

  /// Returns the location of the library that the options select.
  ///
  /// - Throws: `usage` if no library is named and there is no home folder.
  package func location(_ options: GlobalOptions) throws(UserError) -> LibraryLocation {
    try location(named: options.library)
  }

  private func location(named folder: String?) throws(UserError) -> LibraryLocation {
    if let known = found?.locations[folder] { return known }
    let location = try LibraryLocation.find(
      named: folder, environment: environment,
      trust: LibraryTrust(environment: environment, files: files))
    found?.locations[folder] = location
    return location
  }

  /// Starts a command. Its library and plugins are searched for at their first use.
  package func beginCommand() { found = Found() }

  /// Ends a command, and forgets the plugins and locations that it found. The library stays open
  /// for the next command.
  package func endCommand() { found = nil }

  /// The built-in strategies and the user's own.
  package var plugins: PluginSet {
    if let known = found?.plugins { return known }
    let plugins = installedPlugins()
    found?.plugins = plugins
    return plugins
  }

  /// Opens the library that the options select, unless it is open.
  ///
  /// - Throws: the errors of ``library(named:_:)``.
  package func library(_ options: GlobalOptions, _ opening: Library.Opening) throws -> Library {
    try library(named: options.library, opening)
  }

  /// Opens the library in a folder, or the one of the environment or current folder if `folder` is
  /// nil.
  ///
  /// - Throws: ``UserError`` with the code `usage` if no library is named and there is no home
  ///   folder; otherwise the errors of `Library.init`.
  package func library(named folder: String?, _ opening: Library.Opening) throws -> Library {
    let location = try location(named: folder)
    // A library that is named must exist.
    let opening = folder != nil && opening == .readOnlyOrEmpty ? .readOnly : opening
    if let opened, opened.location == location, opened.opening.covers(opening) {
      let settings = readableSettings(at: location)
      opened.library.dialects.rules = settings.map { DialectRules($0) } ?? DialectRules()
      opened.library.certificates.withLock { $0 = settings?.syncCertificates }
      return opened.library
    }
    let library = try openLibrary(at: location, opening: opening)
    // The command may have created the folder that the next lookup must find.
    if opening == .create { found?.locations = [:] }
    last = library
    for line in library.notices where warnings.insert(line).inserted { warn(line) }
    // A placeholder for a missing library must not hide the library that the next command creates.
    if !library.isReadOnly { opened = (location, opening, library) }
    return library
  }

  /// Closes the library, so that its file can be replaced or other plugins used; the next use opens
  /// it again.
  package func close() {
    (opened, last) = (nil, nil)
    if found != nil { found = Found() }
  }

  /// Returns the damaged rows that the last command skipped, one line each.
  package func takeProblems() async -> [String] { await last?.takeProblems() ?? [] }

  /// Returns the unfinished steps of other processes that the last command completed or reverted,
  /// one line each.
  package func drainSettledSteps() async -> [String] { await last?.drainSettledSteps() ?? [] }

  /// Whether a library is or can be created at the selected location. Reading a file needs none.
  package func hasPlace(_ options: GlobalOptions) -> Bool {
    // A library that exists but isn't trusted must be reported by the next lookup.
    do throws(UserError) { _ = try location(options) } catch { return error.code != .usage }
    return true
  }

  /// The settings of a command, with every change that was made to the files until now.
  ///
  /// - Throws: `usage` if a file or variable is invalid; `conflict` if a file cannot be read.
  package func settings(_ options: GlobalOptions) throws(UserError) -> Settings {
    let settings: Settings
    do {
      settings = try Settings(
        environment: environment, library: (try? location(options))?.folder, files: files)
    } catch { throw UserError(error) }
    if let problem = settings.libraryProblem {
      let line = UserError(problem).description(in: typing) + "; the file is ignored"
      if warnings.insert(line).inserted { warn(line) }
    }
    return settings
  }

  /// Whether a daemon reports that the library is up to date with its files.
  package func filesAreSettled(_ library: Library, _ options: GlobalOptions) -> Bool {
    guard !options.noDaemon, let daemon = DaemonClient(library.location) else { return false }
    return daemon.isSettled
  }
}

extension Library.Opening {
  /// Whether a writable library that was opened in this way can be used if `other` is requested.
  /// With `inspect` unfinished steps were not settled.
  fileprivate func covers(_ other: Library.Opening) -> Bool {
    self != .inspect || other == .inspect
  }
}

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
  ///
  /// - Throws: the errors of `Library.init`.
  package func openLibrary(at location: LibraryLocation, opening: Library.Opening) throws -> Library
  {
    let settings = readableSettings(at: location)
    return try Library(
      at: location, plugins: plugins, opening: opening,
      dialects: settings.map { DialectRules($0) } ?? DialectRules(),
      certificates: settings?.syncCertificates)
  }
}
