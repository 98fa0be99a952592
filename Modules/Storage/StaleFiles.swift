import Glibc
import SystemSupport

/// Temporary files that killed processes left beside a library.
///
/// They are named `NAME.PURPOSE-PROCESS-NUMBER`; SQLite appends `-wal`, `-shm` or `-journal`.
enum StaleFiles {
  /// The age in seconds from which a file is deleted. No process takes that long to write a file.
  private static let age = 3_600

  /// Deletes old temporary files of the current user whose process no longer exists.
  ///
  /// Errors are ignored.
  ///
  /// - Parameters:
  ///   - path: the library beside which the files are.
  ///   - purposes: the values of PURPOSE to match.
  static func sweep(besides path: String, purposes: [String]) {
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { String(path[...$0]) } ?? "./"
    let start = (slash.map { path[path.index(after: $0)...] } ?? path[...]) + "."
    var left: [String] = []
    try? FileSystem.forEachName(in: folder) { name in
      guard name.hasPrefix(start) else { return }
      let rest = name.dropFirst(start.count).split(separator: "-", omittingEmptySubsequences: false)
      guard (3...4).contains(rest.count), purposes.contains(String(rest[0])),
        let process = pid_t(rest[1]), process > 0, UInt64(rest[2]) != nil,
        rest.count == 3 || ["wal", "shm", "journal"].contains(rest[3]),
        kill(process, 0) != 0, errno == ESRCH
      else { return }
      left.append(folder + name)
    }
    for file in left {
      var status = stat()
      guard lstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
        status.st_uid == geteuid(), time(nil) - status.st_mtim.tv_sec > age
      else { continue }
      unlink(file)
    }
  }
}
