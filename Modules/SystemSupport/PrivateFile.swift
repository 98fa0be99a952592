import Glibc

/// Opens files that only the user may have written: regular files that the user owns, and never
/// through a symbolic link. Another user could have put anything else in their place.
package enum PrivateFile {
  /// Opens or creates one of the user's files with mode 0600.
  ///
  /// - Parameter flags: as for open(2); `O_NOFOLLOW`, `O_NONBLOCK`, `O_NOCTTY` and `O_CLOEXEC` are
  ///   added. Must not contain `O_TRUNC`, because a file is checked before it is changed.
  /// - Throws: `ELOOP` for a symbolic link, `EPERM` for another user's file, `EINVAL` if it isn't a
  ///   regular file.
  package static func open(_ path: String, _ flags: Int32) throws(SystemCallError) -> Int32 {
    let flags = flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    let descriptor = Glibc.open(path, flags, 0o600)
    guard descriptor >= 0 else { throw SystemCallError() }
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
      throw SystemCallError(failure)
    }
    return descriptor
  }

  /// Reads a small regular file; nil if it is missing.
  ///
  /// - Parameter limit: the maximum size in bytes.
  /// - Throws: `EFBIG` for a larger file, or the errors of `open`.
  package static func content(of path: String, limit: Int = 1 << 20) throws(SystemCallError)
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

  /// Creates a file with the given content.
  ///
  /// - Throws: `EEXIST` if the file exists.
  package static func make(_ path: String, containing bytes: some Collection<UInt8>)
    throws(SystemCallError)
  {
    let file = try open(path, O_WRONLY | O_CREAT | O_EXCL)
    defer { close(file) }
    guard Descriptor.write(bytes, to: file) else { throw SystemCallError() }
  }

  /// Creates a folder that only the user may enter, and its missing parents. Removes the rights of
  /// others on an existing folder.
  ///
  /// - Throws: `EPERM` if the folder belongs to another user, `ENOTDIR` if it isn't a folder.
  package static func makeFolder(_ path: String) throws(SystemCallError) {
    try FileSystem.makeFolders(path)
    var status = stat()
    guard lstat(path, &status) == 0 else { throw SystemCallError() }
    guard status.isFolder else { throw SystemCallError(ENOTDIR) }
    guard status.st_uid == geteuid() else { throw SystemCallError(EPERM) }
    if status.st_mode & 0o077 != 0, chmod(path, 0o700) != 0 { throw SystemCallError() }
  }
}

extension stat {
  /// Whether users other than the owner may write the file. A group whose number is the user's is
  /// not another user: many systems create one group for each user.
  package var isWritableByOthers: Bool {
    if st_mode & 0o002 != 0 { return true }
    return st_mode & 0o020 != 0 && st_gid != geteuid()
  }
}
