import CSys
import CXattr
import Glibc

/// Replaces a file's content in one step. Readers see either the old content or the new, never a
/// part, and a crash at any time leaves one of the two.
///
/// `init` writes the content to a copy beside the file and makes it durable. `commit` renames the
/// copy, and `makeDurable` makes the new name survive a power cut. Without a commit, the copy is
/// deleted when the object is released.
///
///     let replacement = try AtomicReplacement(of: path, with: Array("new text".utf8))
///     try replacement.commit()
///     AtomicReplacement.makeDurable([path])
package final class AtomicReplacement {
  /// The path of the file, without symbolic links.
  package let target: String
  private let copy: String
  /// Identifies the new content; another process may create a file with the same name.
  private var identity = (device: dev_t(), inode: ino_t())
  private var isDone = false
  /// Whether the copy's name refers to the file's old content.
  private var holdsOld = false
  /// Descriptors of locked files. `sweep` does not delete a locked file.
  private var locks: [Int32] = []

  /// Writes the content beside a file.
  ///
  /// - Parameters:
  ///   - target: the file to replace or create; must not be a symbolic link.
  ///   - copy: the path of the content until it is committed; nil for a random one.
  ///   - mode: the permission bits of the new file; nil for those of the file that it replaces, or
  ///     for the default of the umask if there is no file.
  /// - Throws: `SystemCallError` if the copy cannot be created, written or synced; the copy is then
  ///   deleted.
  package convenience init(
    of target: String, with bytes: some Collection<UInt8>, as copy: String? = nil,
    mode: UInt32? = nil, isDurable: Bool = true
  ) throws(SystemCallError) {
    try self.init(of: target, as: copy, mode: mode, isDurable: isDurable) {
      (descriptor) throws(SystemCallError) in
      guard Descriptor.write(bytes, to: descriptor) else { throw SystemCallError() }
    }
  }

  /// Writes content that is produced in pieces beside a file.
  ///
  /// - Parameter write: writes the content to a descriptor; if it throws, the copy is deleted.
  package init(
    of target: String, as copy: String? = nil, mode: UInt32? = nil, isDurable: Bool = true,
    write: (Int32) throws(SystemCallError) -> Void
  ) throws(SystemCallError) {
    self.target = target
    var status = stat()
    let isThere = lstat(target, &status) == 0
    let replaced = isThere && status.st_mode & S_IFMT != S_IFLNK ? status : nil
    // A private file stays private while it is written; the umask applies to new files.
    let early: mode_t = mode == nil && replaced == nil ? 0o666 : 0o600
    let (descriptor, name) = try Self.create(copy, beside: target, mode: early)
    self.copy = name
    // `sweep` ignores copies that the caller named, so they need no lock. There may be thousands.
    if copy == nil, flock(descriptor, LOCK_EX | LOCK_NB) == 0 { locks.append(descriptor) }
    defer { if locks.isEmpty { close(descriptor) } }
    do throws(SystemCallError) {
      try write(descriptor)
      guard Self.adopt(replaced, at: target, mode, descriptor),
        !isDurable || fsync(descriptor) == 0
      else {
        throw SystemCallError()
      }
    } catch {
      unlink(self.copy)
      isDone = true
      throw error
    }
    fstat(descriptor, &status)
    identity = (status.st_dev, status.st_ino)
  }

  deinit {
    if !isDone && !holdsOld { unlink(copy) }
    for descriptor in locks { close(descriptor) }
  }

  /// Renames the copy to the file.
  ///
  /// - Throws: `SystemCallError` if the copy cannot be renamed.
  package func commit() throws(SystemCallError) {
    guard rename(copy, target) == 0 else { throw SystemCallError() }
    isDone = true
  }

  /// Renames the copy to the file's name, unless a file with this name exists, so that a file that
  /// was created meanwhile is not lost.
  ///
  /// - Throws: `EEXIST` if there is a file.
  package func commitNew() throws(SystemCallError) {
    guard link(copy, target) == 0 else { throw SystemCallError() }
    unlink(copy)
    isDone = true
  }

  /// Replaces the file, unless another process has changed it: then the file of that process stays,
  /// or is restored.
  ///
  /// The two files exchange their names, and the old one is checked afterwards: between a check and
  /// a replacement, another program could write the file. If the file system cannot exchange names,
  /// the check is made before the replacement.
  ///
  /// - Parameters:
  ///   - keepingOld: whether to keep the old content, under the copy's name, until `discardOld` or
  ///     `revert`. Has no effect if names cannot be exchanged.
  ///   - isExpected: returns whether the file at a path may be replaced.
  /// - Returns: whether the file was replaced.
  /// - Throws: `SystemCallError` if the names cannot be changed.
  package func commit(keepingOld: Bool = false, where isExpected: (String) -> Bool)
    throws(SystemCallError) -> Bool
  {
    // The old file is about to get the name of a copy. Lock it, so that `sweep` does not delete it.
    if !locks.isEmpty {
      let old = open(target, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
      if old >= 0, flock(old, LOCK_SH | LOCK_NB) == 0 { locks.append(old) } else { close(old) }
    }
    guard csys_exchange(copy, target) == 0 else {
      switch errno {
      case ENOENT: return false
      case EINVAL, ENOSYS:
        guard isExpected(target) else { return false }
        try commit()
        return true
      default: throw SystemCallError()
      }
    }
    if isExpected(copy) {
      holdsOld = keepingOld
      if keepingOld { return true }
      unlink(copy)
      isDone = true
      return true
    }
    guard csys_exchange(copy, target) == 0 else {
      // The copy's name refers to the other process's content, which must stay.
      isDone = true
      throw SystemCallError()
    }
    var status = stat()
    if lstat(copy, &status) == 0, (status.st_dev, status.st_ino) != identity {
      // A third process replaced the file meanwhile: its content is the newest.
      _ = csys_exchange(copy, target)
    }
    return false
  }

  /// Deletes the old content that `commit` kept.
  package func discardOld() {
    guard holdsOld else { return }
    unlink(copy)
    (holdsOld, isDone) = (false, true)
  }

  /// Leaves the old content that `commit` kept under the copy's name. For callers that don't know
  /// which of the two contents is needed.
  package func keepOld() { if holdsOld { isDone = true } }

  /// Restores the old content that `commit` kept. Needs no disk space.
  ///
  /// - Returns: false, with nothing changed, if no content was kept, another process wrote the file
  ///   since, or the names cannot be exchanged.
  package func revert() -> Bool {
    var status = stat()
    guard holdsOld, lstat(target, &status) == 0, (status.st_dev, status.st_ino) == identity,
      csys_exchange(copy, target) == 0
    else { return false }
    if lstat(copy, &status) == 0, (status.st_dev, status.st_ino) != identity {
      // Another process wrote the file at this moment: its content is the newest.
      _ = csys_exchange(copy, target)
      return false
    }
    discardOld()
    return true
  }

  /// Exchanges the names of two files. If the file system cannot exchange names, `one` replaces
  /// `other`.
  ///
  /// - Returns: false, with the reason in `errno`, if nothing was done.
  package static func exchange(_ one: String, _ other: String) -> Bool {
    if csys_exchange(one, other) == 0 { return true }
    return [EINVAL, ENOSYS].contains(errno) && rename(one, other) == 0
  }

  /// Makes the new names of files durable. Syncs each folder once.
  package static func makeDurable(_ targets: some Sequence<String>) {
    for folder in Set(targets.map(\.parentFolder)) {
      let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      // Some file systems cannot sync folders; then the names are as durable as the file system
      // makes them.
      fsync(descriptor)
      close(descriptor)
    }
  }

  /// Makes many files durable at once: all contents and names that were written to the file system
  /// that contains a folder. One call takes about as long as making one file durable.
  ///
  /// - Throws: `SystemCallError` if the folder cannot be opened or a write failed.
  package static func makeContentDurable(in folder: String) throws(SystemCallError) {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemCallError() }
    defer { close(descriptor) }
    guard csys_sync_files(descriptor) == 0 else { throw SystemCallError() }
  }

  /// Replaces or creates a file atomically and durably, following a symbolic link. Writes into
  /// anything that is not a regular file, such as a device or a FIFO, because a file must not
  /// replace it.
  ///
  /// - Parameter mode: as for `init`.
  /// - Throws: `SystemCallError` if the file cannot be written.
  package static func write(
    _ bytes: some Collection<UInt8>, to path: String, mode: UInt32? = nil,
    links: LinkPolicy = .refused
  ) throws(SystemCallError) {
    let target = try links.target(of: path)
    var status = stat()
    if lstat(target, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      let descriptor = open(target, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
      guard descriptor >= 0 else { throw SystemCallError() }
      defer { close(descriptor) }
      guard Descriptor.write(bytes, to: descriptor) else { throw SystemCallError() }
      return
    }
    try AtomicReplacement(of: target, with: bytes, mode: mode).commit()
    finish([target])
  }

  /// Makes the new names of files durable, and sweeps their folders.
  package static func finish(_ targets: some Sequence<String>) {
    makeDurable(targets)
    for folder in Set(targets.map(\.parentFolder)) { sweep(folder) }
  }

  /// Removes the copies that killed processes left in a folder: regular files of this user that
  /// have the name of a copy and that no process has locked. O(names).
  package static func sweep(_ folder: String) {
    var left: [String] = []
    try? FileSystem.forEachName(in: folder) { name in
      guard name.hasPrefix(prefix), name.utf8.count == prefix.utf8.count + suffixLength,
        name.utf8.dropFirst(prefix.utf8.count).allSatisfy(suffixCharacters.utf8.contains)
      else { return }
      left.append(folder.appending(name))
    }
    for path in left {
      guard let descriptor = try? PrivateFile.open(path, O_RDONLY) else { continue }
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink(path) }
      close(descriptor)
    }
  }

  /// Creates the file for the content. Without a name, uses a random one of a fixed length, because
  /// a longer form of the target's name might exceed the limit of names.
  private static func create(_ name: String?, beside target: String, mode: mode_t)
    throws(SystemCallError) -> (descriptor: Int32, path: String)
  {
    var attempts = 0
    while true {
      let path = name ?? target.parentFolder.appending(prefix + randomSuffix)
      let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
      if descriptor >= 0 { return (descriptor, path) }
      attempts += 1
      if name != nil || errno != EEXIST || attempts == 100 { throw SystemCallError() }
    }
  }

  private static let prefix = ".diple-"
  private static let suffixLength = 8
  private static let suffixCharacters = "abcdefghijklmnopqrstuvwxyz0123456789"

  private static var randomSuffix: String {
    String((0..<suffixLength).map { _ in suffixCharacters.randomElement()! })
  }

  /// Copies the mode, owner and extended attributes of the old file.
  ///
  /// - Returns: false if the mode cannot be set; other failures are ignored.
  private static func adopt(
    _ replaced: stat?, at path: String, _ mode: UInt32?, _ descriptor: Int32
  ) -> Bool {
    guard let replaced else { return mode.map { fchmod(descriptor, $0) == 0 } ?? true }
    // Set the owner before the mode, because a change of the owner clears some mode bits.
    _ = fchown(descriptor, replaced.st_uid, replaced.st_gid)
    adoptAttributes(path, descriptor)
    return fchmod(descriptor, mode ?? replaced.st_mode & 0o7777) == 0
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
