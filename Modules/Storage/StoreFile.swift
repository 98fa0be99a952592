import CSQLite
import Glibc

/// Creates and opens the database file of a library.
enum StoreFile {
  /// Opens a library for reading and writing, and creates it if it does not exist.
  ///
  /// Nothing is written before the file is known to be a library, so a database of another
  /// application stays unchanged.
  ///
  /// - Throws: ``StoreError``: `foreign`, `newer` or `older` if it is not a library of a known
  ///   version, `readOnly` if it cannot be written, `notCreated` if it cannot be created;
  ///   `SQLiteError` if SQLite fails.
  static func openToWrite(_ path: String) throws -> Database {
    StaleFiles.sweep(besides: path, purposes: ["new"])
    if size(of: path) == nil { try create(path) }
    if size(of: path) == 0 { throw empty(path) }
    let database = try Database(path, .readWrite)
    // Until the database is known to be a library, closing it must not move the log into it.
    if (size(of: path + "-wal") ?? 0) > 0 { database.setCheckpointsOnClose(false) }
    let isCurrent = try Schema.isCurrent(database)
    try Schema.check(database)
    database.setCheckpointsOnClose(true)
    // SQLite opens a read-only file without an error, and reports it only at the first write.
    if database.isReadOnly { throw StoreError.readOnly(path: path) }
    try prepare(database)
    if !isCurrent { try Schema.prepare(database) }
    return database
  }

  /// Opens a library for reading, even if no files can be created in its folder.
  ///
  /// - Throws: ``StoreError``: `foreign`, `newer` or `older` if it is not a library of a known
  ///   version, `readOnly` if it has an older version, which only a writer can update;
  ///   `SQLiteError` if SQLite fails.
  static func openToRead(_ path: String) throws -> Database {
    if size(of: path) == 0 { throw empty(path) }
    do { return try checked(try Database(path, .readOnly)) } catch let error as SQLiteError
      where [SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_IOERR, SQLITE_FULL].contains(error.code)
    {
      // The write-ahead log needs a file beside it for shared memory. If that file is missing and
      // cannot be created, no process is writing. The log can then be read without locks. If there
      // is no log either, the database file is complete.
      if (size(of: path + "-wal") ?? 0) > 0 {
        let database = try Database(path, .withoutLocks)
        try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
        return try checked(database)
      }
      // These characters are special in the path of a URI.
      let escaped = path.replacing("%", with: "%25").replacing("?", with: "%3f")
        .replacing("#", with: "%23")
      return try checked(
        try Database("file:\(escaped)?immutable=1&mode=ro", .uri, shownPath: path))
    }
  }

  /// Creates a library in memory.
  static func openInMemory() throws -> Database {
    let database = try Database(":memory:", .create)
    try Schema.prepare(database)
    return database
  }

  private static func checked(_ database: Database) throws -> Database {
    guard try Schema.isCurrent(database) else { throw StoreError.readOnly(path: database.path) }
    try Schema.check(database)
    return database
  }

  /// Makes committed transactions survive a power failure as well as a killed process.
  private static func prepare(_ database: Database) throws {
    try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
  }

  /// Creates a library under a temporary name and renames it when it is complete.
  ///
  /// Other processes therefore never see a partial library. If another process created a library
  /// meanwhile, that library is used.
  private static func create(_ path: String) throws {
    let new = "\(path).new-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
    defer { for ending in ["", "-wal", "-shm", "-journal"] { unlink(new + ending) } }
    // The mode 0600 excludes other users from the start. SQLite creates its other files with the
    // same mode.
    let file = open(new, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    if file >= 0 { close(file) }
    do { try fill(new) } catch { throw StoreError(notCreated: error, path: path) }
    if link(new, path) != 0, errno != EEXIST {
      // Some file systems do not support hard links.
      guard [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(errno),
        size(of: path) != nil || rename(new, path) == 0
      else {
        throw StoreError.cannotOpen(path: path, detail: String(cString: strerror(errno)))
      }
    }
    try StagedFile.makeNamesDurable(path)
  }

  /// Waits until the library's write-ahead log is durable. Without a log there is nothing to wait
  /// for.
  ///
  /// - Throws: `SQLiteError` if the disk fails.
  static func flush(_ path: String) throws {
    // SQLite's locks are on the database and on the file for shared memory, so closing this
    // descriptor does not release them.
    let file = open(path + "-wal", O_RDWR | O_CLOEXEC)
    guard file >= 0 else {
      if errno == ENOENT { return }
      throw SQLiteError(SQLITE_IOERR, system: errno, "the log cannot be opened")
    }
    defer { close(file) }
    guard fsync(file) == 0 else {
      throw SQLiteError(SQLITE_IOERR, system: errno, "the log could not be written")
    }
  }

  /// Creates the tables in a file that only this process knows, and makes it durable.
  ///
  /// This does not use a write-ahead log: when a database is closed, SQLite ignores errors of the
  /// final checkpoint. With a journal in memory, a failed commit is an error, and the caller
  /// deletes the file.
  private static func fill(_ new: String) throws {
    do {
      let database = try Database(new, .create)
      // With the default page size of 4096 bytes, texts of a few kilobytes would leave pages half
      // empty.
      try database.execute(
        sql: "PRAGMA page_size = 8192; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = FULL")
      try Schema.prepare(database)
      // The mode is stored in the file. Every later connection uses a write-ahead log.
      try database.execute(sql: "PRAGMA journal_mode = WAL")
    }
    guard (size(of: new + "-wal") ?? 0) == 0 else {
      throw SQLiteError(SQLITE_IOERR, system: 0, "its log could not be emptied")
    }
    let file = open(new, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard file >= 0 else {
      throw SQLiteError(SQLITE_CANTOPEN, system: errno, "cannot be read back")
    }
    defer { close(file) }
    guard fsync(file) == 0 else {
      throw SQLiteError(SQLITE_IOERR, system: errno, "cannot be made durable")
    }
  }

  private static func empty(_ path: String) -> StoreError {
    .damaged(path: path, detail: "it is empty, 0 bytes")
  }

  /// The size of a file in bytes; nil if it does not exist.
  private static func size(of path: String) -> Int? {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : nil
  }
}
