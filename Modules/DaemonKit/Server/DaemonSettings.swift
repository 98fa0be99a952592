import Configuration
import Files
import Logging
import SystemSupport
import Watching
import Workspace

/// What a person has set for the daemon: in files and in the environment, and above them by the words
/// that it was started with.
struct DaemonSettings {
  /// How long it must be quiet before changes are checked, and how long that is put off at most,
  /// in milliseconds.
  var (quiet, patience): (Int, Int)
  /// How often all documents are checked where not all folders are watched, in milliseconds.
  var rescanPeriod: Int
  /// Whether texts that are not in the index for search are put in while there is nothing else to do.
  var fillsIndex: Bool
  /// Whether backups are kept, and of how many days and weeks.
  var keepsBackups: Bool
  var (backupDays, backupWeeks): (Int, Int)
  /// For how many milliseconds no file must have changed before one is made.
  var backupQuiet: Int
  /// Whether and how the library is synced.
  var sync: SyncLoop.Settings
  /// What is said.
  var level: Logger.Level
  /// What is run at which events.
  var hooks: [LibraryEvent.Kind: [String]]
  /// Which dialects documents are read in.
  var dialects: DialectRules
  /// Why the library's own file is left out.
  var libraryProblem: SettingsProblem?

  /// Reads what is set.
  ///
  /// - Parameter library: the library's folder.
  /// - Throws: the first thing that is wrong, in one line.
  init(_ request: DaemonRequest, environment: [String: String], library: String)
    throws(SettingsProblem)
  {
    let settings = try Settings(environment: environment, library: library)
    libraryProblem = settings.libraryProblem
    dialects = DialectRules(settings)
    quiet = settings.number(.daemonSettle)
    patience = settings.number(.daemonSettleMax)
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
      let own = [settings.text(kind.hook)].filter { !$0.isEmpty }
      hooks[kind] = request.commands.isEmpty ? own : request.commands
    }
  }
}

extension LibraryEvent.Kind {
  /// The setting with the command that is run at such events.
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

extension SettingsProblem {
  /// What is wrong and what to do about it, in one line.
  var line: String {
    fullDescription.split(whereSeparator: \.isNewline).joined(separator: " ")
  }
}

extension Daemon {
  /// Reads the settings again; what is wrong with them is said, and the old ones stay.
  func takeSettings() {
    do throws(SettingsProblem) {
      let new = try readSettings()
      if let problem = new.libraryProblem { throw problem }
      settings = new
      settingsProblem = nil
      threshold.level = settings.level
      hooks.use(settings.hooks)
      sync.use(settings.sync)
      if library.dialects.rules != settings.dialects {
        library.dialects.rules = settings.dialects
        // Any document may be in another dialect now.
        deferredChanges.rescan = deferredChanges.rescan ?? .requested
      }
      nextRescan = min(nextRescan, Clock.now + settings.rescanPeriod)
    } catch {
      let problem = "the settings stay as they were: \(error.line)"
      log.warning("\(problem)")
      settingsProblem = problem
    }
  }
}
