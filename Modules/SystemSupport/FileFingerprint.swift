import Glibc

/// The status of a file that changes with its content: size, inode and modification time. If
/// two fingerprints differ, the content may differ.
package struct FileFingerprint: Hashable, Sendable {
  private let size: Int
  private let inode: UInt
  private let seconds: Int
  private let nanoseconds: Int

  /// Reads the status of a file, following symbolic links. Nil if there is none.
  package init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    size = Int(status.st_size)
    inode = UInt(status.st_ino)
    seconds = status.st_mtim.tv_sec
    nanoseconds = status.st_mtim.tv_nsec
  }
}
