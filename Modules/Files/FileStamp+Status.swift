package import Glibc
package import Model
import SystemSupport

extension FileStamp {
  /// Creates a stamp from a file's status. `checked` is the time of the check in nanoseconds since
  /// 1970.
  package init(_ status: stat, checked: Int64) {
    self.init(
      size: Int64(status.st_size), mtime: Self.nanoseconds(status.st_mtim),
      ctime: Self.nanoseconds(status.st_ctim), inode: UInt64(status.st_ino),
      device: UInt64(status.st_dev), checked: checked)
  }

  /// The current time in nanoseconds since 1970.
  package static var currentTime: Int64 { nanoseconds(Clock.fileTime) }

  /// The maximum absolute value of a stored time, in nanoseconds from 1970.
  private static let limit: Int64 = 1 << 62

  private static func nanoseconds(_ time: timespec) -> Int64 {
    // Times after the year 2116 are clamped to the same value, so they do not prove anything.
    let seconds = Int64(time.tv_sec).clamped(to: -limit / 1_000_000_000...limit / 1_000_000_000)
    return (seconds * 1_000_000_000 + Int64(time.tv_nsec)).clamped(to: -limit...limit)
  }

  /// Whether a file with the stamp `now` certainly has the same content as at this stamp.
  ///
  /// If a file was written less than two seconds before it was checked, it may change again without
  /// a new timestamp, because the timestamps of file systems are coarse. Such a stamp proves
  /// nothing. Git applies the same rule to its index.
  package func provesUnchanged(_ now: FileStamp) -> Bool {
    let same =
      (size, mtime, ctime, inode, device) == (now.size, now.mtime, now.ctime, now.inode, now.device)
    return same && max(mtime, ctime) + 2_000_000_000 < checked
  }
}

extension Int64 {
  fileprivate func clamped(to range: ClosedRange<Int64>) -> Int64 {
    Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }
}
