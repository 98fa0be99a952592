import Glibc

/// Files that belong to this person alone: opened without following a link, and only where they are
/// regular files of this person. Whatever else lies at their place was put there by another user.
package enum PrivateFile {
  /// Opens or makes a file of this person's with mode 0600.
  ///
  /// - Parameter flags: as for open(2); `O_NOFOLLOW`, `O_NONBLOCK`, `O_NOCTTY` and `O_CLOEXEC` are
  ///   added, and `O_TRUNC` must not be among them: a file is checked before it is changed.
  /// - Throws: `ELOOP` for a symbolic link, `EPERM` for another's file, `EINVAL` for what is no
  ///   regular file.
  package static func open(_ path: String, _ flags: Int32) throws(SystemFailure) -> Int32 {
    let flags = flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    let descriptor = Glibc.open(path, flags, 0o600)
    guard descriptor >= 0 else { throw SystemFailure() }
    var status = stat()
    let failure: Int32? =
      if fstat(descriptor, &status) != 0 {
        errno
      } else if status.st_mode & S_IFMT != S_IFREG {
        EINVAL
      } else if status.st_uid != geteuid() {
        EPERM
      } else {
        nil
      }
    if let failure {
      close(descriptor)
      throw SystemFailure(failure)
    }
    return descriptor
  }

  /// The content of a small regular file that no link leads to; nil when nothing is there.
  ///
  /// - Parameter limit: the most bytes; a longer file is `EFBIG`.
  package static func content(of path: String, limit: Int = 1 << 20) throws(SystemFailure)
    -> [UInt8]?
  {
    let descriptor: Int32
    do { descriptor = try open(path, O_RDONLY) } catch {
      if error.number == ENOENT || error.number == ENOTDIR { return nil }
      throw error
    }
    defer { close(descriptor) }
    return try Descriptor.content(of: descriptor, limit: limit)
  }

  /// Makes a file where there is none yet.
  package static func make(_ path: String, holding bytes: some Collection<UInt8>)
    throws(SystemFailure)
  {
    let file = try open(path, O_WRONLY | O_CREAT | O_EXCL)
    defer { close(file) }
    guard Descriptor.write(bytes, to: file) else { throw SystemFailure() }
  }

  /// Makes a folder that only this person may enter, and those above it.
  ///
  /// - Throws: `EPERM` when what is there is another's, or others may write in it.
  package static func makeFolder(_ path: String) throws(SystemFailure) {
    try FileSystem.makeFolders(path)
    var status = stat()
    guard lstat(path, &status) == 0 else { throw SystemFailure() }
    guard status.isFolder else { throw SystemFailure(ENOTDIR) }
    guard status.st_uid == geteuid() else { throw SystemFailure(EPERM) }
    if status.st_mode & 0o077 != 0, chmod(path, 0o700) != 0 { throw SystemFailure() }
  }
}

extension stat {
  /// Whether others than the owner may write it. A group that by its number is this person's
  /// own, as many systems make one for each person, is nobody else.
  package var isWritableByOthers: Bool {
    if st_mode & 0o002 != 0 { return true }
    return st_mode & 0o020 != 0 && st_gid != geteuid()
  }
}
