package import FoundationEssentials
import Glibc
package import Model

/// The library's database: an SQLite file with a write-ahead log, one writer and concurrent
/// readers.
///
/// A store has a single connection, because a second one would slow down the start of every
/// command. Stores in other processes, or additional stores in this one, can read while one of them
/// writes.
///
/// Every write is a transaction. It is durable when the call returns, except for `writeCache` and
/// `writePart`. If a process is killed, the database contains the last committed transaction.
///
/// ```swift
/// let store = try Store(at: "/home/ann/notes/.diple/library.sqlite")
/// let documents = try store.read { try $0.documents(includingRemoved: false) }
/// if let document = documents.first {
///   try store.write { _ = try $0.setTitle("Walden", of: document.id) }
/// }
/// ```
package final class Store: Sendable {
  /// Whether a store may change its database.
  package enum Access: Sendable {
    /// Reads and writes. Creates the database if it does not exist.
    case readWrite
    /// Only reads. Opening fails if the database does not exist.
    case readOnly
  }

  private let path: String
  /// The identity of the file that was opened; nil for a database in memory.
  private let identity: FileIdentity?
  /// The record of damage that a process found; nil for a database in memory.
  private let damageMark: DamageMark?
  private let now: @Sendable () -> Date
  /// Guards the properties below.
  private let lock = Lock()
  private nonisolated(unsafe) let database: Database
  private nonisolated(unsafe) var problems: [BadValue] = []
  private nonisolated(unsafe) var knownProblems: Set<BadValue> = []
  /// Whether a committed transaction has compared the library's place with the stored one.
  private nonisolated(unsafe) var isPlaceKnown = false

  /// The maximum number of damaged rows to report. The first ones suffice as a warning;
  /// `integrityProblems` lists all of them.
  private static let problemLimit = 20

  /// Opens the database at a path.
  ///
  /// - Parameters:
  ///   - path: the database file.
  ///   - access: whether the database may be changed, and created if it does not exist.
  ///   - now: the clock for the timestamps of operations.
  /// - Throws: ``StoreError`` if the database cannot be opened or created.
  package convenience init(
    at path: String, access: Access = .readWrite, now: @escaping @Sendable () -> Date = { Date() }
  ) throws(StoreError) {
    do {
      let database =
        switch access {
        case .readWrite: try StoreFile.openToWrite(path)
        case .readOnly: try StoreFile.openToRead(path)
        }
      self.init(database, path: path, now: now)
    } catch { throw StoreError(error, path: path) }
  }

  /// Creates a database in memory. It is deleted when the store is released.
  ///
  /// - Throws: ``StoreError`` if there is not enough memory.
  package static func inMemory(now: @escaping @Sendable () -> Date = { Date() }) throws(StoreError)
    -> Store
  {
    do { return Store(try StoreFile.openInMemory(), path: ":memory:", now: now) } catch {
      throw StoreError(error, path: ":memory:")
    }
  }

  private init(_ database: Database, path: String, now: @escaping @Sendable () -> Date) {
    self.database = database
    self.path = path
    self.now = now
    identity = path == ":memory:" ? nil : FileIdentity(path)
    damageMark = identity.map { DamageMark(of: path, inode: $0.inode) }
    database.onProblem = { [unowned self] problem in
      guard knownProblems.count < Self.problemLimit, knownProblems.insert(problem).inserted else {
        return
      }
      problems.append(problem)
    }
  }

  /// Returns the damaged rows that lists have skipped since the last call. Each row is reported
  /// once.
  package func takeProblems() -> [StoreError] {
    lock.withLock {
      defer { problems = [] }
      return problems.map { StoreError($0, path: path) }
    }
  }

  /// Adds a problem, which ``takeProblems()`` returns. It is dropped if the limit is reached.
  package func report(_ problem: String) {
    lock.withLock { database.onProblem?(BadValue(description: problem)) }
  }

  /// Runs `body` in a read transaction, in which it sees one consistent state of the database.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read, and the error of `body`.
  package func read<T>(_ body: (ReadTransaction) throws -> T) throws -> T {
    try use { database in
      try database.transaction("DEFERRED") { try body(ReadTransaction(database)) }
    }
  }

  /// Calls `body` with exclusive use of the connection, and converts SQLite's errors to
  /// ``StoreError``.
  private func use<T>(_ body: (Database) throws -> T) throws -> T {
    do { return try lock.withLock { try body(database) } } catch let error as SQLiteError {
      damageMark?.set(error)
      throw StoreError(error, path: path)
    } catch let problem as BadValue { throw StoreError(problem, path: path) }
  }

  /// Runs `body` in a write transaction, which is durable when this returns. If `body` throws,
  /// nothing is changed.
  ///
  /// - Parameters:
  ///   - dryRun: whether to roll back at the end. The return value of `body` then describes the
  ///     changes that a real run would make.
  ///   - body: makes the changes.
  /// - Throws: ``StoreError`` if the database cannot be written, or a process found it damaged and no
  ///   check has found it sound since; and the error of `body`.
  package func write<T>(dryRun: Bool = false, _ body: (WriteTransaction) throws -> T) throws -> T {
    try use { try run(body, $0, dryRun: dryRun) }
  }

  /// Runs a write transaction for data that can be recomputed from the files.
  ///
  /// The transaction is atomic, but it becomes durable only with the next `write`, so the caller
  /// does not wait for the disk. A power failure before then discards all of it, including the file
  /// stamps that mark files as read.
  ///
  /// - Throws: ``StoreError`` if the database cannot be written, and the error of `body`.
  package func writeCache<T>(_ body: (WriteTransaction) throws -> T) throws -> T {
    try use { try runWithoutWaiting(body, $0, dryRun: false) }
  }

  /// The size of the write-ahead log, in pages, that triggers a checkpoint during a series of
  /// transactions. A large log is efficient because the transactions change the same pages
  /// repeatedly.
  private static let longLog = 8_000
  /// The log size that otherwise triggers a checkpoint, in pages.
  private static let usualLog = 1_000

  /// Runs one transaction of a series. The caller must call ``flush()`` at the end, which waits for
  /// the disk once for the whole series.
  ///
  /// A power failure before then discards the last transactions, each as a whole.
  ///
  /// - Parameters:
  ///   - dryRun: whether to roll back at the end, as for ``write(dryRun:_:)``.
  ///   - body: makes the changes.
  /// - Throws: ``StoreError`` if the database cannot be written, and the error of `body`.
  package func writePart<T>(dryRun: Bool = false, _ body: (WriteTransaction) throws -> T) throws
    -> T
  {
    try use { database in
      database.setCheckpointInterval(Self.longLog)
      defer { database.setCheckpointInterval(Self.usualLog) }
      return try runWithoutWaiting(body, database, dryRun: dryRun)
    }
  }

  private func runWithoutWaiting<T>(
    _ body: (WriteTransaction) throws -> T, _ database: Database, dryRun: Bool
  ) throws -> T {
    try database.execute("PRAGMA synchronous = NORMAL")
    // This cannot fail, because the statement accesses no file.
    defer { try? database.execute("PRAGMA synchronous = FULL") }
    return try run(body, database, dryRun: dryRun)
  }

  /// Waits until all committed transactions are durable.
  ///
  /// - Throws: ``StoreError`` if the disk fails.
  package func flush() throws { try use { _ in try StoreFile.flush(path) } }

  private func run<T>(
    _ body: (WriteTransaction) throws -> T, _ database: Database, dryRun: Bool
  ) throws -> T {
    defer { database.useUsualCache() }
    if let detail = damageMark?.detail { throw StoreError.damaged(path: path, detail: detail) }
    let result = try database.transaction("IMMEDIATE", dryRun: dryRun) {
      // If the path refers to another file now, changes written to the old file would be lost.
      if let identity, FileIdentity(path) != identity { throw StoreError.moved(path: path) }
      let transaction = try WriteTransaction(database, now: now())
      if let identity, !isPlaceKnown {
        try transaction.recordPlace(LibraryPlace(of: path, inode: identity.inode))
      }
      let result = try body(transaction)
      try transaction.finish()
      return result
    }
    if !dryRun { isPlaceKnown = true }
    return result
  }

  /// Checks the database and returns at most `Integrity.limit` problems; empty if it is sound.
  /// O(size).
  ///
  /// It runs SQLite's integrity and foreign key checks, validates the stored values, compares
  /// records with their operations, and checks that texts and ranges match. It uses two threads.
  ///
  /// - Parameter digest: hashes a text; nil to skip the comparison of text hashes.
  /// - Throws: ``StoreError`` if the database cannot be read at all.
  package func integrityProblems(
    digest: (@Sendable (UnsafeBufferPointer<UInt8>) -> ContentDigest)? = nil
  ) throws -> [String] {
    let path = path
    // A database in memory has only one connection.
    let second: (@Sendable () throws -> Database)? =
      path == ":memory:" ? nil : { @Sendable in try StoreFile.openToRead(path) }
    let problems = try use { (database) -> [String] in
      defer { database.useUsualCache() }
      return try database.transaction("DEFERRED") {
        try Integrity(ReadTransaction(database), digest: digest).problems(besides: second)
      }
    }
    if problems.isEmpty { damageMark?.remove() }
    return problems
  }
}

/// The file to which a path refers.
private struct FileIdentity: Equatable {
  private let device: UInt
  let inode: UInt

  /// Reads the identity of the file at a path; nil if there is no file.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    (device, inode) = (UInt(status.st_dev), UInt(status.st_ino))
  }
}

/// A mutual exclusion lock.
private final class Lock: Sendable {
  private nonisolated(unsafe) let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(
    capacity: 1)

  init() { pthread_mutex_init(mutex, nil) }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  func withLock<T>(_ body: () throws -> T) rethrows -> T {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body()
  }
}
