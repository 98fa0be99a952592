/// What the rows of a table look like in the file, so that a page can be told to be the table's when
/// nothing leads to it any more.
struct TableShape {
  /// A column in the order in which the table was declared.
  struct Column {
    var name: String
    var type: String
    var isRequired: Bool
    var hasDefault: Bool
    /// Its place in the primary key, from 1; 0 when it is not part of it.
    var key: Int
  }

  let name: String
  let columns: [Column]
  let hasRowID: Bool
  /// The columns in the order in which they lie in the file.
  let stored: [Column]

  /// The tables of a library that are filled again from what a damaged one still holds.
  ///
  /// The search index is not among them: it is made anew.
  static let names = [
    "library", "operation", "document", "snapshot", "highlight", "tag", "anchor", "journal",
    "file_edit", "color_label", "saved_query", "source",
    "document_property", "library_property", "copied_format", "replica", "sync_state",
  ]

  /// The shapes of those tables in a database of ours, in its version.
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

  /// The column that is the row's number.
  var rowIDColumn: Column? {
    let keys = columns.filter { $0.key > 0 }
    return hasRowID && keys.count == 1 && keys[0].type == "INTEGER" ? keys[0] : nil
  }

  /// Whether a row may be one of this table's. Columns that were added later may be absent.
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

  /// What puts a row of so many values into the table, unless its key is there already.
  func insertion(of count: Int) -> String {
    let names = stored[..<count].map(\.name)
    return "INSERT OR IGNORE INTO \(name) (\(names.joined(separator: ", "))) VALUES ("
      + names.map { _ in "?" }.joined(separator: ", ") + ")"
  }

  /// The values to be put in; nil for texts that are not UTF-8.
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
