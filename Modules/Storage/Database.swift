import CSQLite
import FoundationEssentials
import Glibc

/// A connection to an SQLite database. Only one thread may use it at a time.
///
/// Statements are compiled once and cached. Texts and bytes are copied when they are bound to a
/// parameter, and read in place from the current row.
///
/// ```swift
/// let titles = try database.values("SELECT title FROM document WHERE trashed = ?", [false]) {
///   try $0.text(0)
/// }
/// ```
final class Database {
  /// The file's path, for error messages.
  let path: String
  private let handle: OpaquePointer
  private var statements: [String: Statement] = [:]
  private var isInTransaction = false
  private var hasLargeCache = false
  /// Called for each damaged row that a list skips.
  var onProblem: ((BadValue) -> Void)?
  /// Encodes and decodes the values of operations.
  let coder = OperationCoder()

  /// The way in which a database is opened.
  struct Mode {
    var flags: Int32
    /// The name of SQLite's file system layer; nil for the default.
    var layer: String?

    static let readWrite = Mode(flags: SQLITE_OPEN_READWRITE)
    static let create = Mode(flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
    static let readOnly = Mode(flags: SQLITE_OPEN_READONLY)
    /// Read-only, without locks. Safe only if no process can write the files.
    static let withoutLocks = Mode(flags: SQLITE_OPEN_READONLY, layer: "unix-none")
    /// Read-only, with a URI as the path.
    static let uri = Mode(flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
  }

  /// The time in milliseconds to wait for a locked database.
  private static let busyTimeout: Int32 = 10_000

  /// The maximum size of a value or a row in bytes. Diple writes only smaller ones.
  private static let valueLimit: Int32 = 256 << 20

  /// SQLite's global settings, which are applied once before the first database is opened.
  private static let configured: Void = {
    _ = csqlite_uncounted_memory()
    SystemErrors.listening
  }()

  /// Opens a database. Nothing is read or written yet.
  ///
  /// - Parameters:
  ///   - path: the path of the file, or a URI in the mode `uri`.
  ///   - mode: the way in which the database is opened.
  ///   - shownPath: the path for error messages if `path` is a URI.
  /// - Throws: `SQLiteError` if the file cannot be opened, or if its journal names another file.
  init(_ path: String, _ mode: Mode, shownPath: String? = nil) throws {
    self.path = shownPath ?? path
    Self.configured
    SystemErrors.clear()
    if mode.flags & SQLITE_OPEN_URI == 0 { try Self.requireOwnJournal(of: path) }
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(path, &opened, mode.flags | SQLITE_OPEN_NOMUTEX, mode.layer)
    guard code == SQLITE_OK, let opened else {
      let error = SQLiteError(code, of: opened)
      sqlite3_close_v2(opened)
      throw error
    }
    handle = opened
    sqlite3_extended_result_codes(handle, 1)
    sqlite3_busy_timeout(handle, Self.busyTimeout)
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Self.valueLimit)
    // A library may have an untrusted author, so no code in its schema is run.
    _ = csqlite_configure(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    _ = csqlite_configure(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
    _ = csqlite_configure(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0)
    _ = csqlite_configure(handle, SQLITE_DBCONFIG_ENABLE_FKEY, 1)
  }

  /// The last bytes of a rollback journal that refers to a super-journal, which SQLite writes for
  /// transactions on several databases.
  private static let superJournalMark: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]

  /// Rejects a database whose journal names a super-journal. SQLite would open that file and delete
  /// it, whatever file it is. Diple never writes such a journal.
  ///
  /// - Throws: `SQLiteError` with the code `SQLITE_CORRUPT`.
  private static func requireOwnJournal(of path: String) throws {
    let file = open(path + "-journal", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return }
    defer { close(file) }
    var status = stat()
    let size = superJournalMark.count
    var end = [UInt8](repeating: 0, count: size)
    guard fstat(file, &status) == 0, status.st_size >= size,
      pread(file, &end, size, status.st_size - size) == size, end == superJournalMark
    else { return }
    throw SQLiteError(
      SQLITE_CORRUPT, system: 0, "its journal names another file, which would be deleted")
  }

  deinit {
    statements = [:]
    sqlite3_close_v2(handle)
  }

  /// Whether the database can only be read, even though it was opened for writing.
  var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

  /// Sets whether closing the last connection moves the write-ahead log into the database.
  func setCheckpointsOnClose(_ isOn: Bool) {
    _ = csqlite_configure(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, isOn ? 0 : 1)
  }

  /// Sets the size of the write-ahead log, in pages, from which a commit moves it into the
  /// database.
  func setCheckpointInterval(_ pages: Int) { sqlite3_wal_autocheckpoint(handle, Int32(pages)) }

  /// Enlarges the page cache to 24 MiB until the end of the transaction. A transaction that
  /// changes very many pages would otherwise write them to the log repeatedly.
  func useLargeCache() throws {
    guard !hasLargeCache else { return }
    hasLargeCache = true
    try execute(sql: "PRAGMA cache_size = -24576")
  }

  /// Enlarges the page cache to 16 MiB for a check of the whole database. The check looks up each
  /// entry of each index, and would otherwise read the same pages from the file repeatedly.
  func useCacheForChecks() throws {
    hasLargeCache = true
    try execute(sql: "PRAGMA cache_size = -16384")
  }

  /// Restores the default cache size if the cache was enlarged, and frees the memory.
  func useUsualCache() {
    guard hasLargeCache else { return }
    hasLargeCache = false
    // This cannot fail, because the statement accesses no file.
    try? execute(sql: "PRAGMA cache_size = -2000; PRAGMA shrink_memory")
  }

  /// Sets whether foreign keys are enforced. Must be called outside of a transaction.
  func setForeignKeys(_ isOn: Bool) {
    _ = csqlite_configure(handle, SQLITE_DBCONFIG_ENABLE_FKEY, isOn ? 1 : 0)
  }

  // MARK: - Statements

  /// Runs one or more statements without parameters and without results. They are not cached.
  ///
  /// - Throws: `SQLiteError` if a statement fails.
  func execute(sql: String) throws {
    SystemErrors.clear()
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw SQLiteError(code, of: handle) }
  }

  /// Runs a statement and ignores its rows.
  ///
  /// - Throws: `SQLiteError` if the statement fails.
  func execute(_ sql: String, _ arguments: Arguments = []) throws {
    try forEach(sql, arguments) { _ in true }
  }

  /// Calls `body` for each row until it returns false. The row is valid only during the call.
  ///
  /// - Throws: `SQLiteError` if the statement fails, and any error of `body`.
  func forEach(_ sql: String, _ arguments: Arguments = [], _ body: (DatabaseRow) throws -> Bool)
    throws
  {
    let statement = try begin(sql, arguments)
    defer { statement.reset() }
    while try step(statement) { if try !body(DatabaseRow(statement.handle, coder)) { return } }
  }

  /// Returns the rows of a statement, which are read on demand. They are valid until the
  /// transaction ends.
  ///
  /// - Throws: `SQLiteError` if the statement cannot be compiled.
  func rows(_ sql: String, _ arguments: Arguments = []) throws -> Rows {
    Rows(try begin(sql, arguments), of: self)
  }

  /// The rows of a statement, which runs as far as needed for the next row.
  final class Rows {
    private let statement: Statement
    private let database: Database
    /// Whether the last row was returned. SQLite would restart a statement that is continued after
    /// its last row.
    private var isAtEnd = false

    fileprivate init(_ statement: Statement, of database: Database) {
      (self.statement, self.database) = (statement, database)
    }

    deinit { statement.reset() }

    /// Returns the next row, which is valid until the next call; nil after the last row.
    ///
    /// - Throws: `SQLiteError` if the statement fails.
    func next() throws -> DatabaseRow? {
      if isAtEnd { return nil }
      isAtEnd = try !database.step(statement)
      return isAtEnd ? nil : DatabaseRow(statement.handle, database.coder)
    }
  }

  /// Runs a statement whose parameters `bind` binds one after the other. For a statement that runs
  /// very often, this is faster than a list of arguments.
  ///
  /// - Throws: `SQLiteError` if the statement fails.
  func execute(_ sql: String, bind: (inout Parameters) throws -> Void) throws {
    let statement = try begin(sql)
    defer { statement.reset() }
    var parameters = Parameters(of: statement.handle, handle)
    try bind(&parameters)
    guard parameters.count == sqlite3_bind_parameter_count(statement.handle) else {
      preconditionFailure("a statement has another number of parameters: \(sql)")
    }
    while try step(statement) {}
  }

  /// The parameters of a statement, which are bound in their order.
  struct Parameters {
    private let statement: OpaquePointer
    private let database: OpaquePointer
    /// The number of parameters that are bound.
    fileprivate private(set) var count: Int32 = 0

    fileprivate init(of statement: OpaquePointer, _ database: OpaquePointer) {
      (self.statement, self.database) = (statement, database)
    }

    /// Binds a value to the next parameter.
    mutating func bind(_ value: some Bindable) throws {
      count += 1
      let code = value.bind(to: statement, at: count)
      guard code == SQLITE_OK else { throw SQLiteError(code, of: database) }
    }

    /// Binds a value, or NULL, to the next parameter.
    mutating func bind(_ value: (any Bindable)?) throws {
      if let value { return try bind(value) }
      count += 1
      let code = sqlite3_bind_null(statement, count)
      guard code == SQLITE_OK else { throw SQLiteError(code, of: database) }
    }
  }

  /// Prepares a statement.
  private func begin(_ sql: String) throws -> Statement {
    // Some errors roll the transaction back immediately. A later statement would then run and
    // commit outside of it.
    if isInTransaction, sqlite3_get_autocommit(handle) != 0 { throw SQLiteError(SQLITE_ABORT) }
    SystemErrors.clear()
    return try statement(sql)
  }

  /// Prepares a statement and binds its arguments.
  private func begin(_ sql: String, _ arguments: Arguments) throws -> Statement {
    let statement = try begin(sql)
    guard sqlite3_bind_parameter_count(statement.handle) == arguments.count else {
      preconditionFailure("a statement has another number of parameters: \(sql)")
    }
    for (index, argument) in arguments.enumerated() {
      let position = Int32(index + 1)
      let code =
        argument?.bind(to: statement.handle, at: position)
        ?? sqlite3_bind_null(statement.handle, position)
      guard code == SQLITE_OK else {
        statement.reset()
        throw SQLiteError(code, of: handle)
      }
    }
    return statement
  }

  /// Advances a statement to its next row. Returns false after the last one.
  private func step(_ statement: Statement) throws -> Bool {
    let code = sqlite3_step(statement.handle)
    switch code {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw SQLiteError(code, of: handle)
    }
  }

  /// Returns the result of `make` for the first row; nil if the statement returns no rows.
  ///
  /// - Throws: `SQLiteError` if the statement fails, and any error of `make`.
  func first<T>(_ sql: String, _ arguments: Arguments = [], _ make: (DatabaseRow) throws -> T)
    throws -> T?
  {
    var result: T?
    try forEach(sql, arguments) { row in
      result = try make(row)
      return false
    }
    return result
  }

  /// Returns the results of `make` for all rows.
  ///
  /// - Throws: `SQLiteError` if the statement fails, and any error of `make`.
  func values<T>(_ sql: String, _ arguments: Arguments = [], _ make: (DatabaseRow) throws -> T)
    throws
    -> [T]
  {
    var values: [T] = []
    try forEach(sql, arguments) { row in
      values.append(try make(row))
      return true
    }
    return values
  }

  /// Returns a compiled statement, which is reserved for the caller until it is reset.
  private func statement(_ sql: String) throws -> Statement {
    if let known = statements[sql], !known.isBusy {
      known.isBusy = true
      return known
    }
    var compiled: OpaquePointer?
    let code = sqlite3_prepare_v3(
      handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &compiled, nil)
    guard code == SQLITE_OK, let compiled else { throw SQLiteError(code, of: handle) }
    let statement = Statement(compiled)
    statement.isBusy = true
    statements[sql] = statement
    return statement
  }

  // MARK: - Transactions

  /// Runs `body` within a transaction, which is rolled back if it throws.
  ///
  /// - Parameters:
  ///   - kind: `IMMEDIATE` to write; `DEFERRED` to read one consistent state.
  ///   - dryRun: whether to roll back in any case.
  ///   - body: reads or changes the database.
  /// - Throws: `SQLiteError` if the transaction cannot begin or commit, and any error of `body`.
  func transaction<T>(_ kind: String, dryRun: Bool = false, _ body: () throws -> T) throws -> T {
    try execute("BEGIN " + kind)
    isInTransaction = true
    defer { isInTransaction = false }
    do {
      let result = try body()
      try execute(dryRun ? "ROLLBACK" : "COMMIT")
      return result
    } catch {
      isInTransaction = false
      if sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
      throw error
    }
  }

  /// The number of rows that the last statement changed.
  var changesCount: Int { Int(sqlite3_changes64(handle)) }
  /// The number of rows that were changed since the database was opened.
  var totalChangesCount: Int { Int(sqlite3_total_changes64(handle)) }
  /// The row id of the last inserted row.
  var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(handle) }
}

private final class Statement {
  let handle: OpaquePointer
  var isBusy = false

  init(_ handle: OpaquePointer) { self.handle = handle }

  deinit { sqlite3_finalize(handle) }

  func reset() {
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
    isBusy = false
  }
}

/// The values of a statement's parameters, in order; nil for NULL.
typealias Arguments = [(any Bindable)?]

/// A type whose values can be bound to a statement's parameters.
protocol Bindable {
  /// Binds the value to the parameter at a 1-based index. Returns SQLite's result code.
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32
}

extension Int64: Bindable {
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    sqlite3_bind_int64(statement, index, self)
  }
}

extension Int: Bindable {
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    sqlite3_bind_int64(statement, index, Int64(self))
  }
}

extension Bool: Bindable {
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    sqlite3_bind_int(statement, index, self ? 1 : 0)
  }
}

extension Double: Bindable {
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    sqlite3_bind_double(statement, index, self)
  }
}

extension String: Bindable {
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    var text = self
    return text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        // The buffer of an empty string may have no address, and SQLite would bind NULL.
        $0.isEmpty
          ? csqlite_bind_text(statement, index, "", 0)
          : csqlite_bind_text(statement, index, $0.baseAddress, UInt64($0.count))
      }
    }
  }
}

extension [UInt8]: Bindable {
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    withUnsafeBytes { bindBytes($0, to: statement, at: index) }
  }
}

extension Data: Bindable {
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    withUnsafeBytes { bindBytes($0, to: statement, at: index) }
  }
}

/// Binds bytes as a blob. No bytes are bound as an empty blob, not as NULL.
private func bindBytes(
  _ bytes: UnsafeRawBufferPointer, to statement: OpaquePointer, at index: Int32
)
  -> Int32
{
  bytes.isEmpty
    ? sqlite3_bind_zeroblob(statement, index, 0)
    : csqlite_bind_blob(statement, index, bytes.baseAddress, UInt64(bytes.count))
}

/// An error of SQLite.
struct SQLiteError: Error, CustomStringConvertible {
  /// The extended result code, such as `SQLITE_IOERR_WRITE`.
  let extendedCode: Int32
  /// The number of the system error that caused it (`errno`); 0 if that is unknown.
  let systemError: Int32
  let message: String

  init(_ code: Int32, of handle: OpaquePointer? = nil) {
    extendedCode = handle.map(sqlite3_extended_errcode) ?? code
    systemError =
      SystemErrors.last != 0 ? SystemErrors.last : handle.map(sqlite3_system_errno) ?? 0
    message = String(cString: handle.map { sqlite3_errmsg($0) } ?? sqlite3_errstr(code))
  }

  init(_ code: Int32, system: Int32, _ message: String) {
    (extendedCode, systemError, self.message) = (code, system, message)
  }

  /// The primary result code, such as `SQLITE_IOERR`.
  var code: Int32 { extendedCode & 0xFF }

  var description: String { message }

  /// Whether the error is due to a damaged table, or to a table of a different shape.
  var isOfDamagedTable: Bool { code == SQLITE_CORRUPT || code == SQLITE_ERROR }
}
