import CSQLite
import Glibc
import SystemSupport

/// A file beside the database, `NAME-damaged`, which records that a process found a damaged page.
///
/// SQLite only notices the damage of a page when it reads the page. Without the mark, a command that
/// reads other pages would go on writing into a library that the one before it found damaged. A
/// check that finds the database sound removes the mark. The mark names the database's inode, so
/// that it does not apply to a database that replaced the damaged one.
struct DamageMark {
  private let path: String
  private let inode: UInt

  init(of database: String, inode: UInt) {
    (path, self.inode) = (Self.path(of: database), inode)
  }

  /// The message of the error that was found; nil if there is no mark for this database.
  var detail: String? {
    guard let bytes = try? PrivateFile.content(of: path, limit: 4_096) else { return nil }
    let parts = String(decoding: bytes, as: UTF8.self).split(separator: "\n", maxSplits: 1)
    guard parts.count == 2, UInt(parts[0]) == inode else { return nil }
    return String(parts[1])
  }

  /// Creates the mark if an error is about a damaged page of the database. Damage of the search
  /// index, which can be rebuilt, is not marked. A failure is ignored: the disk may be read-only.
  func set(_ error: SQLiteError) {
    guard error.code == SQLITE_CORRUPT, error.systemError != EIO,
      error.extendedCode != SQLITE_CORRUPT | 1 << 8
    else { return }
    try? AtomicReplacement.write(
      Array("\(inode)\n\(error.message)".utf8.prefix(1_024)), to: path, mode: 0o600)
  }

  /// Deletes the mark, after a check that found the database sound.
  func remove() { unlink(path) }

  /// Deletes the mark of a database that was replaced. The new one may get the old inode's number.
  static func remove(of database: String) { unlink(path(of: database)) }

  private static func path(of database: String) -> String { database + "-damaged" }
}
