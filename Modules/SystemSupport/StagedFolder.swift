import Glibc

/// A new folder that gets its name when it is complete, so that all of its files appear, or none.
///
/// Until then it is beside its final path, has a name that starts with `.diple-`, and is locked.
/// The folder of a killed process isn't locked, so the next process removes it.
///
///     let folder = try StagedFolder(for: "/home/ann/notes/Walden")
///     try folder.write(Array("# Walden\n".utf8), to: "01 Economy.md")
///     try folder.commit()
package final class StagedFolder {
  /// The path of the folder until it is committed.
  package let path: String
  private let place: String
  /// A descriptor of the folder, locked.
  private let descriptor: Int32
  private var isDone = false

  /// Creates an empty folder beside its final path, and the missing parent folders. Removes the
  /// folders that killed processes left there.
  ///
  /// - Parameter place: the final path of the folder, which must not exist.
  /// - Throws: `SystemCallError` if the folder cannot be created.
  package init(for place: String) throws(SystemCallError) {
    self.place = place
    let parent = place.parentFolder
    try FileSystem.makeFolders(parent)
    Self.sweep(parent)
    var path = ""
    var attempts = 0
    repeat {
      path = parent.appending("\(Self.prefix)\(UInt32.random(in: 0 ... .max))\(Self.suffix)")
      attempts += 1
      if mkdir(path, 0o777) == 0 { break }
      guard errno == EEXIST, attempts < 100 else { throw SystemCallError() }
    } while true
    self.path = path
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else {
      let error = SystemCallError()
      rmdir(path)
      throw error
    }
    flock(descriptor, LOCK_EX | LOCK_NB)
  }

  deinit {
    if !isDone {
      Self.empty(descriptor, depth: 0)
      rmdir(path)
    }
    close(descriptor)
  }

  /// Writes a new file, and the folders in its path.
  ///
  /// - Parameter name: a relative path without `..`.
  /// - Throws: `EEXIST` if the file exists.
  package func write(_ bytes: some Collection<UInt8>, to name: String) throws(SystemCallError) {
    let file = path.appending(name)
    try FileSystem.makeFolders(file.parentFolder)
    try AtomicReplacement(of: file, with: bytes, isDurable: false).commitNew()
  }

  /// Makes the files durable, and gives the folder its name.
  ///
  /// - Throws: `SystemCallError` if the files cannot be made durable or the folder cannot be
  ///   renamed.
  package func commit() throws(SystemCallError) {
    try AtomicReplacement.makeContentDurable(in: path)
    guard rename(path, place) == 0 else { throw SystemCallError() }
    isDone = true
    AtomicReplacement.makeDurable([place])
  }

  private static let prefix = ".diple-"
  private static let suffix = ".new"
  /// The maximum depth of folders that are removed.
  private static let deepest = 64

  /// Removes the staged folders that killed processes left in a folder: folders of this user that
  /// have the name of a staged folder and that no process has locked. Special files and the folders
  /// around them stay. O(names).
  package static func sweep(_ parent: String) {
    var left: [String] = []
    try? FileSystem.forEachName(in: parent) { name in
      let digits = name.dropFirst(prefix.count).dropLast(suffix.count)
      guard name.hasPrefix(prefix), name.hasSuffix(suffix), (1...10).contains(digits.count),
        digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 })
      else { return }
      left.append(parent.appending(name))
    }
    for path in left {
      let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      defer { close(descriptor) }
      var (opened, named) = (stat(), stat())
      // A process that ends meanwhile may have renamed the folder to its final name.
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &opened) == 0,
        opened.st_uid == geteuid(), lstat(path, &named) == 0, named.st_ino == opened.st_ino,
        named.st_dev == opened.st_dev
      else { continue }
      empty(descriptor, depth: 0)
      rmdir(path)
    }
  }

  /// Removes the files and folders in a folder.
  private static func empty(_ descriptor: Int32, depth: Int) {
    let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard depth < deepest, copy >= 0, let stream = fdopendir(copy) else {
      if copy >= 0 { close(copy) }
      return
    }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      var status = stat()
      withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { name in
          guard strcmp(name, ".") != 0, strcmp(name, "..") != 0,
            fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0
          else { return }
          switch status.st_mode & S_IFMT {
          case S_IFREG: unlinkat(descriptor, name, 0)
          case S_IFDIR:
            let inner = openat(
              descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard inner >= 0 else { return }
            empty(inner, depth: depth + 1)
            close(inner)
            unlinkat(descriptor, name, AT_REMOVEDIR)
          default: break
          }
        }
      }
    }
  }
}
