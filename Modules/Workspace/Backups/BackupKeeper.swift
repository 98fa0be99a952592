package import FoundationEssentials
import Glibc
package import SystemSupport

/// Keeps backups of a library: at most one a day, none of what is backed up already, and no more than
/// is asked for.
package struct BackupKeeper: Sendable {
  /// What came of a look at whether there is something to do.
  package enum Outcome: Hashable, Sendable {
    /// There is a backup of today.
    case notDue
    /// The newest backup has all that the library says.
    case unchanged
    /// One was made, of so many bytes.
    case made(String, bytes: Int)
  }

  private let library: Library
  private let folder: BackupFolder
  private let (days, weeks): (Int, Int)

  /// Keeps the newest backup of each of so many days, and of each of so many weeks.
  package init(_ library: Library, in folder: BackupFolder, days: Int, weeks: Int) {
    (self.library, self.folder, self.days, self.weeks) = (library, folder, days, weeks)
  }

  /// Makes a backup if one is due. A backup that fails takes none away.
  ///
  /// - Throws: `damaged` when the library is not sound, `conflict` when the backup cannot be written.
  package func run(at now: Date) async throws(UserError) -> Outcome {
    let newest = folder.entries().first
    // A clock that was ahead once must not keep backups from being made.
    if let newest, newest.date <= now, BackupFolder.day(newest.date) == BackupFolder.day(now) {
      return .notDue
    }
    let mark = try await library.contentMark()
    if newest?.mark == mark { return .unchanged }
    do throws(SystemFailure) { try PrivateFile.makeFolder(folder.path) } catch {
      throw UserError(.conflict, "cannot make the folder \(folder.path) for backups: \(error)")
    }
    folder.sweep()
    let file = folder.file(at: now, mark: mark)
    let bytes = try library.backUp(to: file, replacing: false)
    for entry in BackupFolder.surplus(folder.entries(), days: days, weeks: weeks)
    where entry.path != file { unlink(entry.path) }
    return .made(file, bytes: bytes)
  }
}
