package import FoundationEssentials
import Glibc
package import Model

/// The library's database: SQLite with a write-ahead log, one writer, readers beside it.
///
/// A store is one connection, because a second would make every command start later; stores of
/// other processes, or further ones in this, read while one of them writes.
///
/// Every write is one transaction, and all but those of `writeCache` are on the disk before the call
/// returns; a process that is killed at any moment leaves the last finished transaction.
package final class Store: Sendable {
  /// What may be done.
  package enum Access: Sendable {
    /// Reads and writes; makes the database when there is none.
    case readWrite
    /// Only reads.
    case readOnly
  }

  private let path: String
  /// Which file it was at the opening; nil for one in memory.
  private let identity: FileIdentity?
  private let now: @Sendable () -> Date
  /// Held by whoever uses the rest.
  private let lock = Lock()
  private nonisolated(unsafe) let database: Database
  private nonisolated(unsafe) var problems: [BadValue] = []
  private nonisolated(unsafe) var knownProblems: Set<BadValue> = []

  /// How many damaged rows are told of: a person needs to know of the first, and `integrityProblems`
  /// of all.
  private static let problemLimit = 20

  /// Opens the database at a path.
  ///
  /// - Parameter now: the wall clock, for operations.
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

  /// Makes a database that lives in memory as long as the store.
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
    database.onProblem = { [unowned self] problem in
      guard knownProblems.count < Self.problemLimit, knownProblems.insert(problem).inserted else {
        return
      }
      problems.append(problem)
    }
  }

  /// The rows that lists have left out since the last call, because they are damaged; each is told of
  /// once.
  package func takeProblems() -> [StoreError] {
    lock.withLock {
      defer { problems = [] }
      return problems.map { StoreError($0, path: path) }
    }
  }

  /// Adds a line to those of damaged rows.
  package func report(_ problem: String) {
    lock.withLock { database.onProblem?(BadValue(description: problem)) }
  }

  /// Reads one consistent state.
  package func read<T>(_ body: (ReadTransaction) throws -> T) throws -> T {
    try use { database in
      try database.transaction("DEFERRED") { try body(ReadTransaction(database)) }
    }
  }

  /// Gives `body` the database alone, and the errors of SQLite their meaning.
  private func use<T>(_ body: (Database) throws -> T) throws -> T {
    do { return try lock.withLock { try body(database) } } catch let error as SQLiteError {
      throw StoreError(error, path: path)
    } catch let problem as BadValue { throw StoreError(problem, path: path) }
  }

  /// Runs one transaction. When `body` throws, nothing happened; when this returns, it is on the disk.
  ///
  /// - Parameter dryRun: whether all of it is taken back at its end, so that only what `body` returns
  ///   says what would have happened.
  package func write<T>(dryRun: Bool = false, _ body: (WriteTransaction) throws -> T) throws -> T {
    try use { try run(body, $0, dryRun: dryRun) }
  }

  /// Runs one transaction that writes nothing but what a look at the files makes again. It is as much
  /// one as any other, and is on the disk with the next of `write`: nobody waits for the disk, and a
  /// power cut before that takes it back as a whole, together with the stamps that say what was
  /// looked at.
  package func writeCache<T>(_ body: (WriteTransaction) throws -> T) throws -> T {
    try use { try runWithoutWaiting(body, $0, dryRun: false) }
  }

  /// The size of the log at which many transactions in a row are moved into the database, in pages:
  /// they change the same pages over and over.
  private static let longLog = 8_000
  /// The usual one.
  private static let usualLog = 1_000

  /// Runs one transaction of many that a caller makes before it returns; `flush` has to follow, which
  /// waits for the disk once for all of them. A power cut before that takes back the last of them,
  /// each as a whole.
  ///
  /// - Parameter dryRun: as for `write`.
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
    // It cannot fail: nothing is read or written by it.
    defer { try? database.execute("PRAGMA synchronous = FULL") }
    return try run(body, database, dryRun: dryRun)
  }

  /// Waits until every transaction that is finished is on the disk.
  package func flush() throws { try use { _ in try StoreFile.flush(path) } }

  private func run<T>(
    _ body: (WriteTransaction) throws -> T, _ database: Database, dryRun: Bool
  ) throws -> T {
    defer { database.useUsualCache() }
    return try database.transaction("IMMEDIATE", dryRun: dryRun) {
      // Who opens the library by its name would not find what is written into another file.
      if let identity, FileIdentity(path) != identity { throw StoreError.moved(path: path) }
      let transaction = try WriteTransaction(database, now: now())
      let result = try body(transaction)
      try transaction.finish()
      return result
    }
  }

  /// What is wrong with the database, at most `Integrity.limit` findings: those of SQLite's integrity
  /// and foreign key checks, values that cannot be, records that are not what their operations add up
  /// to, texts and places that do not fit. Empty when it is sound. O(size).
  ///
  /// - Parameter digest: the hash of a text; without it, the hashes of texts are not compared.
  package func integrityProblems(
    digest: ((UnsafeBufferPointer<UInt8>) -> ContentDigest)? = nil
  ) throws -> [String] {
    let path = path
    // What lives in memory has one connection.
    let second: (@Sendable () throws -> Database)? =
      path == ":memory:" ? nil : { @Sendable in try StoreFile.openToRead(path) }
    return try use { (database) -> [String] in
      try database.transaction("DEFERRED") {
        let integrity = Integrity(ReadTransaction(database), digest: digest)
        try integrity.check(besides: second)
        return integrity.problems
      }
    }
  }
}

/// Which file a path means.
private struct FileIdentity: Equatable {
  private let (device, inode): (UInt, UInt)

  /// Looks at a path; nil where there is no file.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    (device, inode) = (UInt(status.st_dev), UInt(status.st_ino))
  }
}

/// Lets one thread at a time through.
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
