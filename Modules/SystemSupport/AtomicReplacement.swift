import CSys
import CXattr
import Glibc

/// New content for a file, which takes the file's name as a whole: whoever reads the file, and
/// whatever is killed, sees the old content or the new, never a part.
///
/// The content is written beside the file and made durable by `init`; `commit` renames it, and
/// `makeDurable` has the name survive a power cut. What is not committed is removed again.
package final class AtomicReplacement {
  /// The file, without symbolic links.
  package let target: String
  private let copy: String
  /// Tells the new content from whatever else may come to have its name.
  private var identity = (device: dev_t(), inode: ino_t())
  private var isDone = false

  /// Writes the content beside a file.
  ///
  /// - Parameters:
  ///   - target: the file that is replaced or made; it must not be a symbolic link.
  ///   - copy: the name of the content until then; one that cannot be in use when nil.
  ///   - mode: its mode; nil for that of the file, and 0644 where there is none.
  package init(
    of target: String, with bytes: some Collection<UInt8>, as copy: String? = nil,
    mode: UInt32? = nil
  ) throws(SystemFailure) {
    self.target = target
    let descriptor: Int32
    if let copy {
      self.copy = copy
      descriptor = open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    } else {
      // A name of its own length: that of the file may be as long as names can be.
      var template = Array(target.parentFolder.appending(".diple-XXXXXX").utf8CString)
      descriptor = mkstemp(&template)
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      self.copy = String(
        decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    guard descriptor >= 0 else {
      isDone = true
      throw SystemFailure()
    }
    defer { close(descriptor) }
    guard Descriptor.write(bytes, to: descriptor), Self.adopt(target, mode, descriptor),
      fsync(descriptor) == 0
    else {
      let failure = SystemFailure()
      unlink(self.copy)
      isDone = true
      throw failure
    }
    var status = stat()
    fstat(descriptor, &status)
    identity = (status.st_dev, status.st_ino)
  }

  deinit { if !isDone { unlink(copy) } }

  /// Gives the content the file's name.
  package func commit() throws(SystemFailure) {
    guard rename(copy, target) == 0 else { throw SystemFailure() }
    isDone = true
  }

  /// Gives the content the file's name, unless the file is no longer what is expected: then it is,
  /// or is again, as somebody else left it.
  ///
  /// The two exchange their names, and what came out is looked at then: between a look at a file and
  /// a step that replaces it, another program could write it. Where a file system cannot exchange
  /// names, the look comes first.
  ///
  /// - Parameter isExpected: whether the file at a path is what is to be replaced.
  /// - Returns: whether the file was replaced.
  package func commit(where isExpected: (String) -> Bool) throws(SystemFailure) -> Bool {
    guard csys_exchange(copy, target) == 0 else {
      switch errno {
      case ENOENT: return false
      case EINVAL, ENOSYS:
        guard isExpected(target) else { return false }
        try commit()
        return true
      default: throw SystemFailure()
      }
    }
    if isExpected(copy) {
      unlink(copy)
      isDone = true
      return true
    }
    guard csys_exchange(copy, target) == 0 else {
      // What somebody else wrote lies under the copy's name, and must stay.
      isDone = true
      throw SystemFailure()
    }
    var status = stat()
    if lstat(copy, &status) == 0, (status.st_dev, status.st_ino) != identity {
      // A third content took the file's name meanwhile: it is the newest.
      _ = csys_exchange(copy, target)
    }
    return false
  }

  /// Makes the new names of files durable. Each folder is asked once.
  package static func makeDurable(_ targets: some Sequence<String>) {
    for folder in Set(targets.map(\.parentFolder)) {
      let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      // Some file systems cannot; then the names are as durable as they make them.
      fsync(descriptor)
      close(descriptor)
    }
  }

  /// Replaces or makes a file in one step, durably; a symbolic link is followed. What is no regular
  /// file, such as a device or a FIFO, is written to: it must not be replaced by a file.
  ///
  /// - Parameter mode: as for `init`.
  package static func write(
    _ bytes: some Collection<UInt8>, to path: String, mode: UInt32? = nil
  ) throws(SystemFailure) {
    let target = FileSystem.resolved(path) ?? FileSystem.absolute(path)
    var status = stat()
    if stat(target, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      let descriptor = open(target, O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw SystemFailure() }
      defer { close(descriptor) }
      guard Descriptor.write(bytes, to: descriptor) else { throw SystemFailure() }
      return
    }
    try AtomicReplacement(of: target, with: bytes, mode: mode).commit()
    makeDurable([target])
  }

  /// Gives the new file the mode, owner and extended attributes of the old one. Only the mode is
  /// insisted on.
  private static func adopt(_ path: String, _ mode: UInt32?, _ descriptor: Int32) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else { return fchmod(descriptor, mode ?? 0o644) == 0 }
    // Before the mode, because a change of owner takes some of its bits away.
    _ = fchown(descriptor, status.st_uid, status.st_gid)
    adoptAttributes(path, descriptor)
    return fchmod(descriptor, mode ?? status.st_mode & 0o7777) == 0
  }

  private static func adoptAttributes(_ path: String, _ descriptor: Int32) {
    let size = listxattr(path, nil, 0)
    guard size > 0 else { return }
    var names = [CChar](repeating: 0, count: size)
    let count = listxattr(path, &names, names.count)
    guard count > 0 else { return }
    for name in names[..<count].split(separator: 0) {
      let name = Array(name) + [0]
      let length = getxattr(path, name, nil, 0)
      guard length >= 0 else { continue }
      var value = [UInt8](repeating: 0, count: length)
      guard getxattr(path, name, &value, length) == length else { continue }
      _ = fsetxattr(descriptor, name, value, length, 0)
    }
  }
}
