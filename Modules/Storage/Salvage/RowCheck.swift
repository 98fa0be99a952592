import FoundationEssentials
import Model

/// Takes rows out of a table that say what no Diple writes.
struct RowCheck {
  let database: Database
  /// Is told of each row that is taken out.
  let report: (String) -> Void

  /// Reads each row of a table; those that cannot be read are taken out.
  ///
  /// - Parameters:
  ///   - columns: what `read` reads.
  ///   - source: the table, and its short name where `columns` has one.
  ///   - name: what a row is called, of its key's values.
  /// - Returns: how many were taken out.
  @discardableResult
  func remove(
    from table: String, _ columns: String, in source: String? = nil,
    _ read: (Row) throws -> Void, name: (Row, Int) throws -> String? = { _, _ in nil }
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

  /// Takes out what refers to rows that are not there.
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
        count["a row of '\(table)' belongs to a \(parent) that is not there", default: 0] += 1
      }
      for (table, parent) in Set(dangling.filter { $0.row == nil }.map { [$0.table, $0.parent] })
        .map({ ($0[0], $0[1]) })
      {
        // A table of keys has its parent's number in the column of its name.
        try database.execute(
          "DELETE FROM \(table) WHERE \(parent) NOT IN (SELECT key FROM \(parent))")
        count["a row of '\(table)' belongs to a \(parent) that is not there", default: 0] +=
          database.changesCount
      }
    }
    for (line, number) in count.sorted(by: { $0.key < $1.key }) {
      report(number == 1 ? line : "\(number) times: \(line)")
    }
  }
}

extension Row {
  /// Any value, to be compared with.
  func raw(_ column: Int) -> (any Bindable)? {
    if isNull(column) { return nil }
    if let integer = try? integer(column) { return integer }
    if let real = try? real(column) { return real }
    if let bytes = try? bytes(column) { return bytes }
    return try? text(column)
  }
}
