package import FoundationEssentials
import GRDB
import Model

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

  private let writer: any DatabaseWriter
  private let path: String
  private let now: @Sendable () -> Date

  /// Opens the database at a path.
  ///
  /// - Parameter now: the wall clock, for operations.
  package init(
    at path: String, access: Access = .readWrite, now: @escaping @Sendable () -> Date = { Date() }
  ) throws(StoreError) {
    self.path = path
    self.now = now
    do {
      switch access {
      case .readWrite:
        writer = try DatabaseQueue(path: path, configuration: Self.configuration)
        try Schema.prepare(writer, path: path)
      case .readOnly:
        writer = try Self.openReadOnly(path)
        guard try writer.read({ try Schema.isCurrent($0, path: path) }) else {
          throw StoreError.readOnly(path: path)
        }
      }
    } catch { throw StoreError(error, path: path) }
  }

  /// Makes a database that lives in memory as long as the store.
  package static func inMemory(now: @escaping @Sendable () -> Date = { Date() }) throws(StoreError)
    -> Store
  {
    do {
      let queue = try DatabaseQueue(configuration: configuration)
      try Schema.prepare(queue, path: ":memory:")
      return Store(writer: queue, path: ":memory:", now: now)
    } catch { throw StoreError(error, path: ":memory:") }
  }

  private init(writer: any DatabaseWriter, path: String, now: @escaping @Sendable () -> Date) {
    self.writer = writer
    self.path = path
    self.now = now
  }

  private static var configuration: Configuration {
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    configuration.foreignKeysEnabled = true
    configuration.prepareDatabase { database in
      // What was acknowledged survives a power cut as well as a kill. The mode is set here and not
      // by GRDB, which would lower `synchronous` and write to the log each time it opens one.
      try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    }
    return configuration
  }

  /// A write-ahead log needs a shared-memory file beside the database; where even that cannot be
  /// made, nobody can be writing, and the file is read as it is.
  private static func openReadOnly(_ path: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(10)
    do {
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      try queue.read { _ = try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_schema") }
      return queue
    } catch let error as DatabaseError
      where [.SQLITE_CANTOPEN, .SQLITE_READONLY].contains(error.resultCode)
    {
      // What would end the path of a URI is written in its escaped form.
      let escaped = path.replacing("%", with: "%25").replacing("?", with: "%3f")
        .replacing("#", with: "%23")
      return try DatabaseQueue(
        path: "file:\(escaped)?immutable=1&mode=ro", configuration: configuration)
    }
  }

  /// Reads one consistent state.
  package func read<T>(_ body: (ReadTransaction) throws -> T) throws -> T {
    do { return try writer.read { try body(ReadTransaction($0)) } } catch let error
      as DatabaseError
    { throw StoreError(error, path: path) }
  }

  /// Runs one transaction. When `body` throws, nothing happened; when this returns, it is on the disk.
  package func write<T>(_ body: (WriteTransaction) throws -> T) throws -> T {
    do {
      return try writer.writeWithoutTransaction { try run(body, $0) }
    } catch let error as DatabaseError { throw StoreError(error, path: path) }
  }

  /// Runs one transaction that writes nothing but what a look at the files makes again. It is as much
  /// one as any other, and is on the disk with the next of `write`: nobody waits for the disk, and a
  /// power cut before that takes it back as a whole, together with the stamps that say what was
  /// looked at.
  package func writeCache<T>(_ body: (WriteTransaction) throws -> T) throws -> T {
    do {
      return try writer.writeWithoutTransaction { database in
        try database.execute(sql: "PRAGMA synchronous = NORMAL")
        // It cannot fail: nothing is read or written by it.
        defer { try? database.execute(sql: "PRAGMA synchronous = FULL") }
        return try run(body, database)
      }
    } catch let error as DatabaseError { throw StoreError(error, path: path) }
  }

  private func run<T>(_ body: (WriteTransaction) throws -> T, _ database: Database) throws -> T {
    var result: T?
    try database.inTransaction(.immediate) {
      let transaction = try WriteTransaction(database, now: now())
      result = try body(transaction)
      try transaction.finish()
      return .commit
    }
    return result!
  }

  /// What is wrong with the database: the findings of SQLite's integrity and foreign key checks.
  /// Empty when it is sound. O(size).
  package func integrityProblems() throws -> [String] {
    do {
      return try writer.read { database in
        let findings = try String.fetchAll(database, sql: "PRAGMA integrity_check")
        let orphans = try Row.fetchAll(database, sql: "PRAGMA foreign_key_check")
        return findings.filter { $0 != "ok" }
          + orphans.map { "a row of \($0[0] as String) refers to a missing \($0[2] as String)" }
      }
    } catch { throw StoreError(error, path: path) }
  }
}
