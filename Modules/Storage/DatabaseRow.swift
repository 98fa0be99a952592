import CSQLite
import FoundationEssentials
import Model

/// A value that Diple never writes. The database is damaged, or another program has changed it.
struct BadValue: Error, Hashable, CustomStringConvertible {
  /// The table, the row, the column and the content of the value.
  var description: String
}

/// The current row of a statement. The functions that read values throw `BadValue` if no version of
/// Diple can have written the value. Columns are counted from 0.
struct DatabaseRow {
  /// The maximum length of a text in UTF-16 units, and the maximum line number. It is also the
  /// limit of `Compression` in bytes.
  static let textLimit: Int64 = 3 * 64 << 20
  /// The maximum of counters and sequence numbers. It leaves room to increment them without an
  /// overflow.
  static let countLimit = Int64.max >> 1

  private let statement: OpaquePointer
  /// Decodes the values of operations. It belongs to the database, which outlives its rows.
  unowned(unsafe) let coder: OperationCoder

  init(_ statement: OpaquePointer, _ coder: OperationCoder) {
    (self.statement, self.coder) = (statement, coder)
  }

  func isNull(_ column: Int) -> Bool { type(column) == SQLITE_NULL }

  func isText(_ column: Int) -> Bool { type(column) == SQLITE_TEXT }

  func isBlob(_ column: Int) -> Bool { type(column) == SQLITE_BLOB }

  /// Reads a value with `read`; nil if the column is NULL.
  func ifPresent<T>(_ column: Int, _ read: (Int) throws -> T) rethrows -> T? {
    isNull(column) ? nil : try read(column)
  }

  /// Reads an integer within a range.
  func integer(_ column: Int, in range: ClosedRange<Int64> = .min ... .max) throws -> Int64 {
    // Reading the value in place is safe because only one thread uses the row.
    let stored = stored(column)
    guard sqlite3_value_type(stored) == SQLITE_INTEGER else { throw bad(column) }
    let value = sqlite3_value_int64(stored)
    guard range.contains(value) else { throw bad(column) }
    return value
  }

  /// Reads an integer from 0 to a limit.
  func count(_ column: Int, upTo limit: Int64 = countLimit) throws -> Int {
    Int(try integer(column, in: 0...limit))
  }

  /// Reads any 64 bits.
  func bits(_ column: Int) throws -> UInt64 { UInt64(bitPattern: try integer(column)) }

  /// Reads a number, which may be stored as an integer.
  func real(_ column: Int) throws -> Double {
    let type = type(column)
    guard type == SQLITE_FLOAT || type == SQLITE_INTEGER else { throw bad(column) }
    return sqlite3_column_double(statement, Int32(column))
  }

  /// Reads a number from 0 to 1.
  func share(_ column: Int) throws -> Double {
    let value = try real(column)
    guard (0...1).contains(value) else { throw bad(column) }
    return value
  }

  func flag(_ column: Int) throws -> Bool { try integer(column, in: 0...1) == 1 }

  /// Reads a text. Throws `BadValue` if it is not valid UTF-8.
  func text(_ column: Int) throws -> String {
    try withText(column) { bytes in
      // Nearly every text is ASCII, and `validating` takes several times as long.
      if bytes.isASCII { return String(decoding: bytes, as: UTF8.self) }
      guard let text = String(validating: bytes, as: UTF8.self) else { throw bad(column) }
      return text
    }
  }

  /// Passes the bytes of a text to `body`, without validating them. They are valid only during the
  /// call.
  func withText<T>(_ column: Int, _ body: (UnsafeBufferPointer<UInt8>) throws -> T) throws -> T {
    let stored = stored(column)
    guard sqlite3_value_type(stored) == SQLITE_TEXT, let bytes = sqlite3_value_text(stored)
    else { throw bad(column) }
    return try body(
      UnsafeBufferPointer(start: bytes, count: Int(sqlite3_value_bytes(stored))))
  }

  /// Reads the raw value of an enumeration.
  func value<T: RawRepresentable<String>>(_ column: Int, _: T.Type = T.self) throws -> T {
    guard let value = T(rawValue: try text(column)) else { throw bad(column) }
    return value
  }

  /// Reads the identifier of a strategy or the name of a dialect: 1 to 64 lowercase ASCII letters,
  /// digits and `-`.
  func strategyID(_ column: Int) throws -> String {
    try withText(column) { bytes in
      // Most rows have the same name as the row before.
      if coder.isLastName(bytes) { return coder.lastName }
      guard 1...64 ~= bytes.count else { throw bad(column) }
      for byte in bytes {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
          UInt8(ascii: "-"):
          continue
        default: throw bad(column)
        }
      }
      coder.lastName = String(decoding: bytes, as: UTF8.self)
      return coder.lastName
    }
  }

  /// Passes the bytes of a blob to `body`. They are valid only during the call.
  func withBytes<T>(_ column: Int, _ body: (UnsafeRawBufferPointer) throws -> T) throws -> T {
    let stored = stored(column)
    guard sqlite3_value_type(stored) == SQLITE_BLOB else { throw bad(column) }
    let bytes = sqlite3_value_blob(stored)
    let size = Int(sqlite3_value_bytes(stored))
    return try body(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : size))
  }

  func bytes(_ column: Int) throws -> [UInt8] { try withBytes(column) { Array($0) } }

  func data(_ column: Int) throws -> Data { try withBytes(column) { Data($0) } }

  func digest(_ column: Int) throws -> ContentDigest {
    guard let digest = ContentDigest(bytes: try bytes(column)) else { throw bad(column) }
    return digest
  }

  /// Reads a date, stored in milliseconds since 1970: at most 2^47, the limit of a `Timestamp`, in
  /// both directions.
  func date(_ column: Int) throws -> Date {
    Date(milliseconds: try integer(column, in: -(1 << 47)...(1 << 47)))
  }

  /// Reads a file time in nanoseconds since 1970. The limits prevent the difference of two file
  /// times from overflowing.
  func fileTime(_ column: Int) throws -> Int64 { try integer(column, in: -(1 << 62)...(1 << 62)) }

  /// Reads the dot of an operation or a record: its replica, and its sequence in the next column.
  func dot(_ column: Int) throws -> Dot {
    Dot(
      replica: ReplicaID(rawValue: try bits(column)),
      sequence: try integer(column + 1, in: 1...Self.countLimit))
  }

  /// Reads a range of a text: its start, and its end in the next column.
  func range(_ column: Int) throws -> TextRange {
    let start = try integer(column, in: 0...Self.textLimit)
    return TextRange(
      utf16: Int(start)..<Int(try integer(column + 1, in: start...Self.textLimit)))
  }

  private func type(_ column: Int) -> Int32 { sqlite3_value_type(stored(column)) }

  /// Returns a value in place. Only one thread uses a row, so that SQLite needs no lock for it.
  private func stored(_ column: Int) -> OpaquePointer? {
    sqlite3_column_value(statement, Int32(column))
  }

  // MARK: - Problems

  /// Returns the error for an invalid value. It names the table, the column, the value and the row.
  func bad(_ column: Int) -> BadValue {
    var text = "\(name(column)) is \(shown(column))"
    let table = origin(column).table
    let columns = 0..<Int(sqlite3_column_count(statement))
    // Prefer the key of the table itself to the key of a joined table.
    let key =
      columns.first { origin($0).table == table && Self.keys.contains(origin($0).column) }
      ?? columns.first { Self.keys.contains(origin($0).column) }
    if let key, key != column { text += " in the row whose \(name(key)) is \(shown(key))" }
    return BadValue(description: text)
  }

  private static let keys: Set<String> = ["sequence", "entry", "key", "name"]

  private func origin(_ column: Int) -> (table: String, column: String) {
    func string(_ text: UnsafePointer<CChar>?) -> String { text.map { String(cString: $0) } ?? "" }
    return (
      string(sqlite3_column_table_name(statement, Int32(column))),
      string(sqlite3_column_origin_name(statement, Int32(column)))
    )
  }

  private func name(_ column: Int) -> String {
    let (table, name) = origin(column)
    return table.isEmpty
      ? String(cString: sqlite3_column_name(statement, Int32(column))) : "\(table).\(name)"
  }

  private func shown(_ column: Int) -> String {
    switch type(column) {
    case SQLITE_INTEGER: return String(sqlite3_column_int64(statement, Int32(column)))
    case SQLITE_FLOAT: return String(sqlite3_column_double(statement, Int32(column)))
    case SQLITE_NULL: return "missing"
    case SQLITE_BLOB:
      return "a blob of \(Int(sqlite3_column_bytes(statement, Int32(column))).counted("byte"))"
    default:
      let text = String(cString: sqlite3_column_text(statement, Int32(column)))
      return "'\(text.prefix(40))'" + (text.count > 40 ? "…" : "")
    }
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether all bytes are ASCII. O(bytes).
  fileprivate var isASCII: Bool {
    var index = 0
    let raw = UnsafeRawBufferPointer(self)
    while index + 8 <= count {
      let word = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      if word & 0x8080_8080_8080_8080 != 0 { return false }
      index += 8
    }
    while index < count {
      if self[index] >= 0x80 { return false }
      index += 1
    }
    return true
  }
}
