import FoundationEssentials
import Model

/// Deletes rows with invalid values.
struct RowCheck {
  let database: Database
  /// Called with a description of each deleted row.
  let report: (String) -> Void

  /// Reads each row of a table and deletes the unreadable rows.
  ///
  /// - Parameters:
  ///   - table: the table to check.
  ///   - columns: the columns to read, separated by commas.
  ///   - source: the FROM clause; it ends with the table's alias if `columns` contains it. Nil for
  ///     `table`.
  ///   - read: reads a row; throws `BadValue` if it is invalid.
  ///   - name: returns the description of a row from the values of its key, which start at the
  ///     given column; nil for the description of the error.
  /// - Returns: the number of deleted rows.
  @discardableResult
  func remove(
    from table: String, _ columns: String, in source: String? = nil,
    _ read: (DatabaseRow) throws -> Void,
    name: (DatabaseRow, Int) throws -> String? = { _, _ in nil }
  ) throws -> Int {
    guard let shape = try TableShape.all(of: database).first(where: { $0.name == table }) else {
      return 0
    }
    let keys = shape.hasRowID ? ["rowid"] : shape.columns.filter { $0.key > 0 }.map(\.name)
    let short = source?.split(separator: " ").last.map { "\($0)." } ?? ""
    let count = columns.split(separator: ",").count
    var bad: [Arguments] = []
    try database.forEach(
      "SELECT \(columns), \(keys.map { short + $0 }.joined(separator: ", ")) FROM \(source ?? table)"
    ) { row in
      do { try read(row) } catch let problem as BadValue {
        bad.append(keys.indices.map { row.raw(count + $0) })
        report((try? name(row, count)) ?? problem.description)
      }
      return true
    }
    for key in bad {
      try database.execute(
        "DELETE FROM \(table) WHERE \(keys.map { "\($0) IS ?" }.joined(separator: " AND "))", key)
    }
    return bad.count
  }

  /// Deletes rows with references to rows that do not exist.
  ///
  /// - Throws: `SQLiteError` if the database cannot be written.
  func removeDangling() throws {
    var count: [String: Int] = [:]
    for _ in 0..<8 {
      let dangling = try database.values("PRAGMA foreign_key_check") { row in
        (
          table: try row.text(0), row: row.isNull(1) ? nil : try row.integer(1),
          parent: try row.text(2)
        )
      }
      if dangling.isEmpty { break }
      for (table, row, parent) in dangling where row != nil {
        try database.execute("DELETE FROM \(table) WHERE rowid = ?", [row])
        count["a row of '\(table)' belongs to a missing \(parent)", default: 0] += 1
      }
      for (table, parent) in Set(dangling.filter { $0.row == nil }.map { [$0.table, $0.parent] })
        .map({ ($0[0], $0[1]) })
      {
        // In a `WITHOUT ROWID` table, the column with the parent table's name contains the parent's
        // key.
        try database.execute(
          "DELETE FROM \(table) WHERE \(parent) NOT IN (SELECT key FROM \(parent))")
        count["a row of '\(table)' belongs to a missing \(parent)", default: 0] +=
          database.changesCount
      }
    }
    for (line, number) in count.sorted(by: { $0.key < $1.key }) {
      report(number == 1 ? line : "\(number) times: \(line)")
    }
  }
}

extension DatabaseRow {
  /// Returns the value of a column, whatever its type, to use it in a comparison.
  func raw(_ column: Int) -> (any Bindable)? {
    if isNull(column) { return nil }
    if let integer = try? integer(column) { return integer }
    if let real = try? real(column) { return real }
    if let bytes = try? bytes(column) { return bytes }
    return try? text(column)
  }
}
