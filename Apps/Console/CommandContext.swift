package import Actions
package import ArgumentParser
import BuiltIn
package import Configuration
import DaemonKit
import FoundationEssentials
package import Model
import ProcessPlugins
package import Rendering
import Synchronization
package import SystemSupport
package import Workspace

/// The environment of a command: terminal, libraries and current selection. A front end creates one
/// context and passes it to each command that it runs.
///
/// ```swift
/// let context = CommandContext.standard()
/// let library = try context.libraries.library(.none, .existing)
/// let document = try await context.document("essay.md", in: library)
/// context.terminal.output.line(document.title)
/// context.terminal.output.flush()
/// ```
package final class CommandContext: Sendable {
  /// The terminal or other streams for input and output.
  package let terminal: Terminal
  /// Finds and opens libraries.
  package let libraries: LibraryContext
  /// The current document, selection and search.
  package let selection = SelectionState()

  /// Creates a context for a terminal. The terminal's environment selects the library.
  package init(_ terminal: Terminal) {
    self.terminal = terminal
    libraries = LibraryContext(environment: terminal.environment, typing: terminal.typing) {
      terminal.errors.line("diple: \($0.sanitizedForTerminal)")
    }
  }

  /// Creates a context for the environment and standard streams of the process.
  package static func standard(isInteractive: Bool = false) -> CommandContext {
    CommandContext(
      Terminal(environment: ProcessInfo.processInfo.environment, isInteractive: isInteractive))
  }

  /// The current document's name for a prompt, without control characters. Empty without a current
  /// document.
  package var promptName: String {
    selection.document.map { $0.path.name.sanitizedForTerminal } ?? ""
  }
}

extension CommandContext {
  /// The paths of the last opened library as they are shown from the current folder.
  package var paths: ShownPaths {
    ShownPaths(libraries.lastLocation, from: libraries.currentFolder)
  }

  /// Returns the path of a document as all commands print it, without control characters; see
  /// ``ShownPaths``.
  package func shown(_ path: DocumentPath) -> String { paths.text(path) }

  /// Prints what happened to the highlights of changed files; see ``Terminal/notify(_:)``.
  package func notify(_ reports: [RefreshReport]) {
    let paths = paths
    terminal.notify(
      reports.map { report in
        var report = report
        report.document.path.string = paths.name(report.document.path)
        if let old = report.movedFrom { report.movedFrom?.string = paths.name(old) }
        return report
      })
  }
}

extension ShownPaths {
  /// The path as it is printed, without control characters.
  package func text(_ path: DocumentPath) -> String { name(path).sanitizedForTerminal }
}

/// A command that runs in a context. All front ends share the same commands, but each has a
/// separate context.
package protocol ContextCommand: AsyncParsableCommand {
  /// Runs the command.
  ///
  /// - Throws: ``UserError`` for an error message of one line, or `ExitCode`.
  mutating func run(in context: CommandContext) async throws
}

/// The library, settings and plugins of the commands of a front-end.
///
/// A command finds its library and plugins once. The library stays open between commands, and a
/// settings file is read again only after it changed.
package final class LibraryContext: @unchecked Sendable {
  // Not synchronized: a front-end runs one command at a time, and only commands use the context.

  /// The libraries, plugins and current folder that the running command has found.
  private struct Found {
    /// The locations by the value of `--library`.
    var locations: [String?: LibraryLocation] = [:]
    var plugins: PluginSet?
    var folder: String?
  }

  let environment: [String: String]
  let files = SettingsFiles()
  private let typing: Hint.Syntax
  private let warn: (String) -> Void
  private var warnings: Set<String> = []
  private var last: Library?
  /// The location of the library that was opened last. It is kept when the library is closed.
  fileprivate private(set) var lastLocation: LibraryLocation?
  private var opened: (location: LibraryLocation, opening: Library.Opening, library: Library)?
  /// Nil between commands, so that the next command notices a new library.
  private var found: Found?

  /// Creates a context that opens nothing yet.
  ///
  /// - Parameters:
  ///   - typing: the syntax of commands in warnings.
  ///   - warn: prints a warning. Called once for each different warning.
  package init(
    environment: [String: String], typing: Hint.Syntax, warn: @escaping (String) -> Void
  ) {
    (self.environment, self.typing, self.warn) = (environment, typing, warn)
  }

  /// Returns the location of the library that the options select.
  ///
  /// - Throws: `usage` if no library is named and there is no home folder; `conflict` if the
  ///   library belongs to another user.
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

  /// The current folder. It is read once for each command, because a list prints thousands of
  /// paths.
  package var currentFolder: String {
    if let known = found?.folder { return known }
    let folder = FileSystem.currentFolder
    found?.folder = folder
    return folder
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
  ///   folder, `conflict` if the library belongs to another user; otherwise the errors of
  ///   `Library.init`.
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
    (last, lastLocation) = (library, location)
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

  /// Returns the missing documents that the last command found by the names of their new files.
  package func drainFoundDocuments() async -> [RefreshReport] {
    await last?.drainFoundDocuments() ?? []
  }

  /// Returns the unfinished steps of other processes that the last command completed or reverted,
  /// one line each.
  package func drainSettledSteps() async -> [String] { await last?.drainSettledSteps() ?? [] }

  /// Whether a library exists or can be created at the selected location. A command that only reads
  /// a file needs no library.
  package func hasPlace(_ options: GlobalOptions) -> Bool {
    // A library that exists but isn't trusted must be reported by the next lookup.
    do throws(UserError) { _ = try location(options) } catch { return error.code != .usage }
    return true
  }

  /// Returns the current settings for a command. Files that have changed are read again.
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
  /// False if the library was opened with `inspect`, which doesn't settle unfinished steps, and
  /// `other` requires that they are settled.
  fileprivate func covers(_ other: Library.Opening) -> Bool {
    self != .inspect || other == .inspect
  }
}

extension LibraryContext {
  /// Returns the built-in strategies and those of the user's plugins. If an anchor strategy of a
  /// plugin fails later, a warning is printed.
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

extension CommandContext {
  /// Returns a session for an action, with the library that the options select.
  ///
  /// - Throws: the errors of ``LibraryContext/library(_:_:)``.
  package func session<Request: Action>(for action: Request.Type, _ options: GlobalOptions) throws
    -> ActionSession
  {
    let library = try libraries.library(options, action.opening)
    var session = ActionSession(library)
    session.began = selection.began
    session.environment = libraries.environment
    session.filesAreSettled = { [libraries] in libraries.filesAreSettled(library, options) }
    session.daemon = { [environment = libraries.environment] in
      await DaemonState(of: library.location, environment: environment)
    }
    session.settings = { [libraries] () throws(UserError) in try libraries.settings(options) }
    return session
  }

  /// Runs an action in the library that the options select.
  ///
  /// - Throws: ``UserError``, also where the action throws ``ActionRefusal``.
  package func perform<Request: Action>(_ action: Request, _ options: GlobalOptions) async throws
    -> Request.Outcome
  {
    do {
      return try await action.run(in: session(for: Request.self, options))
    } catch let refusal as ActionRefusal {
      throw refusal.error
    } catch var error as UserError {
      // Users know options and words, not the members of requests.
      error.parameter = nil
      throw error
    }
  }
}

/// A command that runs one action. It converts its options to the action and writes the outcome as
/// text.
package protocol ActionCommand: ContextCommand {
  associatedtype Request: Action

  var options: GlobalOptions { get }
  /// Whether the user asked for a preview.
  var isDryRun: Bool { get }

  /// Returns the action that the options ask for.
  func request(in context: CommandContext) async throws -> Request
  /// Prints what the action would do. Called instead of running it if `isDryRun` is true.
  func preview(_ request: Request, in context: CommandContext) async throws
  /// Prints the outcome as text. Not called with `--json`.
  func write(_ outcome: Request.Outcome, to context: CommandContext) async throws
  /// Returns the reports of files that changed, which are printed on standard error first.
  func notices(of outcome: Request.Outcome) -> [RefreshReport]
  /// Returns the errors that do not end the command, which are printed on standard error.
  func problems(of outcome: Request.Outcome) -> [UserError]
  /// Returns the exit code after the outcome was printed.
  func exitCode(of outcome: Request.Outcome) -> Int32
  /// Returns the reason why the outcome is empty, which causes exit code 1; nil if it isn't empty.
  func emptiness(of outcome: Request.Outcome, in context: CommandContext) throws -> Hint?
}

extension ActionCommand {
  package var isDryRun: Bool { false }
  package func preview(_ request: Request, in context: CommandContext) async throws {}
  package func notices(of outcome: Request.Outcome) -> [RefreshReport] { [] }
  package func problems(of outcome: Request.Outcome) -> [UserError] { [] }
  package func exitCode(of outcome: Request.Outcome) -> Int32 { 0 }
  package func emptiness(of outcome: Request.Outcome, in context: CommandContext) throws -> Hint? {
    nil
  }

  package func run(in context: CommandContext) async throws {
    let request = try await request(in: context)
    if isDryRun { return try await preview(request, in: context) }
    let outcome = try await context.perform(request, options)
    context.notify(notices(of: outcome))
    for problem in problems(of: outcome) { context.warn(problem, options) }
    if options.json {
      context.terminal.output.line(outcome.json)
    } else {
      try await write(outcome, to: context)
    }
    if let reason = try emptiness(of: outcome, in: context) {
      throw context.nothing(reason, options)
    }
    let code = exitCode(of: outcome)
    if code != 0 { throw ExitCode(code) }
  }
}

extension CommandContext {
  /// Prints a record as JSON in the envelope of its schema if `--json` is set. Otherwise calls a
  /// closure that prints plain text.
  ///
  /// - Parameters:
  ///   - schema: the name and version of the record's schema, such as `diple.tags/1`.
  ///   - record: the record. Only evaluated for JSON.
  ///   - write: Prints plain text. Only called without `--json`.
  package func answer(
    _ options: GlobalOptions, _ schema: String, _ record: @autoclosure () -> some Encodable,
    write: () throws -> Void
  ) rethrows {
    try answer(options, json: JSON.line(schema, record()), write: write)
  }

  /// Prints a record as JSON if `--json` is set, or else one line of plain text.
  package func answer(
    _ options: GlobalOptions, _ schema: String, _ record: @autoclosure () -> some Encodable,
    plain: @autoclosure () -> String
  ) {
    answer(options, json: JSON.line(schema, record()), plain: plain())
  }

  /// Prints an encoded line of JSON if `--json` is set, or else calls a closure that prints plain
  /// text.
  package func answer(
    _ options: GlobalOptions, json: @autoclosure () -> String, write: () throws -> Void
  ) rethrows {
    guard options.json else { return try write() }
    terminal.output.line(json())
  }

  /// Prints an encoded line of JSON if `--json` is set, or else one line of plain text.
  package func answer(
    _ options: GlobalOptions, json: @autoclosure () -> String, plain: @autoclosure () -> String
  ) {
    terminal.output.line(options.json ? json() : plain())
  }

  /// Prints an error on standard error without ending the command.
  package func warn(_ problem: UserError, _ options: GlobalOptions) {
    let problem = problem.withCommand
    terminal.errors.line(
      options.json
        ? JSON.line(ErrorRecord(problem))
        : "diple: \(problem.description(in: terminal.typing).sanitizedForTerminal)")
  }

  /// Prints a hint on standard error. Its commands are written in the syntax of this front end.
  package func show(_ hint: Hint) {
    terminal.errors.line(hint.text(in: terminal.typing).sanitizedForTerminal)
  }

  /// Returns exit code 1 for an empty result. Without `--json` it also prints the reason on
  /// standard error, because the JSON output shows the empty result.
  ///
  /// - Parameter isStream: whether the JSON output has a line for each result. Then it doesn't show
  ///   the empty result, and the reason is printed as an error.
  package func nothing(
    _ reason: Hint, in library: Library? = nil, _ options: GlobalOptions, isStream: Bool = false
  ) -> ExitCode {
    if options.json, isStream {
      warn(UserError(.nothing, reason.text(in: terminal.typing)), options)
    }
    if !options.json { show(self.reason(reason, in: library)) }
    return ExitCode(1)
  }

  /// Returns the reason for an empty result: `reason`, or, if the library doesn't exist, a hint how
  /// to create it.
  package func reason(_ reason: Hint, in library: Library?) -> Hint {
    guard let library, library.isAbsent else { return reason }
    return "there is no library at \(library.location.folder); \(command: "add", "FILE") makes one"
  }

  /// Prints the paragraphs around a highlight. Prints nothing for a highlight without a position.
  ///
  /// - Throws: ``UserError`` with the code `usage` if the theme is invalid or cannot be read.
  package func draw(
    _ open: OpenDocument, around highlight: Highlight, width asked: Int?, _ settings: Settings
  ) throws(UserError) {
    guard let range = highlight.anchor.range else { return }
    let options = try terminal.pageOptions(width: asked, settings, around: range)
    write(
      Page(
        document: open.parsed, overlays: open.overlays, format: open.format, options: options,
        lexers: libraries.plugins.lexers.all))
  }

  /// Prints a page in the format of this terminal. If the page's options name a range of its text,
  /// prints only the lines near the range.
  package func write(_ page: Page) {
    let writer = ANSIWriter(page.options)
    var text = ""
    if let range = page.options.range {
      var window = LineWindow(around: range) { line in
        if let line { writer.write(line, to: &text) } else { text += "…\n" }
      }
      PageLayout.forEachLine(of: page) { window.add($0) }
      window.finish()
    } else {
      for line in PageLayout.lines(of: page) { writer.write(line, to: &text) }
    }
    terminal.output.write(text)
  }
}
