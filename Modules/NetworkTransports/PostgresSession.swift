import CPQ
import Glibc
import Sync

/// A connection to a database. All waits are limited.
final class PostgresSession {
  private let connection: OpaquePointer
  private var prepared: [String: String] = [:]
  /// Whether the connection was lost and a new one is needed.
  private(set) var isBroken = false

  /// The maximum time of a statement in milliseconds.
  private static let timeout = 120_000

  /// Connects with the credentials that libpq finds in a password file, a service file or the
  /// environment.
  ///
  /// - Parameters:
  ///   - address: a connection string or URI of libpq without a password.
  ///   - database: the database to use instead of the one in the address; nil to use that one.
  /// - Throws: `TransportError` of the kind `.usage`, `.absent`, `.refused` or `.unavailable`.
  init(_ address: String, database: String? = nil) throws(TransportError) {
    try Self.check(address)
    var options = [
      ("dbname", address), ("connect_timeout", "15"), ("application_name", "diple"),
      ("client_encoding", "UTF8"), ("tcp_user_timeout", "60000"), ("keepalives_idle", "60"),
    ]
    // libpq parses only the first `dbname` as an address, and uses the last one as the name of the
    // database.
    if let database { options.append(("dbname", database)) }
    let names = options.map { strdup($0.0) } + [nil]
    let values = options.map { strdup($0.1) } + [nil]
    defer { for text in names + values { free(text) } }
    let opened = names.map { UnsafePointer($0) }.withUnsafeBufferPointer { names in
      values.map { UnsafePointer($0) }.withUnsafeBufferPointer {
        PQconnectdbParams(names.baseAddress, $0.baseAddress, 1)
      }
    }
    guard let opened else { throw TransportError(.unavailable, "libpq cannot be used") }
    connection = opened
    guard PQstatus(connection) == CONNECTION_OK else {
      throw Self.connectFailure(Self.line(PQerrorMessage(opened)))
    }
    PQsetnonblocking(connection, 1)
  }

  deinit { PQfinish(connection) }

  /// The message if Diple's schema is missing.
  static let noTables =
    "the database has no tables of Diple; its owner runs diple sync prepare postgres ADDRESS"

  /// Checks an address.
  ///
  /// - Returns: the database that it names; nil if it names none.
  /// - Throws: `.usage` if it is invalid or contains a password.
  @discardableResult
  static func check(_ address: String) throws(TransportError) -> String? {
    guard !address.isEmpty, !address.utf8.contains(0) else {
      throw TransportError(.usage, "the address of a database is postgresql://HOST/DATABASE")
    }
    let isConnectionText = address.contains("=") || address.contains("://")
    guard isConnectionText else {
      throw TransportError(
        .usage, "the address of a database is postgresql://HOST/DATABASE, or service=NAME")
    }
    var problem: UnsafeMutablePointer<CChar>?
    guard let options = PQconninfoParse(address, &problem) else {
      // Discard libpq's message, because it may contain the address, and with it a password.
      PQfreemem(problem)
      throw TransportError(.usage, "the address of the database cannot be read by libpq")
    }
    defer { PQconninfoFree(options) }
    var option = options
    var database: String?
    while let keyword = option.pointee.keyword {
      if String(cString: keyword) == "dbname" {
        database = option.pointee.val.map { String(cString: $0) }
      }
      if String(cString: keyword) == "password", option.pointee.val != nil {
        throw TransportError(
          .usage, "the address has a password; put it in ~/.pgpass, a service file or PGPASSWORD")
      }
      option += 1
    }
    return database
  }

  private static func connectFailure(_ text: String) -> TransportError {
    func contains(_ phrases: String...) -> Bool { phrases.contains { text.contains($0) } }
    let kind: TransportError.Kind =
      if contains("database \"") && contains("does not exist") {
        .absent
      } else if contains(
        "authentication failed", "no password supplied", "pg_hba.conf", "does not exist",
        "permission denied for database")
      {
        .refused
      } else {
        .unavailable
      }
    return TransportError(kind, "the database cannot be used: \(text)")
  }

  /// Returns a message as a single line of at most 500 characters.
  private static func line(_ text: UnsafePointer<CChar>?) -> String {
    let text = text.map { String(cString: $0) } ?? ""
    return String(text.split(whereSeparator: \.isNewline).joined(separator: " ").prefix(500))
  }

  // MARK: - Statements

  /// A parameter of a statement.
  enum Value {
    case bytes([UInt8])
    case text(String)
    case number(Int64)
    case byteArrays([[UInt8]])
    case texts([String])
    case numbers([Int64])

    /// The parameter in PostgreSQL's binary format.
    fileprivate var binary: [UInt8] {
      switch self {
      case .bytes(let bytes): bytes
      case .text(let text): Array(text.utf8)
      case .number(let number): Self.bigEndian(number)
      case .byteArrays(let arrays): Self.array(arrays, type: 17)
      case .texts(let texts): Self.array(texts.map { Array($0.utf8) }, type: 25)
      case .numbers(let numbers): Self.array(numbers.map(Self.bigEndian), type: 20)
      }
    }

    private static func bigEndian<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
      withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    private static func array(_ elements: [[UInt8]], type: Int32) -> [UInt8] {
      var bytes = bigEndian(Int32(elements.isEmpty ? 0 : 1)) + bigEndian(Int32(0)) + bigEndian(type)
      if elements.isEmpty { return bytes }
      bytes += bigEndian(Int32(elements.count)) + bigEndian(Int32(1))
      for element in elements { bytes += bigEndian(Int32(element.count)) + element }
      return bytes
    }
  }

  /// Runs one or more statements without parameters and ignores their results.
  ///
  /// - Throws: `TransportError` for the first statement that fails.
  func script(_ text: String) throws(TransportError) {
    guard PQsendQuery(connection, text) == 1 else { throw broken() }
    _ = try results(rows: false)
  }

  /// Runs a statement and returns its rows in the binary format; a null is nil. The statement is
  /// prepared at its first use.
  ///
  /// - Throws: `TransportError` if the statement fails or the connection is lost.
  func run(_ statement: String, _ values: [Value] = []) throws(TransportError) -> [[[UInt8]?]] {
    let name: String
    if let known = prepared[statement] {
      name = known
    } else {
      name = "s\(prepared.count)"
      guard PQsendPrepare(connection, name, statement, 0, nil) == 1 else { throw broken() }
      _ = try results(rows: false)
      prepared[statement] = name
    }
    let parts = values.map(\.binary)
    // All parameters are in a single buffer, each at its offset.
    var starts: [Int] = []
    var block: [UInt8] = []
    for part in parts {
      starts.append(block.count)
      block += part
    }
    block.append(0)
    let sent = block.withUnsafeBytes { bytes in
      let pointers = starts.map { start -> UnsafePointer<CChar>? in
        bytes.baseAddress!.advanced(by: start).assumingMemoryBound(to: CChar.self)
      }
      return PQsendQueryPrepared(
        connection, name, Int32(parts.count), pointers, parts.map { Int32($0.count) },
        parts.map { _ in 1 }, 1)
    }
    guard sent == 1 else { throw broken() }
    return try results(rows: true)
  }

  private func results(rows: Bool) throws(TransportError) -> [[[UInt8]?]] {
    let end = Self.now + Self.timeout
    while true {
      let flushed = PQflush(connection)
      guard flushed >= 0 else { throw broken() }
      if flushed == 0 { break }
      try wait(Int16(POLLIN | POLLOUT), until: end)
      guard PQconsumeInput(connection) == 1 else { throw broken() }
    }
    var found: [[[UInt8]?]] = []
    var failure: TransportError?
    while true {
      while PQisBusy(connection) == 1 {
        try wait(Int16(POLLIN), until: end)
        guard PQconsumeInput(connection) == 1 else { throw broken() }
      }
      guard let result = PQgetResult(connection) else { break }
      defer { PQclear(result) }
      switch PQresultStatus(result) {
      case PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: break
      case PGRES_TUPLES_OK: if rows { found = Self.rows(of: result) }
      default: failure = failure ?? self.failure(of: result)
      }
    }
    if PQstatus(connection) != CONNECTION_OK { isBroken = true }
    if let failure { throw failure }
    if isBroken { throw broken() }
    return found
  }

  private static func rows(of result: OpaquePointer) -> [[[UInt8]?]] {
    (0..<PQntuples(result)).map { row in
      (0..<PQnfields(result)).map { column in
        guard PQgetisnull(result, row, column) == 0, let start = PQgetvalue(result, row, column)
        else { return nil }
        return Array(
          UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(result, row, column))))
      }
    }
  }

  private func wait(_ events: Int16, until end: Int) throws(TransportError) {
    var waiting = pollfd(fd: PQsocket(connection), events: events, revents: 0)
    while true {
      let rest = end - Self.now
      let count = rest > 0 ? poll(&waiting, 1, Int32(rest)) : 0
      if count > 0 { return }
      if count < 0 && errno == EINTR { continue }
      isBroken = true
      throw TransportError(.unavailable, "the database does not answer")
    }
  }

  private static var now: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
  }

  // MARK: - Notifications

  /// Waits until the server sends a notification.
  ///
  /// - Returns: the channels with notifications; empty if the time elapsed.
  /// - Throws: `TransportError` if the connection is lost.
  func notifications(upTo milliseconds: Int) throws(TransportError) -> [String] {
    let end = Self.now + milliseconds
    while true {
      guard PQconsumeInput(connection) == 1 else { throw broken() }
      var channels: [String] = []
      while let notification = PQnotifies(connection) {
        channels.append(String(cString: notification.pointee.relname))
        PQfreemem(notification)
      }
      let rest = end - Self.now
      if !channels.isEmpty || rest <= 0 { return channels }
      var waiting = pollfd(fd: PQsocket(connection), events: Int16(POLLIN), revents: 0)
      _ = poll(&waiting, 1, Int32(clamping: rest))
    }
  }

  // MARK: - Failures

  private func broken() -> TransportError {
    if PQstatus(connection) != CONNECTION_OK { isBroken = true }
    return TransportError(
      .unavailable, "the database connection failed: \(Self.line(PQerrorMessage(connection)))")
  }

  /// Whether the last failed statement may succeed if it is repeated.
  private(set) var canTryAgain = false

  private func failure(of result: OpaquePointer) -> TransportError {
    // PG_DIAG_SQLSTATE is 67 ("C") and PG_DIAG_MESSAGE_PRIMARY is 77 ("M").
    let state = PQresultErrorField(result, 67).map { String(cString: $0) } ?? ""
    let text = Self.line(PQresultErrorField(result, 77))
    canTryAgain =
      state.hasPrefix("40") || state.hasPrefix("57P") || state.hasPrefix("08") || state.isEmpty
    let kind: TransportError.Kind
    switch state {
    case "3F000", "42883", "42P01":
      return TransportError(.absent, Self.noTables)
    case "42501": kind = .refused
    case "53100": kind = .full
    case "23514": kind = .tooLarge
    case _ where state.hasPrefix("28"): kind = .refused
    default: kind = .unavailable
    }
    return TransportError(kind, "the database: \(text)")
  }
}
