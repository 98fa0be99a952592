package import FoundationEssentials
import Glibc
package import SystemSupport

/// Makes automatic backups of a library: at most one a day, and only if the library has changed.
/// Old backups are deleted.
///
/// ```swift
/// guard let folder = BackupFolder(of: location) else { return }
/// let keeper = BackupKeeper(library, in: folder, days: 7, weeks: 4)
/// if case .made(let path, let bytes) = try await keeper.run(at: .now) {
///   print("\(path): \(bytes) bytes")
/// }
/// ```
package struct BackupKeeper: Sendable {
  /// The result of one run.
  package enum Outcome: Hashable, Sendable {
    /// A backup was already made today, in UTC.
    case notDue
    /// The newest backup has the library's present content.
    case unchanged
    /// A backup was made, with its path and its size in bytes.
    case made(String, bytes: Int)
  }

  private let library: Library
  private let folder: BackupFolder
  private let (days, weeks): (Int, Int)

  /// Creates a keeper that keeps the newest backup of each of the last `days` days and each of the
  /// last `weeks` weeks with a backup.
  package init(_ library: Library, in folder: BackupFolder, days: Int, weeks: Int) {
    (self.library, self.folder, self.days, self.weeks) = (library, folder, days, weeks)
  }

  /// Makes a backup if one is due, and then deletes surplus ones. If the backup fails, no older one
  /// is deleted.
  ///
  /// - Throws: `damaged` if the library is damaged; `conflict` if the backup cannot be written.
  package func run(at now: Date) async throws(UserError) -> Outcome {
    let newest = folder.entries().first
    // A backup with a future date, from a clock that was once ahead, must not prevent new ones.
    if let newest, newest.date <= now, BackupFolder.day(newest.date) == BackupFolder.day(now) {
      return .notDue
    }
    let mark = try await library.contentMark()
    if newest?.mark == mark { return .unchanged }
    do throws(SystemCallError) { try PrivateFile.makeFolder(folder.path) } catch {
      throw UserError(.conflict, "cannot create the folder \(folder.path) for backups: \(error)")
    }
    folder.sweep()
    let file = folder.file(at: now, mark: mark)
    let bytes = try library.backUp(to: file, replacing: false)
    for entry in BackupFolder.surplus(folder.entries(), days: days, weeks: weeks)
    where entry.path != file { unlink(entry.path) }
    return .made(file, bytes: bytes)
  }
}
