/// What the system says of a file without its being read. Times are nanoseconds since 1970.
package struct FileStamp: Hashable, Sendable {
  /// Bytes.
  package var size: Int64
  /// When the content last changed.
  package var mtime: Int64
  /// When anything about it last changed.
  package var ctime: Int64
  /// Its number on its device.
  package var inode: UInt64
  /// Its device.
  package var device: UInt64
  /// When this was asked.
  package var checked: Int64

  /// Makes a stamp of its parts.
  package init(
    size: Int64, mtime: Int64, ctime: Int64, inode: UInt64, device: UInt64, checked: Int64
  ) {
    self.size = size
    self.mtime = mtime
    self.ctime = ctime
    self.inode = inode
    self.device = device
    self.checked = checked
  }
}
