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
  /// Whether the file's old content lies under the copy's name.
  private var holdsOld = false
  /// Descriptors of locked files: while one is locked, `sweep` does not take it for what a killed
  /// process left.
  private var locks: [Int32] = []

  /// Writes the content beside a file.
  ///
  /// - Parameters:
  ///   - target: the file that is replaced or made; it must not be a symbolic link.
  ///   - copy: the name of the content until then; one that cannot be in use when nil.
  ///   - mode: its mode; nil for that of the file, or what the umask leaves where there is none.
  ///   - isDurable: whether the content is made durable; else `makeContentDurable` does it for many.
  package convenience init(
    of target: String, with bytes: some Collection<UInt8>, as copy: String? = nil,
    mode: UInt32? = nil, isDurable: Bool = true
  ) throws(SystemFailure) {
    try self.init(of: target, as: copy, mode: mode, isDurable: isDurable) {
      (descriptor) throws(SystemFailure) in
      guard Descriptor.write(bytes, to: descriptor) else { throw SystemFailure() }
    }
  }

  /// The same for content that is made piece by piece.
  ///
  /// - Parameter write: writes the content to a descriptor; when it throws, nothing is left of it.
  package init(
    of target: String, as copy: String? = nil, mode: UInt32? = nil, isDurable: Bool = true,
    write: (Int32) throws(SystemFailure) -> Void
  ) throws(SystemFailure) {
    self.target = target
    var status = stat()
    let isThere = lstat(target, &status) == 0
    let replaced = isThere && status.st_mode & S_IFMT != S_IFLNK ? status : nil
    // What is private stays private while it is written; the umask is for what is new.
    let early: mode_t = mode == nil && replaced == nil ? 0o666 : 0o600
    let (descriptor, name) = try Self.create(copy, beside: target, mode: early)
    self.copy = name
    // A copy with a name of the caller's is not swept; there may be thousands of them at once.
    if copy == nil, flock(descriptor, LOCK_EX | LOCK_NB) == 0 { locks.append(descriptor) }
    defer { if locks.isEmpty { close(descriptor) } }
    do throws(SystemFailure) {
      try write(descriptor)
      guard Self.adopt(replaced, at: target, mode, descriptor),
        !isDurable || fsync(descriptor) == 0
      else {
        throw SystemFailure()
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

  /// Gives the content the file's name.
  package func commit() throws(SystemFailure) {
    guard rename(copy, target) == 0 else { throw SystemFailure() }
    isDone = true
  }

  /// Gives the content the file's name where nothing has it: nobody's file is lost that came meanwhile.
  ///
  /// - Throws: `EEXIST` when there is a file.
  package func commitNew() throws(SystemFailure) {
    guard link(copy, target) == 0 else { throw SystemFailure() }
    unlink(copy)
    isDone = true
  }

  /// Gives the content the file's name, unless the file is no longer what is expected: then it is,
  /// or is again, as another process left it.
  ///
  /// The two exchange their names, and what came out is checked then: between a check of a file and
  /// a step that replaces it, another program could write it. Where a file system cannot exchange
  /// names, the look comes first.
  ///
  /// - Parameters:
  ///   - keepingOld: whether the old content stays under the copy's name until `discardOld` or
  ///     `revert`. Where names cannot be exchanged it does not.
  ///   - isExpected: whether the file at a path is what is to be replaced.
  /// - Returns: whether the file was replaced.
  package func commit(keepingOld: Bool = false, where isExpected: (String) -> Bool)
    throws(SystemFailure) -> Bool
  {
    // The old file is about to have the name of a copy.
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
      default: throw SystemFailure()
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
      // What another process wrote lies under the copy's name, and must stay.
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

  /// Removes the old content that `commit` kept.
  package func discardOld() {
    guard holdsOld else { return }
    unlink(copy)
    (holdsOld, isDone) = (false, true)
  }

  /// Leaves the old content that `commit` kept under the copy's name, since it cannot be told which
  /// of the two is wanted.
  package func keepOld() { if holdsOld { isDone = true } }

  /// Gives the file the old content again that `commit` kept. No space is needed for it.
  ///
  /// - Returns: false where nothing was kept, somebody else wrote the file since, or the names cannot
  ///   be exchanged; then all is as it was.
  package func revert() -> Bool {
    var status = stat()
    guard holdsOld, lstat(target, &status) == 0, (status.st_dev, status.st_ino) == identity,
      csys_exchange(copy, target) == 0
    else { return false }
    if lstat(copy, &status) == 0, (status.st_dev, status.st_ino) != identity {
      // Somebody wrote the file at this very moment: theirs is the newest.
      _ = csys_exchange(copy, target)
      return false
    }
    discardOld()
    return true
  }

  /// Gives two files each other's name; where that cannot be, the second one gets the first's content.
  ///
  /// - Returns: false with the reason in `errno` when nothing was done.
  package static func exchange(_ one: String, _ other: String) -> Bool {
    if csys_exchange(one, other) == 0 { return true }
    return [EINVAL, ENOSYS].contains(errno) && rename(one, other) == 0
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

  /// Makes the content of many files durable at once: all that was written to the file system of a
  /// folder, with their names. One call takes about as long as one file.
  package static func makeContentDurable(in folder: String) throws(SystemFailure) {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemFailure() }
    defer { close(descriptor) }
    guard csys_sync_files(descriptor) == 0 else { throw SystemFailure() }
  }

  /// Replaces or creates a file in one step, durably. A device or a FIFO is written to, because a
  /// file must not replace it.
  ///
  /// - Parameters:
  ///   - mode: as for `init`.
  ///   - links: what a symbolic link at the path means.
  /// - Throws: `ELOOP` for a symbolic link that must not be followed; nothing was written then.
  package static func write(
    _ bytes: some Collection<UInt8>, to path: String, mode: UInt32? = nil,
    links: LinkPolicy = .refused
  ) throws(SystemFailure) {
    let target = try links.target(of: path)
    var status = stat()
    if lstat(target, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      let descriptor = open(target, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
      guard descriptor >= 0 else { throw SystemFailure() }
      defer { close(descriptor) }
      guard Descriptor.write(bytes, to: descriptor) else { throw SystemFailure() }
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

  /// Removes what processes left in a folder that were killed while they wrote a file: this user's
  /// regular files with the name of a copy that no process has locked. O(names).
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

  /// Makes the file for the content: under its name, or one of its own length beside the target, since
  /// that of the target may be as long as names can be.
  private static func create(_ name: String?, beside target: String, mode: mode_t)
    throws(SystemFailure) -> (descriptor: Int32, path: String)
  {
    var attempts = 0
    while true {
      let path = name ?? target.parentFolder.appending(prefix + randomSuffix)
      let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
      if descriptor >= 0 { return (descriptor, path) }
      attempts += 1
      if name != nil || errno != EEXIST || attempts == 100 { throw SystemFailure() }
    }
  }

  private static let prefix = ".diple-"
  private static let suffixLength = 8
  private static let suffixCharacters = "abcdefghijklmnopqrstuvwxyz0123456789"

  private static var randomSuffix: String {
    String((0..<suffixLength).map { _ in suffixCharacters.randomElement()! })
  }

  /// Gives the new file the mode, owner and extended attributes of the old one. Only the mode is
  /// insisted on.
  private static func adopt(
    _ replaced: stat?, at path: String, _ mode: UInt32?, _ descriptor: Int32
  ) -> Bool {
    guard let replaced else { return mode.map { fchmod(descriptor, $0) == 0 } ?? true }
    // Before the mode, because a change of owner takes some of its bits away.
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
