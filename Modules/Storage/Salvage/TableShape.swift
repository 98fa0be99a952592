/// The columns of a table as they are stored in a file. They identify the table of a page that
/// nothing refers to any more.
struct TableShape {
  /// A column, in the order of the table's declaration.
  struct Column {
    var name: String
    var type: String
    var isRequired: Bool
    var hasDefault: Bool
    /// The column's position in the primary key, from 1; 0 if the column is not part of the key.
    var key: Int
  }

  let name: String
  let columns: [Column]
  let hasRowID: Bool
  /// The columns in the order of the file: in a `WITHOUT ROWID` table the key's columns are first.
  let stored: [Column]

  /// The tables whose rows are copied from a damaged library.
  ///
  /// The search index is rebuilt instead.
  static let names = [
    "library", "operation", "document", "snapshot", "highlight", "tag", "anchor", "journal",
    "file_edit", "color_label", "saved_query", "source",
    "document_property", "library_property", "copied_format", "replica", "sync_state",
  ]

  /// Returns the shapes of the tables in `names`, except those that the database does not have.
  static func all(of database: Database) throws -> [TableShape] {
    try names.compactMap { name in
      let columns = try database.values("PRAGMA table_info(\(name))") { row in
        Column(
          name: try row.text(1), type: try row.text(2), isRequired: try row.flag(3),
          hasDefault: !row.isNull(4), key: try row.count(5))
      }
      guard !columns.isEmpty else { return nil }
      let isKeyed = try database.first("PRAGMA table_list(\(name))") { try $0.flag(4) } ?? false
      return TableShape(name: name, columns: columns, hasRowID: !isKeyed)
    }
  }

  private init(name: String, columns: [Column], hasRowID: Bool) {
    self.name = name
    self.columns = columns
    self.hasRowID = hasRowID
    stored =
      hasRowID
      ? columns
      : columns.filter { $0.key > 0 }.sorted { $0.key < $1.key } + columns.filter { $0.key == 0 }
  }

  /// The column that is an alias for the row number; nil if the table has no such column.
  var rowIDColumn: Column? {
    let keys = columns.filter { $0.key > 0 }
    return hasRowID && keys.count == 1 && keys[0].type == "INTEGER" ? keys[0] : nil
  }

  /// Whether a row fits this table. Columns at the end may be absent, because the row may be older
  /// than the column.
  func fits(_ record: RawRecord) -> Bool {
    guard (record.rowID != nil) == hasRowID, record.values.count <= stored.count else {
      return false
    }
    let number = rowIDColumn?.name
    for (value, column) in zip(record.values, stored) {
      switch (value, column.type) {
      case (.null, _):
        guard column.name == number || !(column.isRequired || !hasRowID && column.key > 0) else {
          return false
        }
      case (.integer, "INTEGER"), (.integer, "REAL"), (.real, "REAL"), (.text, "TEXT"),
        (.blob, "BLOB"), (.integer, "ANY"), (.text, "ANY"), (.blob, "ANY"):
        if column.name == number { return false }
      default: return false
      }
    }
    return stored[record.values.count...].allSatisfy { $0.hasDefault || !$0.isRequired }
  }

  /// The SQL statement that inserts a row of `count` values, unless its key is already present.
  func insertion(of count: Int) -> String {
    let names = stored[..<count].map(\.name)
    return "INSERT OR IGNORE INTO \(name) (\(names.joined(separator: ", "))) VALUES ("
      + names.map { _ in "?" }.joined(separator: ", ") + ")"
  }

  /// The values to insert; nil if a text is not valid UTF-8.
  func arguments(_ record: RawRecord) -> Arguments? {
    var arguments: Arguments = []
    let number = rowIDColumn?.name
    for (value, column) in zip(record.values, stored) {
      switch value {
      case .null: arguments.append(column.name == number ? record.rowID : nil)
      case .integer(let integer): arguments.append(integer)
      case .real(let real): arguments.append(real)
      case .blob(let bytes): arguments.append(bytes)
      case .text(let bytes):
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        arguments.append(text)
      }
    }
    return arguments
  }
}
