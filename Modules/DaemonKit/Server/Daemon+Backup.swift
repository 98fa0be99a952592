import Logging
import SystemSupport
import Workspace

/// Backups of the library, and reports of unreadable rows in it.
extension Daemon {
  /// The time between two checks whether a backup is due, in milliseconds.
  private static let backupPeriod = 3_600_000

  /// The time of the next check whether a backup is due, or nil if backups are off or the daemon is
  /// starting.
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

  /// Logs the result of a backup. The same failure is reported only once.
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

  /// Reports the rows that the library skipped. The library returns each of them once.
  func report(_ damagedRows: [String]) {
    for problem in damagedRows {
      let line = "\(problem); that row is skipped; `diple doctor` shows more"
      log.warning("\(line)")
      publish(LibraryEvent(.problem, message: line))
    }
  }
}
