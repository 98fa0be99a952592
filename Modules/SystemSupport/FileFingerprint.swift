import Glibc

/// What can be seen of a file without reading it: another look means another content, or may.
package struct FileFingerprint: Hashable, Sendable {
  private let size: Int
  private let inode: UInt
  private let seconds: Int
  private let nanoseconds: Int

  /// Looks at a file; nil when it is not there.
  package init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    size = Int(status.st_size)
    inode = UInt(status.st_ino)
    seconds = status.st_mtim.tv_sec
    nanoseconds = status.st_mtim.tv_nsec
  }
}
