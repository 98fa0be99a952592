import Glibc
import Model

/// Whether a database's tables are those that Diple makes. What else a table can hold, such as a
/// generated column, a check or an index of an expression, is computed when rows are read or written:
/// a library that somebody else made must not choose what that is.
enum SchemaCheck {
  /// Compares the tables and indexes with those that the migrations make up to a version. What is
  /// missing shows where it is asked for; tables that Diple does not know are never read.
  ///
  /// - Throws: `BadValue` with the name of the first that differs.
  static func run(_ database: Database, version: Int) throws {
    if try version == Schema.version && isCurrent(database) { return }
    let reference = try Database(":memory:", .create)
    try Schema.migrate(reference, to: version)
    let expected = Dictionary(
      try objects(of: reference).map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    for found in try objects(of: database) {
      let isSame: Bool
      if let known = expected[found.name] {
        // Those of a virtual table are SQLite's, whose versions may write them in other words.
        isSame = known == found || known.isOfIndex && found.isPlainTable
      } else {
        isSame = found.type != "index" || expected[found.table] == nil
      }
      guard isSame else {
        throw BadValue(description: "its \(found.type) \(found.name) is not one that Diple made")
      }
    }
  }

  /// Whether the schema equals `current`, byte for byte. Most commands take less time than the
  /// migrations, which run only to find what differs.
  private static func isCurrent(_ database: Database) throws -> Bool {
    var (rest, length) = (current.utf8Start, current.utf8CodeUnitCount)
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

  /// Selects the entries of `current`, one a row.
  private static let entries = """
    SELECT type || ' ' || name || ' ' || tbl_name || char(10) || coalesce(sql, '') || char(10)
    FROM sqlite_schema WHERE type <> 'trigger' AND lower(name) NOT GLOB 'sqlite_*' ORDER BY name
    """

  /// The schema of a database, written as `current` is.
  static func description(of database: Database) throws -> String {
    try database.values(entries) { try $0.text(0) }.joined()
  }

  private struct Object: Equatable {
    var type: String
    var name: String
    var table: String
    var sql: String

    /// Whether it is a table behind one of the text index.
    var isOfIndex: Bool { name.hasPrefix("text_words_") || name.hasPrefix("text_trigrams_") }

    var isPlainTable: Bool {
      type == "table" && !["as(", "check(", "default("].contains { sql.lowercased().contains($0) }
    }
  }

  /// The tables, indexes and views. Names count without regard to case, as for SQLite; triggers and
  /// what SQLite makes by itself are left out.
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
