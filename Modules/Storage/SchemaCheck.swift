import Glibc
import Model

/// Checks that the tables and indexes of a database are defined as Diple creates them.
///
/// Generated columns, checks and indexes on expressions are evaluated when rows are read or
/// written. A library from an untrusted source must not choose such expressions.
enum SchemaCheck {
  /// Compares the tables and indexes with those of `Schema`.
  ///
  /// Missing tables are not reported here; the first query that needs one fails. Unknown tables are
  /// ignored, because they are never read.
  ///
  /// - Throws: `BadValue` with the name of the first object that differs.
  static func run(_ database: Database) throws {
    if try isCurrent(database) { return }
    let reference = try Database(":memory:", .create)
    try Schema.prepare(reference)
    let expected = Dictionary(
      try objects(of: reference).map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    let isOlder = try Schema.hasOlderTables(database)
    for found in try objects(of: database) {
      let isSame: Bool
      if let known = isOlder ? expected[found.name]?.withoutNumbers : expected[found.name] {
        // SQLite creates the tables behind a virtual table. Their SQL differs between versions of
        // SQLite.
        isSame = known == found || known.isOfIndex && found.isPlainTable
      } else {
        isSame = found.type != "index" || expected[found.table] == nil
      }
      guard isSame else {
        throw BadValue(description: "its \(found.type) \(found.name) is not one that Diple made")
      }
    }
  }

  /// Whether the schema equals `Schema.tables`, byte for byte. This is faster than creating the
  /// tables, which is needed only to find the difference.
  private static func isCurrent(_ database: Database) throws -> Bool {
    var (rest, length) = (Schema.tables.utf8Start, Schema.tables.utf8CodeUnitCount)
    var isSame = true
    try database.forEach(entries) { row in
      isSame = try row.withText(0) { entry in
        guard let start = entry.baseAddress, entry.count <= length,
          memcmp(rest, start, entry.count) == 0
        else { return false }
        (rest, length) = (rest + entry.count, length - entry.count)
        return true
      }
      return isSame
    }
    return isSame && length == 0
  }

  /// Selects the entries of `Schema.tables`, one for each row.
  private static let entries = """
    SELECT type || ' ' || name || ' ' || tbl_name || char(10) || coalesce(sql, '') || char(10)
    FROM sqlite_schema WHERE type <> 'trigger' AND lower(name) NOT GLOB 'sqlite_*' ORDER BY name
    """

  /// Returns the schema of a database in the format of `Schema.tables`.
  static func description(of database: Database) throws -> String {
    try database.values(entries) { try $0.text(0) }.joined()
  }

  private struct Object: Equatable {
    var type: String
    var name: String
    var table: String
    var sql: String

    /// The same object in a version of the database without the numbers of records.
    var withoutNumbers: Object {
      var object = self
      for (table, column) in NumberedRecord.columns where table == name {
        object.sql = object.sql.replacing("," + column.filter { !$0.isWhitespace }, with: "")
      }
      return object
    }

    /// Whether it is one of the tables that SQLite maintains for the text index.
    var isOfIndex: Bool { name.hasPrefix("text_words_") || name.hasPrefix("text_trigrams_") }

    var isPlainTable: Bool {
      type == "table" && !["as(", "check(", "default("].contains { sql.lowercased().contains($0) }
    }
  }

  /// The tables, indexes and views, with names in lower case because SQLite ignores case. Triggers
  /// and SQLite's internal objects are excluded.
  private static func objects(of database: Database) throws -> [Object] {
    try database.values(
      """
      SELECT type, lower(name), lower(tbl_name), coalesce(sql, '') FROM sqlite_schema
      WHERE type <> 'trigger' AND lower(name) NOT GLOB 'sqlite_*'
      """
    ) { row in
      Object(
        type: try row.text(0), name: try row.text(1), table: try row.text(2),
        sql: String(try row.text(3).filter { !$0.isWhitespace && $0 != "\"" }))
    }
  }
}
