import CSQLite
import FoundationEssentials
import Glibc

/// A connection to an SQLite database. It is used by one thread at a time.
///
/// Statements are compiled once and kept; text and bytes are copied when they are bound, and read in
/// place from the row at hand.
final class Database {
  /// The file's path, for messages.
  let path: String
  private let handle: OpaquePointer
  private var statements: [String: Statement] = [:]
  private var isInTransaction = false
  private var hasLargeCache = false
  /// Where the rows are told of that a list left out.
  var onProblem: ((BadValue) -> Void)?
  /// Packs and unpacks what operations say.
  let coder = OperationCoder()

  /// How a database is opened.
  struct Mode {
    var flags: Int32
    /// The file system layer; nil for the usual one.
    var layer: String?

    static let readWrite = Mode(flags: SQLITE_OPEN_READWRITE)
    static let create = Mode(flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
    static let readOnly = Mode(flags: SQLITE_OPEN_READONLY)
    /// Without locks: for files that nobody can write.
    static let withoutLocks = Mode(flags: SQLITE_OPEN_READONLY, layer: "unix-none")
    /// The path is a URI.
    static let uri = Mode(flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
  }

  /// For how many milliseconds a locked database is tried again.
  private static let busyTimeout: Int32 = 10_000

  /// The largest value or row, in bytes: more than any that Diple writes.
  private static let valueLimit: Int32 = 256 << 20

  /// What SQLite is told once, before the first database is opened.
  private static let configured: Void = {
    _ = csqlite_uncounted_memory()
    SystemErrors.listening
  }()

  /// Opens a database. Nothing is read or written yet.
  ///
  /// - Parameter shownPath: the path for messages, when `path` is a URI.
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
    // A library is data that may come from anybody: nothing in its schema is run.
    _ = csqlite_configure(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    _ = csqlite_configure(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
    _ = csqlite_configure(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0)
    _ = csqlite_configure(handle, SQLITE_DBCONFIG_ENABLE_FKEY, 1)
  }

  /// The last bytes of a rollback journal that names a super-journal: one for several databases.
  private static let superJournalMark: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]

  /// Refuses a database beside which a journal lies that names another file. SQLite would open the file
  /// of that name and delete it, whatever it is; Diple never writes such a journal.
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

  /// Whether it can only be read, though more was asked for.
  var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

  /// Whether closing the last connection moves what is in the write-ahead log into the database.
  func setCheckpointsOnClose(_ isOn: Bool) {
    _ = csqlite_configure(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, isOn ? 0 : 1)
  }

  /// From how many pages on a commit moves what is in the write-ahead log into the database.
  func setCheckpointInterval(_ pages: Int) { sqlite3_wal_autocheckpoint(handle, Int32(pages)) }

  /// Gives the pages of a transaction that changes very many room in memory until it ends: without it,
  /// they are written to the log over and over.
  func useLargeCache() throws {
    guard !hasLargeCache else { return }
    hasLargeCache = true
    try execute(sql: "PRAGMA cache_size = -262144")
  }

  /// Gives the pages that a check of everything reads more room in memory: it looks up each entry of each
  /// index, and would read the same pages from the file over and over.
  func useCacheForChecks() throws {
    hasLargeCache = true
    try execute(sql: "PRAGMA cache_size = -16384")
  }

  /// Gives that room back.
  func useUsualCache() {
    guard hasLargeCache else { return }
    hasLargeCache = false
    // It cannot fail: nothing is read or written by it.
    try? execute(sql: "PRAGMA cache_size = -2000; PRAGMA shrink_memory")
  }

  /// Whether foreign keys are enforced. It cannot be changed within a transaction.
  func setForeignKeys(_ isOn: Bool) {
    _ = csqlite_configure(handle, SQLITE_DBCONFIG_ENABLE_FKEY, isOn ? 1 : 0)
  }

  // MARK: - Statements

  /// Runs one or more statements that give no rows and take no arguments; none of them is kept.
  func execute(sql: String) throws {
    SystemErrors.clear()
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw SQLiteError(code, of: handle) }
  }

  /// Runs a statement to its end.
  func execute(_ sql: String, _ arguments: Arguments = []) throws {
    try forEach(sql, arguments) { _ in true }
  }

  /// Gives each row to `body` until it returns false. The row must not be kept.
  func forEach(_ sql: String, _ arguments: Arguments = [], _ body: (Row) throws -> Bool) throws {
    let statement = try begin(sql, arguments)
    defer { statement.reset() }
    while try step(statement) { if try !body(Row(statement.handle, coder)) { return } }
  }

  /// The rows one by one, for who asks for them; at most until the end of the transaction.
  func rows(_ sql: String, _ arguments: Arguments = []) throws -> Rows {
    Rows(try begin(sql, arguments), of: self)
  }

  /// The rows of a statement that goes on when it is asked for the next.
  final class Rows {
    private let statement: Statement
    private let database: Database
    /// A statement that is asked after its last row begins again.
    private var isAtEnd = false

    fileprivate init(_ statement: Statement, of database: Database) {
      (self.statement, self.database) = (statement, database)
    }

    deinit { statement.reset() }

    /// The next row, which holds until the one after it is asked for; nil after the last.
    func next() throws -> Row? {
      if isAtEnd { return nil }
      isAtEnd = try !database.step(statement)
      return isAtEnd ? nil : Row(statement.handle, database.coder)
    }
  }

  /// A statement with its arguments, before its first row.
  private func begin(_ sql: String, _ arguments: Arguments) throws -> Statement {
    // Some errors take the transaction back at once: nothing may be written after that as if it
    // were still within it.
    if isInTransaction, sqlite3_get_autocommit(handle) != 0 { throw SQLiteError(SQLITE_ABORT) }
    SystemErrors.clear()
    let statement = try statement(sql)
    guard sqlite3_bind_parameter_count(statement.handle) == arguments.count else {
      preconditionFailure("a statement has other arguments: \(sql)")
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

  /// Whether a statement has another row.
  private func step(_ statement: Statement) throws -> Bool {
    let code = sqlite3_step(statement.handle)
    switch code {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw SQLiteError(code, of: handle)
    }
  }

  /// What `make` makes of the first row; nil when there is none.
  func first<T>(_ sql: String, _ arguments: Arguments = [], _ make: (Row) throws -> T) throws -> T?
  {
    var result: T?
    try forEach(sql, arguments) { row in
      result = try make(row)
      return false
    }
    return result
  }

  /// What `make` makes of each row.
  func values<T>(_ sql: String, _ arguments: Arguments = [], _ make: (Row) throws -> T) throws
    -> [T]
  {
    var values: [T] = []
    try forEach(sql, arguments) { row in
      values.append(try make(row))
      return true
    }
    return values
  }

  /// A compiled statement, which nobody else uses until it is reset.
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

  /// Runs `body` within a transaction, which is rolled back when it throws.
  ///
  /// - Parameter kind: `IMMEDIATE` to write; `DEFERRED` to read one state.
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

  /// How many rows the last statement changed.
  var changesCount: Int { Int(sqlite3_changes64(handle)) }
  /// How many rows were changed since the database was opened.
  var totalChangesCount: Int { Int(sqlite3_total_changes64(handle)) }
  /// The number of the row that was inserted last.
  var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(handle) }
}

/// A compiled statement.
fileprivate final class Statement {
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

/// Values for a statement's parameters, in their order; nil for NULL.
typealias Arguments = [(any Bindable)?]

/// What can be a parameter of a statement.
protocol Bindable {
  /// Gives a parameter its value. The result is a code of SQLite.
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
        // An empty text may have no address, which would be NULL.
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

/// Binds bytes, also none at all, as a blob.
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
  /// The code with its details, such as `SQLITE_IOERR_WRITE`.
  let extendedCode: Int32
  /// What the system said last; 0 when that is not known.
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

  /// The code without its details.
  var code: Int32 { extendedCode & 0xFF }

  var description: String { message }

  /// Whether a table's content is broken, or the table is not what it should be.
  var isOfDamagedTable: Bool { code == SQLITE_CORRUPT || code == SQLITE_ERROR }
}
