package import Glibc
package import Model
import SystemSupport

extension FileStamp {
  /// The stamp of a file's status, taken at `checked` nanoseconds since 1970.
  package init(_ status: stat, checked: Int64) {
    self.init(
      size: Int64(status.st_size), mtime: Self.nanoseconds(status.st_mtim),
      ctime: Self.nanoseconds(status.st_ctim), inode: UInt64(status.st_ino),
      device: UInt64(status.st_dev), checked: checked)
  }

  /// Nanoseconds since 1970 by the system's clock.
  package static var currentTime: Int64 { nanoseconds(Clock.fileTime) }

  /// The latest time that the library stores, in nanoseconds since 1970, and before it.
  private static let limit: Int64 = 1 << 62

  private static func nanoseconds(_ time: timespec) -> Int64 {
    // Beyond the year 2116 all times are the same one, which proves nothing.
    let seconds = Int64(time.tv_sec).clamped(to: -limit / 1_000_000_000...limit / 1_000_000_000)
    return (seconds * 1_000_000_000 + Int64(time.tv_nsec)).clamped(to: -limit...limit)
  }

  /// Whether a file with the stamp `now` surely has the content it had at this one.
  ///
  /// A file that was written less than two seconds before it was checked may change again
  /// without any of its times changing (the clock of a file system ticks slowly), so such a stamp
  /// proves nothing: the same rule as git's for its index.
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
