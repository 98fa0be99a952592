import Glibc
import Model
import Storage

/// The few calls into the system that the library needs, each with an error that names the path.
enum FileSystem {
  /// The status of a path, following links; nil when there is nothing at it.
  static func status(of path: String) throws(LibraryError) -> stat? {
    var status = stat()
    if stat(path, &status) == 0 { return status }
    if errno == ENOENT || errno == ENOTDIR { return nil }
    throw systemError("look at", path)
  }

  /// The error that `errno` stands for, with what was tried.
  static func systemError(_ action: String, _ path: String, number: Int32 = errno) -> LibraryError {
    let reason = String(cString: strerror(number))
    return switch number {
    case ENOENT, ENOTDIR: LibraryError(.notFound, "no such file: \(path)")
    case EACCES, EPERM:
      LibraryError(
        .notFound, "cannot \(action) \(path): \(reason)",
        hint: "check the permissions of the file and its folders")
    case ENOSPC, EDQUOT:
      LibraryError(.conflict, "cannot \(action) \(path): \(reason)", hint: "free some space")
    case EROFS: LibraryError(.conflict, "cannot \(action) \(path): \(reason)")
    default: LibraryError(.notFound, "cannot \(action) \(path): \(reason)")
    }
  }

  /// Makes a folder and those above it. Nothing happens when it is there.
  static func makeFolder(_ path: String) throws(LibraryError) {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
      throw systemError("make the folder", path)
    }
    try makeFolder(String(path[..<slash]))
    if mkdir(path, 0o700) != 0 && errno != EEXIST { throw systemError("make the folder", path) }
  }

  /// The folder that relative paths start from.
  static var currentFolder: String {
    guard let buffer = getcwd(nil, 0) else { return "/" }
    defer { free(buffer) }
    return String(cString: buffer)
  }

  /// An absolute path without `.`, `..` and doubled slashes. Links are left as they are: a person
  /// knows a file by the name that they gave.
  static func absolute(_ path: String, from folder: String = currentFolder) -> String {
    let full = path.hasPrefix("/") ? path : folder + "/" + path
    var components: [Substring] = []
    for component in full.split(separator: "/") {
      switch component {
      case ".": continue
      case "..": _ = components.popLast()
      default: components.append(component)
      }
    }
    return "/" + components.joined(separator: "/")
  }
}

extension stat {
  /// Whether it is a folder's.
  var isFolder: Bool { st_mode & S_IFMT == S_IFDIR }
}

extension FileStamp {
  /// The stamp of a file's status, taken at `checked` nanoseconds since 1970.
  init(_ status: stat, checked: Int64) {
    self.init(
      size: Int64(status.st_size), mtime: Self.nanoseconds(status.st_mtim),
      ctime: Self.nanoseconds(status.st_ctim), inode: UInt64(status.st_ino),
      device: UInt64(status.st_dev), checked: checked)
  }

  /// Nanoseconds since 1970 by the system's clock.
  static var currentTime: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return nanoseconds(time)
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Whether a file with the stamp `now` surely has the content it had at this one.
  ///
  /// A file that was written less than two seconds before it was looked at may change again
  /// without any of its times changing (the clock of a file system ticks slowly), so such a stamp
  /// proves nothing: the same rule as git's for its index.
  func provesUnchanged(_ now: FileStamp) -> Bool {
    let same =
      (size, mtime, ctime, inode, device) == (now.size, now.mtime, now.ctime, now.inode, now.device)
    return same && max(mtime, ctime) + 2_000_000_000 < checked
  }
}
