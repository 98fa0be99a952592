import FoundationEssentials
import Model

/// The database's tables.
///
/// The operations are the source of truth. `document`, `highlight`, `tag` and the other records are
/// derived from them. `snapshot`, `anchor` and the `text_…` tables are local caches.
enum Schema {
  /// `PRAGMA application_id`: "Dipl".
  static let applicationID = 0x4469_706C
  /// The current `PRAGMA user_version`.
  static let version = 16
  /// The oldest version that can be read. It has one more table than version 15, which is not read.
  /// Version 15 has the tables of the current version without the numbers of records.
  static let oldestVersion = 14

  /// Creates the tables in an empty database, or updates those of an older version, in one
  /// transaction. Does nothing if they are current.
  ///
  /// - Throws: `SQLiteError` if the tables cannot be created; `StoreError.older` if the database
  ///   has an older version.
  static func prepare(_ database: Database) throws {
    try database.transaction("IMMEDIATE") {
      // Another process may have created the tables meanwhile.
      if try isCurrent(database) { return }
      if try hasOlderTables(database) {
        try database.execute(sql: "DROP TABLE IF EXISTS grdb_migrations")
        for (table, column) in NumberedRecord.columns {
          try database.execute(sql: "ALTER TABLE \(table) ADD COLUMN \(column)")
        }
        for index in NumberedRecord.indexes { try database.execute(sql: index) }
        try NumberedRecord.complete(database)
      } else {
        for statement in statements { try database.execute(sql: statement) }
        try database.execute(sql: TextIndex.tables)
        try database.execute(
          "INSERT INTO library (id, replica, sequence, clock) VALUES (1, ?, 0, 0)",
          [Int64.random(in: .min ... .max)])
      }
      try database.execute(
        sql: "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
    }
  }

  /// The statements of `tables`, without those of the text index.
  static var statements: [String] {
    var statements: [String] = []
    var isOfIndex = false
    for line in tables.description.split(separator: "\n") {
      if line.hasPrefix("table ") || line.hasPrefix("index ") {
        isOfIndex = line.dropFirst(6).hasPrefix("text_")
        if !isOfIndex { statements.append("") }
      } else if !isOfIndex, let last = statements.indices.last {
        statements[last] += (statements[last].isEmpty ? "" : "\n") + line
      }
    }
    return statements
  }

  /// Whether the tables have the current version. Only reads.
  ///
  /// - Throws: `StoreError.foreign` if the database is not a library, `StoreError.newer` or
  ///   `StoreError.older` if its version cannot be read.
  static func isCurrent(_ database: Database) throws -> Bool {
    let found = try foundVersion(database)
    let application = try database.first("PRAGMA application_id") { Int(try $0.integer(0)) }
    if application == applicationID {
      if found > version { throw StoreError.newer(path: database.path, version: found) }
      if found < oldestVersion { throw StoreError.older(path: database.path, version: found) }
      return found == version
    }
    let tables = try database.first("SELECT count(*) FROM sqlite_schema") { try $0.count(0) }
    if application != 0 || tables != 0 { throw StoreError.foreign(path: database.path) }
    return false
  }

  /// Checks that tables and indexes are defined as Diple creates them.
  ///
  /// - Throws: `BadValue` if they differ.
  static func check(_ database: Database) throws {
    // Another process may be creating the tables, so the version and the tables are read in one
    // transaction.
    try database.transaction("DEFERRED") {
      if try foundVersion(database) > 0 { try SchemaCheck.run(database) }
    }
  }

  /// Whether the tables are those of an older version, which lack the numbers of records.
  static func hasOlderTables(_ database: Database) throws -> Bool {
    (oldestVersion..<version).contains(try foundVersion(database))
  }

  private static func foundVersion(_ database: Database) throws -> Int {
    let found = try database.first("PRAGMA user_version") { try $0.integer(0) } ?? 0
    guard found >= 0 else { throw BadValue(description: "its version is \(found)") }
    return Int(found)
  }
}
