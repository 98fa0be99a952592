import Logging
import SystemSupport
import Workspace

/// Backups of the library, and rows of it that cannot be read.
extension Daemon {
  /// After how many milliseconds it is looked again at whether a backup is due.
  private static let backupPeriod = 3_600_000

  /// When it is time to look at whether a backup is due; nil when none is kept, or while there is
  /// something else to do.
  var backupTime: Int? {
    guard settings.keepsBackups, status.state != .starting, BackupFolder(of: location) != nil else {
      return nil
    }
    return max(nextBackup, lastChange + settings.backupQuiet)
  }

  func beginBackup() {
    nextBackup = Clock.now + Self.backupPeriod
    guard let folder = BackupFolder(of: location) else { return }
    job = .backup
    worker.backUp(
      BackupKeeper(
        library, in: folder, days: settings.backupDays, weeks: settings.backupWeeks))
  }

  /// Says that a backup was made, or once why none could be made.
  func take(_ result: Result<BackupKeeper.Outcome, UserError>) {
    switch result {
    case .success(.made(let file, let bytes)):
      backupProblem = nil
      log.info("backup made", metadata: ["file": "\(file)", "bytes": "\(bytes)"])
    case .success: backupProblem = nil
    case .failure(let error):
      let problem = "no backup could be made: \(error)"
      guard backupProblem != problem else { return }
      backupProblem = problem
      log.warning("\(problem)")
      publish(LibraryEvent(.problem, message: problem))
    }
  }

  /// Says which rows of the library were left out; the library tells of each once.
  func report(_ damagedRows: [String]) {
    for problem in damagedRows {
      let line = "\(problem); that row is skipped; `diple doctor` shows more"
      log.warning("\(line)")
      publish(LibraryEvent(.problem, message: line))
    }
  }
}
