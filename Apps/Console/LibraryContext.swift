package import Configuration
import DaemonKit
package import SystemSupport
package import Workspace

/// Which library the commands mean, opened once, and what is set for it.
package final class LibraryContext: @unchecked Sendable {
  // Confined: a front-end runs one command at a time, and only commands touch it.

  let environment: [String: String]
  private let typing: Hint.Syntax
  private let warn: (String) -> Void
  private var warnings: Set<String> = []
  private var last: Library?
  private var opened: (location: LibraryLocation, opening: Library.Opening, library: Library)?

  /// Libraries as an environment means them.
  ///
  /// - Parameters:
  ///   - typing: where the commands are typed that a line names.
  ///   - warn: is given a line, each once, about what is left out.
  package init(
    environment: [String: String], typing: Hint.Syntax, warn: @escaping (String) -> Void
  ) {
    (self.environment, self.typing, self.warn) = (environment, typing, warn)
  }

  /// Where the library is that the options mean.
  ///
  /// - Throws: `usage` when none is named and there is no home folder to keep one in.
  package func location(_ options: GlobalOptions) throws(UserError) -> LibraryLocation {
    try location(named: options.library)
  }

  private func location(named folder: String?) throws(UserError) -> LibraryLocation {
    try LibraryLocation.find(
      named: folder, environment: environment, trust: LibraryTrust(environment: environment))
  }

  /// The library that the options mean.
  package func library(_ options: GlobalOptions, _ opening: Library.Opening) throws -> Library {
    try library(named: options.library, opening)
  }

  /// The library in a folder, or the one that the environment and the current folder mean.
  package func library(named folder: String?, _ opening: Library.Opening) throws -> Library {
    let location = try location(named: folder)
    // One that is named has to be there; without a name there may be none yet.
    let opening = folder != nil && opening == .readOnlyOrEmpty ? .readOnly : opening
    if let opened, opened.location == location, opened.opening.covers(opening) {
      opened.library.dialects.rules = dialectRules(at: location)
      return opened.library
    }
    let library = try openLibrary(at: location, opening: opening)
    last = library
    for line in library.notices where warnings.insert(line).inserted { warn(line) }
    // An empty stand-in must not hide the library that the next command makes.
    if !library.isReadOnly { opened = (location, opening, library) }
    return library
  }

  /// Closes what is open, so that a library's file can be replaced; the next command opens it again.
  package func close() { (opened, last) = (nil, nil) }

  /// The damaged rows that the last command left out, one line each.
  package func takeProblems() async -> [String] { await last?.takeProblems() ?? [] }

  /// What the last command settled of what other processes did not finish, one line each.
  package func takeSettledSteps() async -> [String] { await last?.takeSettledSteps() ?? [] }

  /// Whether there is a place for a library: a file can be read without any.
  package func hasPlace(_ options: GlobalOptions) -> Bool {
    // One that is there and not to be used is not passed over in silence.
    do throws(UserError) { _ = try location(options) } catch { return error.code != .usage }
    return true
  }

  /// What is set for a command; read again each time, so that a line editor follows every change.
  package func settings(_ options: GlobalOptions) throws(UserError) -> Settings {
    let settings: Settings
    do {
      settings = try Settings(environment: environment, library: (try? location(options))?.folder)
    } catch { throw UserError(error) }
    if let problem = settings.libraryProblem {
      let line = UserError(problem).description(in: typing) + "; the file is ignored"
      if warnings.insert(line).inserted { warn(line) }
    }
    return settings
  }

  /// Whether a daemon says that the library holds all that happened to files until now.
  package func filesAreSettled(_ library: Library, _ options: GlobalOptions) -> Bool {
    guard !options.noDaemon, let daemon = DaemonClient(library.location) else { return false }
    return daemon.isSettled
  }
}

extension Library.Opening {
  /// Whether a library that was opened like this serves a command that asks for `other`.
  fileprivate func covers(_ other: Library.Opening) -> Bool {
    self == other || self == .create || other == .inspect
      || (self == .existing && other == .readOnly)
  }
}
