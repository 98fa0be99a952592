import FoundationEssentials
import Model
import SystemSupport

/// Another program's database: a copy of it, of which plain tables are read and nothing is run.
///
/// It is used by one thread at a time.
package final class ForeignDatabase: @unchecked Sendable {
  private let folder: TemporaryFolder
  private let database: Database

  /// What every SQLite database begins with.
  package static let beginning = Array("SQLite format 3\0".utf8)

  /// What can be wrong with one; one line.
  package struct Problem: Error, CustomStringConvertible {
    /// The line.
    package var description: String
  }

  /// A value of a row.
  package enum Value: Hashable, Sendable {
    /// Nothing, or bytes.
    case none
    /// A whole number.
    case integer(Int64)
    /// A number with a fraction.
    case real(Double)
    /// A text; what is not UTF-8 in it shows as U+FFFD.
    case text(String)
  }

  /// Opens a copy of a database in a folder of its own, which goes with it: neither the original nor
  /// its log is touched.
  ///
  /// - Parameter log: what stands in its write-ahead log; empty for none.
  package init(_ bytes: [UInt8], log: [UInt8]) throws(Problem) {
    do {
      folder = try TemporaryFolder("import")
    } catch { throw Problem(description: "no copy of it can be made: \(error)") }
    do {
      try folder.write(bytes, to: "copy")
      if !log.isEmpty { try folder.write(log, to: "copy-wal") }
      database = try Database(folder.path + "/copy", .readWrite)
      try database.execute(sql: "PRAGMA query_only = 1; PRAGMA cell_size_check = 1")
      _ = try database.first("SELECT count(*) FROM sqlite_schema") { try $0.integer(0) }
    } catch { throw Problem(description: "the database cannot be read: \(Self.reason(error))") }
  }

  /// The names of the columns of a table; nil when there is no plain table of that name.
  package func columns(of table: String) -> [String]? {
    let isTable =
      try? database.first(
        """
        SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?
          AND upper(substr(sql, 1, 14)) <> 'CREATE VIRTUAL'
        """, [table]
      ) { _ in true }
    guard isTable == true else { return nil }
    // Generated columns are computed, and left out.
    return try? database.values(
      "SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0", [table], { try $0.text(0) })
  }

  /// Gives the values of some columns of each row of a table.
  ///
  /// - Throws: when the table or a column is missing, or the database is damaged.
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
    // A message of SQLite's may quote what it found there.
    ((error as? SQLiteError)?.message ?? (error as? BadValue)?.description ?? "\(error)").oneLine
  }
}
