import FoundationEssentials
import Model
import SystemSupport

/// A copy of another application's SQLite database, from which the rows of plain tables are read.
///
/// Views, triggers and virtual tables are never evaluated. An instance must not be used by two
/// threads at once.
package final class ForeignDatabase: @unchecked Sendable {
  private let folder: TemporaryFolder
  private let database: Database

  /// The 16 bytes at the start of every SQLite database file.
  package static let beginning = Array("SQLite format 3\0".utf8)

  /// The reason why the database could not be copied or read.
  package struct Problem: Error, CustomStringConvertible {
    /// The reason, in one line.
    package var description: String
  }

  /// A column's value in one row.
  package enum Value: Hashable, Sendable {
    /// NULL, or a BLOB.
    case none
    /// A 64-bit integer.
    case integer(Int64)
    /// A floating-point number.
    case real(Double)
    /// Text. Bytes that are not valid UTF-8 are replaced by U+FFFD.
    case text(String)
  }

  /// Copies a database into a temporary folder and opens the copy.
  ///
  /// The folder is deleted when this object is released. The original database and its log are not
  /// touched.
  ///
  /// - Parameters:
  ///   - bytes: the content of the database file.
  ///   - log: the content of its write-ahead log; empty if it has none.
  /// - Throws: ``Problem`` if the copy cannot be written or SQLite cannot read it.
  package init(_ bytes: [UInt8], log: [UInt8]) throws(Problem) {
    do {
      folder = try TemporaryFolder("import")
    } catch { throw Problem(description: "the database cannot be copied: \(error)") }
    do {
      try folder.write(bytes, to: "copy")
      if !log.isEmpty { try folder.write(log, to: "copy-wal") }
      database = try Database(folder.path + "/copy", .readWrite)
      try database.execute(sql: "PRAGMA query_only = 1; PRAGMA cell_size_check = 1")
      _ = try database.first("SELECT count(*) FROM sqlite_schema") { try $0.integer(0) }
    } catch { throw Problem(description: "the database cannot be read: \(Self.reason(error))") }
  }

  /// Returns the names of a table's columns, without generated columns; nil if there is no such
  /// table, or if it is a view or a virtual table.
  package func columns(of table: String) -> [String]? {
    let isTable =
      try? database.first(
        """
        SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?
          AND upper(substr(sql, 1, 14)) <> 'CREATE VIRTUAL'
        """, [table]
      ) { _ in true }
    guard isTable == true else { return nil }
    // A hidden column is generated: reading it would evaluate an expression of the database.
    return try? database.values(
      "SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0", [table], { try $0.text(0) })
  }

  /// Calls `body` with the values of the named columns, once for each row of a table.
  ///
  /// NULL and BLOBs are passed as ``Value/none``.
  ///
  /// - Throws: ``Problem`` if the table or a column is missing, or if the database is damaged.
  package func forEachRow(
    of table: String, _ columns: [String], _ body: ([Value]) -> Void
  ) throws(Problem) {
    let known = self.columns(of: table) ?? []
    if let missing = columns.first(where: { !known.contains($0) }) {
      throw Problem(description: "its table \(table) has no column \(missing)")
    }
    let values = columns.map { column in
      let name = "\"\(column.replacing("\"", with: "\"\""))\""
      return "CASE typeof(\(name)) WHEN 'text' THEN CAST(\(name) AS BLOB) WHEN 'blob' THEN NULL "
        + "ELSE \(name) END"
    }
    do {
      try database.forEach(
        "SELECT \(values.joined(separator: ", ")) FROM \"\(table.replacing("\"", with: "\"\""))\""
      ) { row in
        body(
          try columns.indices.map { index -> Value in
            if row.isNull(index) { return .none }
            if row.isBlob(index) {
              return .text(String(decoding: try row.bytes(index), as: UTF8.self))
            }
            if let integer = try? row.integer(index) { return .integer(integer) }
            return .real(try row.real(index))
          })
        return true
      }
    } catch { throw Problem(description: "the database is damaged: \(Self.reason(error))") }
  }

  private static func reason(_ error: any Error) -> String {
    // SQLite's message may quote the database's content, including line breaks.
    ((error as? SQLiteError)?.message ?? (error as? BadValue)?.description ?? "\(error)").oneLine
  }
}
