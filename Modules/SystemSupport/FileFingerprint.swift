import Glibc

/// The status of a file that changes with its content: device, inode, size and times. If two
/// fingerprints differ, the content may differ.
package struct FileFingerprint: Hashable, Sendable {
  private let device: UInt
  private let inode: UInt
  private let size: Int
  /// The times of the last change to the content and to the metadata, in nanoseconds.
  private let (changed, touched): (Int, Int)

  /// Reads the status of a file, following symbolic links. Nil if there is none.
  package init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = UInt(status.st_dev)
    inode = UInt(status.st_ino)
    size = Int(status.st_size)
    changed = status.st_mtim.tv_sec &* 1_000_000_000 &+ status.st_mtim.tv_nsec
    touched = status.st_ctim.tv_sec &* 1_000_000_000 &+ status.st_ctim.tv_nsec
  }
}
