import CSQLite
import Glibc

/// How a library's file is made and opened.
enum StoreFile {
  /// Opens a library to read and write; makes it when there is none.
  ///
  /// Nothing is written before it is known to be a library: another program's database stays as it is.
  static func openToWrite(_ path: String) throws -> Database {
    LeftFiles.sweep(besides: path, purposes: ["new"])
    if size(of: path) == nil { try create(path) }
    if size(of: path) == 0 { throw empty(path) }
    let database = try Database(path, .readWrite)
    // What a program left in the log of a database that is not ours stays there.
    if (size(of: path + "-wal") ?? 0) > 0 { database.setCheckpointsOnClose(false) }
    let isCurrent = try Schema.isCurrent(database)
    try Schema.check(database)
    database.setCheckpointsOnClose(true)
    // SQLite opens what it cannot write to read it, and says so only when something is written.
    if database.isReadOnly { throw StoreError.readOnly(path: path) }
    try prepare(database)
    if !isCurrent {
      try Schema.migrate(database)
      // What the older tables took is given back. Where there is no room for that, it is used again.
      try? database.execute(sql: "VACUUM")
    }
    return database
  }

  /// Opens a library to read, also where nothing beside it can be made.
  static func openToRead(_ path: String) throws -> Database {
    if size(of: path) == 0 { throw empty(path) }
    do { return try checked(try Database(path, .readOnly)) } catch let error as SQLiteError
      where [SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_IOERR, SQLITE_FULL].contains(error.code)
    {
      // A write-ahead log needs a file beside it through which its users share memory. Where there is
      // none and none can be made, nobody is writing, and the log is read without it; where there
      // is no log either, the database is all there is.
      if (size(of: path + "-wal") ?? 0) > 0 {
        let database = try Database(path, .withoutLocks)
        try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
        return try checked(database)
      }
      // What would end the path of a URI is written in its escaped form.
      let escaped = path.replacing("%", with: "%25").replacing("?", with: "%3f")
        .replacing("#", with: "%23")
      return try checked(
        try Database("file:\(escaped)?immutable=1&mode=ro", .uri, shownPath: path))
    }
  }

  /// Makes a library in memory.
  static func openInMemory() throws -> Database {
    let database = try Database(":memory:", .create)
    try Schema.migrate(database)
    return database
  }

  private static func checked(_ database: Database) throws -> Database {
    // What an older Diple made must be brought up to date first.
    guard try Schema.isCurrent(database) else { throw StoreError.readOnly(path: database.path) }
    try Schema.check(database)
    return database
  }

  /// What was acknowledged survives a power cut as well as a kill.
  private static func prepare(_ database: Database) throws {
    try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
  }

  /// Makes a library under another name, and gives it its own when it is complete: whoever sees a
  /// file under that name sees a library, and one that another process made meanwhile stays.
  private static func create(_ path: String) throws {
    let new = "\(path).new-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
    defer { for ending in ["", "-wal", "-shm", "-journal"] { unlink(new + ending) } }
    // Nobody else may read it, from the first moment on; SQLite gives its other files the same mode.
    let file = open(new, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    if file >= 0 { close(file) }
    do { try fill(new) } catch { throw StoreError(notMade: error, path: path) }
    if link(new, path) != 0, errno != EEXIST {
      // Some file systems know no second name for a file.
      guard [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(errno),
        size(of: path) != nil || rename(new, path) == 0
      else {
        throw StoreError.cannotOpen(path: path, detail: String(cString: strerror(errno)))
      }
    }
    try StagedFile.makeNamesDurable(path)
  }

  /// Waits until the log of a library is on the disk: where there is none, so is everything.
  static func flush(_ path: String) throws {
    // SQLite's locks are on the other two files, so closing this one again lets go of none.
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

  /// Makes the tables in a file that nobody else knows, and waits until they are on the disk.
  ///
  /// Not by way of a write-ahead log: what a checkpoint cannot write when the database is closed is
  /// lost without a word. With a journal in memory a commit that fails is an error, and the file is
  /// thrown away then.
  private static func fill(_ new: String) throws {
    do {
      let database = try Database(new, .create)
      // Of the usual pages, each text of some kilobytes would leave half of one empty.
      try database.execute(
        sql: "PRAGMA page_size = 8192; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = FULL")
      try Schema.migrate(database)
      // From now on whoever opens it uses a log.
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

  /// A file's size in bytes; nil when there is none.
  private static func size(of path: String) -> Int? {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : nil
  }
}
