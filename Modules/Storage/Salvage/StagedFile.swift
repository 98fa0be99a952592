import Glibc

/// A new library file that is written beside the file that it will replace. It is deleted with this
/// object unless it was installed.
final class StagedFile {
  /// The final path.
  let target: String
  /// The temporary path.
  let path: String

  /// Creates an empty file with mode 0600.
  ///
  /// - Parameters:
  ///   - target: the final path.
  ///   - purpose: a part of the temporary name, such as `repair`.
  /// - Throws: ``StoreError`` if the file cannot be created.
  init(for target: String, purpose: String) throws {
    self.target = target
    StaleFiles.sweep(besides: target, purposes: Self.purposes)
    path = "\(target).\(purpose)-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
    let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw StagedFile.failure(target) }
    close(file)
  }

  /// The purposes of all staged files, which are parts of their names.
  private static let purposes = ["repair", "restore", "copy", "backup", "import"]

  deinit { for ending in ["", "-wal", "-shm", "-journal"] { unlink(path + ending) } }

  /// Opens the file as a database. Writes are not durable until the file is installed.
  ///
  /// - Throws: `SQLiteError` if SQLite cannot open it.
  func openToFill() throws -> Database {
    let database = try Database(path, .create)
    try database.execute(sql: "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
    database.setForeignKeys(false)
    return database
  }

  /// Waits until the file is durable.
  ///
  /// - Throws: ``StoreError`` if the disk fails.
  func makeDurable() throws {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw Self.failure(target) }
    defer { close(file) }
    guard fsync(file) == 0 else { throw Self.failure(target) }
  }

  /// Gives the file its final name. Fails if the final path exists.
  ///
  /// - Parameter besides: the suffixes of files to delete beside the target. A log that a deleted
  ///   database left must not be applied to this one.
  /// - Throws: ``StoreError`` if the target exists or the file cannot be renamed; `unconfirmed` if
  ///   the file was installed but its name may not be durable.
  func installAsNew(besides: [String]) throws {
    try makeDurable()
    for ending in besides where access(target, F_OK) != 0 { unlink(target + ending) }
    if link(path, target) != 0 {
      // Some file systems do not support hard links.
      guard [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(errno), access(target, F_OK) != 0,
        rename(path, target) == 0
      else { throw Self.failure(target) }
    }
    try Self.makeNamesDurable(target)
  }

  /// Gives the file its final name and replaces an existing file.
  ///
  /// - Throws: ``StoreError`` if the file cannot be renamed; `unconfirmed` if the file was replaced
  ///   but its name may not be durable.
  func replace() throws {
    try makeDurable()
    guard rename(path, target) == 0 else { throw Self.failure(target) }
    try Self.makeNamesDurable(target)
  }

  /// Replaces a library that no process has open, and keeps a copy of the old one. At every moment
  /// the target is either the old or the new library, complete.
  ///
  /// - Parameters:
  ///   - old: the library to replace, which is locked.
  ///   - kept: the path for the old library. Its log and journal are copied beside it.
  /// - Throws: ``StoreError`` if the old library cannot be copied or the new one cannot be renamed.
  ///   Except after `unconfirmed`, the old library is still in place.
  func install(replacing old: PageFile, keeping kept: String) throws {
    try makeDurable()
    var copies: [String] = []
    do {
      copies.append(kept)
      // Copy through the descriptor that has the lock: closing another descriptor of the file would
      // release the lock.
      try Self.copy(old.descriptor, to: kept, of: target)
      for ending in ["-wal", "-journal"] {
        let source = open(target + ending, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard source >= 0 else {
          if errno == ENOENT { continue }
          throw Self.failure(target)
        }
        defer { close(source) }
        var status = stat()
        // An empty log, which a reader of the library leaves, has no changes.
        if fstat(source, &status) == 0, status.st_size == 0 { continue }
        copies.append(kept + ending)
        try Self.copy(source, to: kept + ending, of: target)
      }
      do { try Self.makeNamesDurable(kept) } catch StoreError.unconfirmed {
        throw StoreError.inputOutput(path: target, detail: "fsync")
      }
      // SQLite finds a log by the name of the database. The new file must not find the old log.
      try old.absorbLog()
      for ending in ["-wal", "-shm", "-journal"] where unlink(target + ending) != 0 {
        guard errno == ENOENT else { throw Self.failure(target) }
      }
      guard rename(path, target) == 0 else { throw Self.failure(target) }
      DamageMark.remove(of: target)
    } catch {
      for copy in copies { unlink(copy) }
      throw (error as? SystemError).map { Self.failure(target, $0.number) } ?? error
    }
    // Overwrite the header of the old file. A process that opened it before, and waits for the
    // lock, must not use it as the library.
    var sign = Array("replaced by Diple".utf8)
    _ = pwrite(old.descriptor, &sign, sign.count, 0)
    try Self.makeNamesDurable(target)
  }

  private static func copy(_ source: Int32, to path: String, of target: String) throws {
    let copy = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard copy >= 0 else { throw failure(target) }
    defer { close(copy) }
    var offset = 0
    while true {
      let bytes = PageFile.bytes(of: source, at: offset, count: 1 << 20)
      if bytes.isEmpty { break }
      var done = 0
      while done < bytes.count {
        let count = bytes.withUnsafeBytes {
          write(copy, $0.baseAddress! + done, bytes.count - done)
        }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw failure(target) }
        done += count
      }
      offset += bytes.count
    }
    guard fsync(copy) == 0 else { throw failure(target) }
  }

  /// Makes the entry of a file in its folder durable, on file systems that support it.
  ///
  /// - Throws: `StoreError.unconfirmed` if the disk fails.
  static func makeNamesDurable(_ path: String) throws {
    let name = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    let folder = open(name, O_RDONLY | O_CLOEXEC)
    guard folder >= 0 else { return }
    defer { close(folder) }
    guard fsync(folder) != 0, [EIO, ENOSPC, EDQUOT].contains(errno) else { return }
    throw StoreError.unconfirmed(path: path, detail: String(cString: strerror(errno)))
  }

  /// Returns the store error for a failed system call.
  static func failure(_ path: String, _ number: Int32 = errno) -> StoreError {
    StoreError(system: number, path: path)
  }
}
