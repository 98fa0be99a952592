/// The status of a file, which the system reports without reading the file. Times are nanoseconds
/// since 1970.
package struct FileStamp: Hashable, Sendable {
  /// The size in bytes.
  package var size: Int64
  /// The time of the last change to the content.
  package var mtime: Int64
  /// The time of the last change to the content or the metadata.
  package var ctime: Int64
  /// The inode number, unique within `device`.
  package var inode: UInt64
  /// The number of the device that contains the file system.
  package var device: UInt64
  /// The time at which the status was read.
  package var checked: Int64

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
