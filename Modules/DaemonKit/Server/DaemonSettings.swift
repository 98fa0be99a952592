import Configuration
import Files
import Logging
import Synchronization
import SystemSupport
import Watching
import Workspace

/// The daemon's settings: from files and the environment, overridden by its command line.
struct DaemonSettings {
  /// The time without changes before they are processed, and the maximum delay, in milliseconds.
  var (quiet, maximumDelay): (Int, Int)
  /// The time between full rescans if not all folders are watched, in milliseconds.
  var rescanPeriod: Int
  /// Whether to add missing texts to the search index when the daemon is idle.
  var fillsIndex: Bool
  /// Whether to keep backups, and the number of daily and weekly ones.
  var keepsBackups: Bool
  var (backupDays, backupWeeks): (Int, Int)
  /// The time without changes before a backup is made, in milliseconds.
  var backupQuiet: Int
  /// Whether and how to sync the library.
  var sync: SyncLoop.Settings
  /// The minimum log level.
  var level: Logger.Level
  /// The commands to run at each kind of event.
  var hooks: [LibraryEvent.Kind: [String]]
  /// The rules for the dialects of documents.
  var dialects: DialectRules
  /// The file with the certificates of sync targets; nil for those of the system.
  var certificates: String?
  /// The error in the library's settings file, which is ignored then.
  var libraryProblem: SettingsError?

  /// Reads the settings.
  ///
  /// - Parameter library: the library's folder.
  /// - Throws: ``SettingsError`` for the first invalid setting.
  init(_ request: DaemonRequest, environment: [String: String], library: String)
    throws(SettingsError)
  {
    let settings = try Settings(environment: environment, library: library)
    libraryProblem = settings.libraryProblem
    dialects = DialectRules(settings)
    certificates = settings.syncCertificates
    quiet = settings.number(.daemonSettle)
    maximumDelay = settings.number(.daemonSettleMax)
    rescanPeriod = (request.rescan ?? settings.number(.daemonRescan)) * 1_000
    fillsIndex = settings.isOn(.daemonIndex)
    keepsBackups = settings.isOn(.backupEnabled)
    backupDays = settings.number(.backupDays)
    backupWeeks = settings.number(.backupWeeks)
    backupQuiet = settings.number(.backupQuiet) * 1_000
    sync = SyncLoop.Settings(
      isOn: settings.isOn(.syncBackground), carriesTexts: settings.isOn(.syncTexts))
    guard let level = request.level ?? Logger.Level(rawValue: settings.text(.daemonLogLevel)) else {
      preconditionFailure("daemon.log_level allows a value that is not a level")
    }
    self.level = level
    hooks = [:]
    for kind in LibraryEvent.Kind.allCases {
      let fromSettings = [settings.text(kind.hook)].filter { !$0.isEmpty }
      hooks[kind] = request.commands.isEmpty ? fromSettings : request.commands
    }
  }
}

extension LibraryEvent.Kind {
  /// The setting for the command to run at such events.
  fileprivate var hook: SettingKey {
    switch self {
    case .changed: .hooksChanged
    case .rescanned: .hooksRescanned
    case .problem: .hooksProblem
    case .paused: .hooksPaused
    case .resumed: .hooksResumed
    case .stopping: .hooksStopping
    }
  }
}

extension SettingsError {
  /// Returns the error and its solution, on one line.
  func line(in words: Hint.Syntax) -> String {
    description(in: words).split(whereSeparator: \.isNewline).joined(separator: " ")
  }
}

extension Daemon {
  /// Reads the settings again. If they are invalid, logs the error and keeps the old settings.
  func takeSettings() {
    do throws(SettingsError) {
      let new = try readSettings()
      if let problem = new.libraryProblem { throw problem }
      settings = new
      settingsProblem = nil
      threshold.level = settings.level
      hooks.use(settings.hooks)
      library.certificates.withLock { $0 = settings.certificates }
      sync.use(settings.sync)
      if library.dialects.rules != settings.dialects {
        library.dialects.rules = settings.dialects
        // Any document may have another dialect now.
        deferredChanges.rescan = deferredChanges.rescan ?? .requested
      }
      nextRescan = min(nextRescan, Clock.now + settings.rescanPeriod)
    } catch {
      let problem = "the settings stay as they were: \(error.line(in: words))"
      log.warning("\(problem)")
      settingsProblem = problem
    }
  }
}
