/// What the system says of a file without its being read. Times are nanoseconds since 1970.
public struct FileStamp: Hashable, Sendable {
  /// Bytes.
  public var size: Int64
  /// When the content last changed.
  public var mtime: Int64
  /// When anything about it last changed.
  public var ctime: Int64
  /// Its number on its device.
  public var inode: UInt64
  /// Its device.
  public var device: UInt64
  /// When this was asked.
  public var checked: Int64

  /// Makes a stamp of its parts.
  public init(
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
