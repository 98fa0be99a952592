import Glibc
import Sync
import SystemSupport

/// An open folder. Its entries are accessed relative to its descriptor, and symbolic links aren't
/// followed.
final class OpenFolder {
  /// An error of the system, with the path for messages.
  struct Failure: Error {
    var number: Int32
    var path: String
  }

  let descriptor: Int32
  /// The path, for messages only.
  let path: String

  /// Opens a folder specified by the user. This path may be a symbolic link.
  init(root: String) throws(Failure) {
    path = root
    descriptor = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Failure(number: errno, path: root) }
  }

  private init(descriptor: Int32, path: String) {
    (self.descriptor, self.path) = (descriptor, path)
  }

  deinit { close(descriptor) }

  /// Opens a folder in this one; nil if it doesn't exist or isn't a folder.
  ///
  /// - Parameter creating: whether to create the folder if it doesn't exist. If true, an entry that
  ///   isn't a folder is an error.
  func folder(_ name: String, creating: Bool = false) throws(Failure) -> OpenFolder? {
    let inner = path.appending(name)
    if creating {
      if mkdirat(descriptor, name, 0o777) == 0 {
        // The entry of a new folder must survive a power failure, as do the files in it.
        fsync(descriptor)
      } else if errno != EEXIST {
        throw Failure(number: errno, path: inner)
      }
    }
    let opened = openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
    if opened >= 0 { return OpenFolder(descriptor: opened, path: inner) }
    let isNone = [ENOENT, ENOTDIR, ELOOP].contains(errno)
    if isNone && !creating { return nil }
    throw Failure(number: errno, path: inner)
  }

  /// Calls `body` with the name of each entry except `.` and `..`, in any order.
  func forEachName(_ body: (String) throws(Failure) -> Void) throws(Failure) {
    // Open the folder again, because reading changes the position of the descriptor.
    let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0, let stream = fdopendir(copy) else {
      let number = errno
      if copy >= 0 { close(copy) }
      if number == ENOENT { return }
      throw Failure(number: number, path: path)
    }
    defer { closedir(stream) }
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        if errno != 0 && errno != ENOENT { throw Failure(number: errno, path: path) }
        return
      }
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { try body(name) }
    }
  }

  /// Returns the size of a regular file in bytes; nil if it doesn't exist or isn't a regular file.
  func sizeOfFile(_ name: String) throws(Failure) -> Int? {
    guard let status = try status(name), status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  /// Returns the status of an entry, or of the link itself if it is one; nil if the entry doesn't
  /// exist.
  func status(_ name: String) throws(Failure) -> stat? {
    var status = stat()
    if fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 { return status }
    if errno == ENOENT { return nil }
    throw Failure(number: errno, path: path.appending(name))
  }

  /// Opens a regular file for reading; nil if it doesn't exist or isn't a regular file. The caller
  /// closes the descriptor.
  private func openFile(_ name: String) throws(Failure) -> (descriptor: Int32, status: stat)? {
    let file = openat(
      descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard file >= 0 else {
      if [ENOENT, ELOOP, ENXIO].contains(errno) { return nil }
      throw Failure(number: errno, path: path.appending(name))
    }
    var status = stat()
    guard fstat(file, &status) == 0 else {
      let number = errno
      close(file)
      throw Failure(number: number, path: path.appending(name))
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      close(file)
      return nil
    }
    return (file, status)
  }

  /// Returns the first and the last bytes of a regular file, each at most `count`; nil if it
  /// doesn't exist or isn't a regular file.
  func ends(of name: String, count: Int) throws(Failure) -> (first: [UInt8], last: [UInt8])? {
    guard let (file, status) = try openFile(name) else { return nil }
    defer { close(file) }
    func part(at offset: Int) -> [UInt8] {
      [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
        filled = max(0, pread(file, buffer.baseAddress, count, off_t(offset)))
      }
    }
    return (part(at: 0), part(at: max(0, Int(status.st_size) - count)))
  }

  /// Returns the content of a regular file; nil if it doesn't exist or isn't a regular file.
  ///
  /// - Throws: `Failure` with `EFBIG`, before reading, if the file is larger than `limit` bytes.
  func content(of name: String, limit: Int) throws(Failure) -> [UInt8]? {
    guard let (file, status) = try openFile(name) else { return nil }
    defer { close(file) }
    guard status.st_size <= limit else { throw Failure(number: EFBIG, path: path.appending(name)) }
    do { return try Descriptor.content(of: file, limit: limit) } catch {
      // A file on a network disk can be replaced while it is read.
      if error.number == ESTALE { return nil }
      throw Failure(number: error.number, path: path.appending(name))
    }
  }

  /// Flushes the names of the entries, so that they survive a power failure.
  func flush() throws(Failure) {
    // Some file systems can't flush folders; then the names are as durable as the file system makes
    // them.
    guard fsync(descriptor) == 0 || [EINVAL, ENOSYS, ENOTSUP, EBADF].contains(errno) else {
      throw Failure(number: errno, path: path)
    }
  }

  /// Removes a file. Does nothing if it doesn't exist.
  func remove(_ name: String) throws(Failure) {
    guard unlinkat(descriptor, name, 0) == 0 || errno == ENOENT else {
      throw Failure(number: errno, path: path.appending(name))
    }
  }
}

// MARK: - New files

extension OpenFolder {
  private static let temporaryPrefix = ".tmp-"

  /// Creates a file that gets its name only when it is complete and flushed. An existing file is
  /// left unchanged.
  ///
  /// - Throws: `Failure`; with `EEXIST` if the name belongs to something other than a regular file.
  func make(_ name: String, containing bytes: [UInt8]) throws(Failure) {
    if let status = try status(name) {
      guard status.st_mode & S_IFMT == S_IFREG else {
        throw Failure(number: EEXIST, path: path.appending(name))
      }
      return
    }
    let temporary = Self.temporaryPrefix + String(UInt64.random(in: 0...(.max)), radix: 36)
    let file = openat(
      descriptor, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
    guard file >= 0 else { throw Failure(number: errno, path: path.appending(name)) }
    defer { close(file) }
    // While the file is locked, other processes don't remove it as a leftover of a killed process.
    flock(file, LOCK_EX | LOCK_NB)
    guard Descriptor.write(bytes, to: file), fsync(file) == 0, give(temporary, name) else {
      let number = errno
      unlinkat(descriptor, temporary, 0)
      throw Failure(number: number, path: path.appending(name))
    }
  }

  /// Renames a temporary file without replacing an existing one. Returns false with `errno` set if
  /// that fails.
  private func give(_ temporary: String, _ name: String) -> Bool {
    if linkat(descriptor, temporary, descriptor, name, 0) == 0 || errno == EEXIST {
      return unlinkat(descriptor, temporary, 0) == 0 || errno == ENOENT
    }
    // Some file systems have no hard links. There the name is checked first; only this process
    // writes it.
    guard [EPERM, ENOTSUP, ENOSYS, EMLINK].contains(errno) else { return false }
    var status = stat()
    if fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 {
      return unlinkat(descriptor, temporary, 0) == 0
    }
    return renameat(descriptor, temporary, descriptor, name) == 0
  }

  /// Removes temporary files of this user whose processes were killed while writing.
  func sweep() throws(Failure) {
    var left: [String] = []
    try forEachName { (name) throws(Failure) in
      if name.hasPrefix(Self.temporaryPrefix), left.count < 1000 { left.append(name) }
    }
    for name in left {
      let file = openat(descriptor, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
      guard file >= 0 else { continue }
      defer { close(file) }
      var status = stat()
      guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
        status.st_uid == geteuid(), flock(file, LOCK_EX | LOCK_NB) == 0
      else { continue }
      unlinkat(descriptor, name, 0)
    }
  }
}
