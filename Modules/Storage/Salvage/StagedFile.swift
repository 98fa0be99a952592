import Glibc

/// A library's file that is being made beside the one that it will replace. It is gone with this
/// value unless it was installed.
final class StagedFile {
  /// Where the library's file will be.
  let target: String
  /// Where it is made.
  let path: String

  /// Makes an empty file that nobody else can read.
  ///
  /// - Parameter purpose: a part of its name, such as `repair`.
  init(for target: String, purpose: String) throws {
    self.target = target
    LeftFiles.sweep(besides: target, purposes: Self.purposes)
    path = "\(target).\(purpose)-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
    let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw StagedFile.failure(target) }
    close(file)
  }

  /// What such files are made for.
  private static let purposes = ["repair", "restore", "copy", "backup", "import"]

  deinit { for ending in ["", "-wal", "-shm", "-journal"] { unlink(path + ending) } }

  /// Opens it to be filled: what is written is made durable at the end, by `install`.
  func openToFill() throws -> Database {
    let database = try Database(path, .create)
    try database.execute(sql: "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
    database.setForeignKeys(false)
    return database
  }

  /// Makes it durable.
  func makeDurable() throws {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw Self.failure(target) }
    defer { close(file) }
    guard fsync(file) == 0 else { throw Self.failure(target) }
  }

  /// Gives it the target's name where there is no such file.
  ///
  /// - Parameter besides: the endings of files beside the target that go: a log without its database
  ///   is nobody's, and must not become this one's.
  func installAsNew(besides: [String]) throws {
    try makeDurable()
    for ending in besides where access(target, F_OK) != 0 { unlink(target + ending) }
    if link(path, target) != 0 {
      // Some file systems know no second name for a file.
      guard [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(errno), access(target, F_OK) != 0,
        rename(path, target) == 0
      else { throw Self.failure(target) }
    }
    try Self.makeNamesDurable(target)
  }

  /// Gives it the target's name, in the place of a file that has it.
  func replace() throws {
    try makeDurable()
    guard rename(path, target) == 0 else { throw Self.failure(target) }
    try Self.makeNamesDurable(target)
  }

  /// Puts it in the place of a library that nobody has open, and keeps that one. At every moment there
  /// is one of the two, whole.
  ///
  /// - Parameters:
  ///   - old: the library that it replaces, locked.
  ///   - kept: where that one is kept, with what SQLite put beside it.
  func install(replacing old: PageFile, keeping kept: String) throws {
    try makeDurable()
    var copies: [String] = []
    do {
      copies.append(kept)
      // Through the descriptor that holds the lock: closing another one would end it.
      try Self.copy(old.descriptor, to: kept, of: target)
      for ending in ["-wal", "-journal"] {
        let source = open(target + ending, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard source >= 0 else {
          if errno == ENOENT { continue }
          throw Self.failure(target)
        }
        defer { close(source) }
        copies.append(kept + ending)
        try Self.copy(source, to: kept + ending, of: target)
      }
      do { try Self.makeNamesDurable(kept) } catch StoreError.unconfirmed {
        throw StoreError.inputOutput(path: target, detail: "fsync")
      }
      // A log lies beside a name: the new file must find none.
      try old.absorbLog()
      for ending in ["-wal", "-shm", "-journal"] where unlink(target + ending) != 0 {
        guard errno == ENOENT else { throw Self.failure(target) }
      }
      guard rename(path, target) == 0 else { throw Self.failure(target) }
    } catch {
      for copy in copies { unlink(copy) }
      throw (error as? SystemError).map { Self.failure(target, $0.number) } ?? error
    }
    // Who opened the old file before and waits for it must not take it, which has no name any more,
    // for the library.
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

  /// Makes what a file's folder says of its name survive a power cut, where the file system can.
  ///
  /// - Throws: `StoreError.unconfirmed` where the disk fails.
  static func makeNamesDurable(_ path: String) throws {
    let name = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    let folder = open(name, O_RDONLY | O_CLOEXEC)
    guard folder >= 0 else { return }
    defer { close(folder) }
    guard fsync(folder) != 0, [EIO, ENOSPC, EDQUOT].contains(errno) else { return }
    throw StoreError.unconfirmed(path: path, detail: String(cString: strerror(errno)))
  }

  /// What a failed system call means for a library.
  static func failure(_ path: String, _ number: Int32 = errno) -> StoreError {
    StoreError(system: number, path: path)
  }
}
