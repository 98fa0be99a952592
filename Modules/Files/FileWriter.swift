import CXattr
import Glibc
package import Model
package import SystemSupport

/// Replaces a file's content as a whole: whoever reads the file, and whatever is killed, sees the
/// old content or the new, never a part.
///
/// The new content is written beside the file, under the name `.NAME.diple-new`, made durable, and
/// takes the file's name. Links are followed; mode, owner and extended attributes are kept as far as
/// the system lets us. Another name of the file (a hard link) keeps the old content. Callers hold the
/// library's write lock, so that a copy which is found there was left by a process that was killed.
package final class FileWriter {
  private let path: String
  private let target: String
  private let copy: String
  private let old: [UInt8]
  private var isDone = false

  /// Writes the new content beside the file.
  ///
  /// - Parameter old: the bytes that the new ones were made of.
  /// - Throws: `conflict` when the file has other bytes by now, or cannot be written.
  package init(replacing path: String, _ old: [UInt8], with bytes: [UInt8]) throws(UserError) {
    self.path = path
    self.old = old
    guard let resolved = realpath(path, nil) else { throw Self.failure(path) }
    target = String(cString: resolved)
    free(resolved)
    copy = Self.copy(of: target)
    try Self.check(path, old)
    guard access(target, W_OK) == 0 else { throw Self.failure(path) }
    unlink(copy)
    let descriptor = open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.failure(path) }
    do throws(UserError) {
      defer { close(descriptor) }
      guard Descriptor.write(bytes, to: descriptor), Self.adopt(target, descriptor),
        fsync(descriptor) == 0
      else { throw Self.failure(path) }
    } catch {
      unlink(copy)
      throw error
    }
  }

  deinit { if !isDone { unlink(copy) } }

  /// Gives the new content the file's name; `makeDurable` has it survive a power cut.
  ///
  /// - Returns: what the system says of the file now.
  /// - Throws: `conflict` when somebody changed the file meanwhile; it is as they left it.
  package func commit() throws(UserError) -> FileStamp {
    try Self.check(path, old)
    guard rename(copy, target) == 0 else { throw Self.failure(path) }
    isDone = true
    guard let status = try FileSystem.status(of: path) else { throw Self.changed(path) }
    return FileStamp(status, checked: FileStamp.currentTime)
  }

  /// The name under which the new content of a file is written.
  private static func copy(of target: String) -> String {
    let slash = target.lastIndex(of: "/") ?? target.startIndex
    return "\(target[...slash]).\(target[target.index(after: slash)...]).diple-new"
  }

  /// Takes away what a process that was killed left beside a file.
  package static func removeCopy(of path: String) {
    guard let resolved = realpath(path, nil) else { return }
    unlink(copy(of: String(cString: resolved)))
    free(resolved)
  }

  /// Makes the new names of files durable. Each folder is asked once.
  package static func makeDurable(_ writers: [FileWriter]) {
    for folder in Set(
      writers.map { $0.target[...($0.target.lastIndex(of: "/") ?? $0.target.startIndex)] })
    {
      let descriptor = open(String(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      // Some file systems cannot; then the names are as durable as they make them.
      fsync(descriptor)
      close(descriptor)
    }
  }

  private static func check(_ path: String, _ old: [UInt8]) throws(UserError) {
    guard try SourceFile.content(of: path).0 == old else { throw changed(path) }
  }

  private static func changed(_ path: String) -> UserError {
    UserError(
      .conflict, "\(path) was changed meanwhile; nothing was written", hint: "try it again")
  }

  /// The error that `errno` stands for. A file that cannot be written is no missing one.
  private static func failure(_ path: String) -> UserError {
    var error = FileSystem.systemError("write", path)
    if errno != ENOENT, errno != ENOTDIR { error.code = .conflict }
    return error
  }

  /// Gives the new file the mode, owner and extended attributes of the old one. Only the mode is
  /// insisted on.
  private static func adopt(_ path: String, _ descriptor: Int32) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else { return false }
    // Before the mode, because a change of owner takes some of its bits away.
    _ = fchown(descriptor, status.st_uid, status.st_gid)
    adoptAttributes(path, descriptor)
    return fchmod(descriptor, status.st_mode & 0o7777) == 0
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
