import Configuration
import Glibc
package import Logging
package import SystemSupport
package import Workspace

/// The options of a daemon from its command line. They override the settings.
package struct DaemonRequest: Sendable {
  /// The library's folder, or nil for the one that the environment specifies.
  package var library: String?
  /// The shell commands to run at each event. If empty, the settings specify them.
  package var commands: [String]
  /// The minimum log level, or nil for that of the settings.
  package var level: Logger.Level?
  /// The log file, or nil for standard error.
  package var logFile: String?
  /// The seconds between two full rescans if not all folders can be watched, or nil for the
  /// settings.
  package var rescan: Int?
  /// Whether the process becomes a session leader.
  package var isDetached: Bool

  package init(
    library: String? = nil, commands: [String] = [], level: Logger.Level? = nil,
    logFile: String? = nil, rescan: Int? = nil, isDetached: Bool = false
  ) {
    self.library = library
    self.commands = commands
    self.level = level
    self.logFile = logFile
    self.rescan = rescan
    self.isDetached = isDetached
  }
}

/// Runs a daemon as a process, from taking the lock to the exit code.
package enum DaemonProcess {
  /// The reason why a daemon can't start.
  package struct Failure: Error {
    /// The problem and its solution, on one line.
    package var message: String
    /// The exit code: 2 usage, 4 no library, 6 can't be watched or written, 8 damaged, 75 another
    /// daemon runs.
    package var code: Int32
  }

  /// Runs a daemon until it is stopped. Returns its exit code. Throws ``Failure`` if it can't
  /// start.
  ///
  /// - Parameters:
  ///   - signals: Created before anything else, so that an early signal stops the daemon too.
  ///   - words: The words of hints in messages, the log and events.
  package static func run(
    _ request: DaemonRequest, plugins: PluginSet, signals: ControlSignals,
    environment: [String: String], words: Hint.Syntax
  ) throws(Failure) -> Int32 {
    do {
      return try start(request, plugins, signals, environment, words).run()
    } catch let failure as Failure {
      throw failure
    } catch let error as UserError {
      throw Failure(
        message: error.description(in: words),
        code: error.code == .damaged ? 8 : error.code == .notFound ? 4 : 6)
    } catch let problem as SettingsError {
      throw Failure(message: problem.line(in: words), code: problem.isEnvironmental ? 6 : 2)
    } catch {
      throw Failure(message: "\(error)", code: 6)
    }
  }

  private static func start(
    _ request: DaemonRequest, _ plugins: PluginSet, _ signals: ControlSignals,
    _ environment: [String: String], _ words: Hint.Syntax
  ) throws -> Daemon {
    let location = try LibraryLocation.find(
      named: request.library, environment: environment,
      trust: LibraryTrust(environment: environment))
    let place = ControlSocket(of: location)
    guard access(location.database, F_OK) == 0 else {
      throw Failure(
        message: "there is no library at \(location.folder); `diple add FILE` makes one", code: 4)
    }
    try place.makeFolder()
    do { _ = try InstanceLock(place.lockFile) } catch {
      switch error {
      case .taken(let process):
        throw Failure(
          message: "a daemon (process \(process)) already runs for \(location.folder)", code: 75)
      case .system(let number):
        throw Failure(
          message: "cannot write \(place.lockFile): \(String(cString: strerror(number)))", code: 6)
      }
    }
    let settings = try DaemonSettings(request, environment: environment, library: location.folder)
    if request.isDetached { setsid() }
    if let file = request.logFile, !LogFile.open(file, own: place.logFile) {
      throw Failure(
        message: "cannot write \(file): \(String(cString: strerror(errno)))", code: 6)
    }
    let threshold = LogThreshold(settings.level)
    let log = Logger(label: "dipled") { _ in
      LineLog(environment: environment, threshold: threshold)
    }
    if let problem = settings.libraryProblem {
      log.warning("the library's settings are ignored: \(problem.line(in: words))")
    }
    let service = ServiceManager(environment: environment)
    let library = try Library(
      at: location, plugins: plugins, opening: .existing, dialects: settings.dialects,
      certificates: settings.certificates, logger: log)
    for notice in library.notices { log.warning("\(notice)") }
    return try Daemon(
      library, signals: signals, service: service, logFile: request.logFile, settings: settings,
      threshold: threshold, log: log, words: words
    ) { () throws(SettingsError) in
      try DaemonSettings(request, environment: environment, library: location.folder)
    }
  }
}
