import Glibc
import Sync
import SystemSupport

/// A folder that is open. What is in it is reached by names alone, and no symbolic link is followed.
final class OpenFolder {
  /// What can go wrong, with the path for a message.
  struct Failure: Error {
    var number: Int32
    var path: String
  }

  let descriptor: Int32
  /// For messages.
  let path: String

  /// Opens a folder that a person named, also through a link.
  init(root: String) throws(Failure) {
    path = root
    descriptor = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Failure(number: errno, path: root) }
  }

  private init(descriptor: Int32, path: String) {
    (self.descriptor, self.path) = (descriptor, path)
  }

  deinit { close(descriptor) }

  /// A folder in this one; nil where there is none, or something else has the name.
  ///
  /// - Parameter making: whether it is made where nothing is; then something else is a failure.
  func folder(_ name: String, making: Bool = false) throws(Failure) -> OpenFolder? {
    let inner = path.appending(name)
    if making {
      if mkdirat(descriptor, name, 0o777) == 0 {
        // The name of a new folder must survive a power cut as the files in it do.
        fsync(descriptor)
      } else if errno != EEXIST {
        throw Failure(number: errno, path: inner)
      }
    }
    let opened = openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
    if opened >= 0 { return OpenFolder(descriptor: opened, path: inner) }
    let isNone = [ENOENT, ENOTDIR, ELOOP].contains(errno)
    if isNone && !making { return nil }
    throw Failure(number: errno, path: inner)
  }

  /// Gives each name in it but `.` and `..`, in no order.
  func forEachName(_ body: (String) throws(Failure) -> Void) throws(Failure) {
    // Another position than that of the descriptor, which may be used again.
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

  /// The size of a regular file; nil for what is none or not there.
  func sizeOfFile(_ name: String) throws(Failure) -> Int? {
    guard let status = try status(name), status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  /// The status of a name, of a link itself; nil where nothing has it.
  func status(_ name: String) throws(Failure) -> stat? {
    var status = stat()
    if fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 { return status }
    if errno == ENOENT { return nil }
    throw Failure(number: errno, path: path.appending(name))
  }

  /// The first and the last bytes of a regular file; nil for what is none or not there.
  func ends(of name: String, count: Int) throws(Failure) -> (first: [UInt8], last: [UInt8])? {
    let file = openat(
      descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard file >= 0 else {
      if [ENOENT, ELOOP, ENXIO].contains(errno) { return nil }
      throw Failure(number: errno, path: path.appending(name))
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else {
      throw Failure(number: errno, path: path.appending(name))
    }
    guard status.st_mode & S_IFMT == S_IFREG else { return nil }
    func part(at offset: Int) -> [UInt8] {
      [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
        filled = max(0, pread(file, buffer.baseAddress, count, off_t(offset)))
      }
    }
    return (part(at: 0), part(at: max(0, Int(status.st_size) - count)))
  }

  /// The content of a regular file; nil for what is none or not there.
  ///
  /// - Throws: `EFBIG` for more than `limit` bytes, before they are read.
  func content(of name: String, limit: Int) throws(Failure) -> [UInt8]? {
    let file = openat(
      descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard file >= 0 else {
      if [ENOENT, ELOOP, ENXIO].contains(errno) { return nil }
      throw Failure(number: errno, path: path.appending(name))
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else {
      throw Failure(number: errno, path: path.appending(name))
    }
    guard status.st_mode & S_IFMT == S_IFREG else { return nil }
    guard status.st_size <= limit else { throw Failure(number: EFBIG, path: path.appending(name)) }
    do { return try Descriptor.content(of: file, limit: limit) } catch {
      // A file that is replaced on a network disk may be gone while it is read.
      if error.number == ESTALE { return nil }
      throw Failure(number: error.number, path: path.appending(name))
    }
  }

  /// Makes the names in it survive a power cut.
  func flush() throws(Failure) {
    // Some file systems cannot; then the names are as durable as they make them.
    guard fsync(descriptor) == 0 || [EINVAL, ENOSYS, ENOTSUP, EBADF].contains(errno) else {
      throw Failure(number: errno, path: path)
    }
  }

  /// Removes a file; nothing happens where there is none.
  func remove(_ name: String) throws(Failure) {
    guard unlinkat(descriptor, name, 0) == 0 || errno == ENOENT else {
      throw Failure(number: errno, path: path.appending(name))
    }
  }
}

// MARK: - New files

extension OpenFolder {
  private static let temporaryPrefix = ".tmp-"

  /// Makes a file that has its name only when it is whole and flushed. A file that is there already
  /// stays as it is.
  func make(_ name: String, holding bytes: [UInt8]) throws(Failure) {
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
    // While it is locked, nobody takes it for what a killed process left.
    flock(file, LOCK_EX | LOCK_NB)
    guard Descriptor.write(bytes, to: file), fsync(file) == 0, give(temporary, name) else {
      let number = errno
      unlinkat(descriptor, temporary, 0)
      throw Failure(number: number, path: path.appending(name))
    }
  }

  /// Gives a temporary file its name, which replaces nothing.
  private func give(_ temporary: String, _ name: String) -> Bool {
    if linkat(descriptor, temporary, descriptor, name, 0) == 0 || errno == EEXIST {
      return unlinkat(descriptor, temporary, 0) == 0 || errno == ENOENT
    }
    // Some file systems have no links. There, a look comes first; nobody else writes this name.
    guard [EPERM, ENOTSUP, ENOSYS, EMLINK].contains(errno) else { return false }
    var status = stat()
    if fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 {
      return unlinkat(descriptor, temporary, 0) == 0
    }
    return renameat(descriptor, temporary, descriptor, name) == 0
  }

  /// Removes what processes of this person left here that were killed while they wrote a file.
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
