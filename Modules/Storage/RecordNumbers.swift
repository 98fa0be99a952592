import Model

/// The numbers by which people name the records of a kind: 1, 2, 3 …
///
/// Each copy of a library gives its own numbers, in the order in which the records get rows, whether
/// they were made here or received. No number is given twice, even after its record was purged.
/// Formatted passages have none.
enum NumberedRecord: String, CaseIterable {
  case document, highlight

  /// The column of the table `library` with the greatest number that was given.
  var counter: String { "\(self)s" }

  /// The condition for rows that have a number.
  private var condition: String { self == .highlight ? "format IS NULL" : "1" }
}

extension NumberedRecord {
  /// The columns for numbers, by table. Version 16 of the database added them.
  static let columns = [
    ("library", "documents INTEGER NOT NULL DEFAULT 0"),
    ("library", "highlights INTEGER NOT NULL DEFAULT 0"),
    ("document", "number INTEGER"), ("highlight", "number INTEGER"),
  ]

  /// The indexes by number.
  static let indexes = allCases.map {
    "CREATE UNIQUE INDEX \($0)_number ON \($0) (number) WHERE number IS NOT NULL"
  }

  /// Gives a number to each record that has none, in the order in which the records were created.
  /// O(records × log).
  static func complete(_ database: Database) throws {
    for kind in allCases {
      let greatest = "(SELECT coalesce(max(number), 0) FROM \(kind))"
      let isMerged = kind == .document ? "alias IS NOT NULL, " : ""
      try database.execute(
        """
        UPDATE \(kind) SET number = r.number FROM (
          SELECT key, row_number() OVER (ORDER BY \(isMerged)created, sequence, replica)
            + (SELECT max(\(kind.counter), \(greatest)) FROM library) AS number
          FROM \(kind) WHERE number IS NULL AND \(kind.condition)) r
        WHERE r.key = \(kind).key
        """)
      try database.execute(
        "UPDATE library SET \(kind.counter) = max(\(kind.counter), \(greatest))")
    }
  }
}

/// The numbers of a library that a backup replaces. A number that was printed before must not name
/// another record afterwards.
struct ReplacedNumbers {
  private struct Row {
    var dot: Dot
    var number: Int
  }

  private var rows: [NumberedRecord: [Row]] = [:]
  private var greatest: [NumberedRecord: Int] = [:]

  /// Reads the numbers of a library; nil if it cannot be read.
  init?(of library: String) {
    guard let database = try? StoreFile.openToRead(library) else { return nil }
    do {
      try database.transaction("DEFERRED") {
        for kind in NumberedRecord.allCases {
          rows[kind] = try database.values(
            "SELECT replica, sequence, number FROM \(kind) WHERE number IS NOT NULL"
          ) { Row(dot: try $0.dot(0), number: try $0.count(2)) }
          greatest[kind] = try database.first("SELECT \(kind.counter) FROM library") {
            try $0.count(0)
          }
        }
      }
    } catch { return nil }
  }

  /// Gives the records of a backup the numbers that they had in the library. Other records keep
  /// their numbers, unless the library gave these to other records. O(records × log).
  func restore(to backup: Database) throws {
    try backup.transaction("IMMEDIATE") {
      for kind in NumberedRecord.allCases {
        try backup.execute(
          sql: """
            CREATE TEMP TABLE known (
              sequence INTEGER, replica INTEGER, number INTEGER UNIQUE,
              PRIMARY KEY (sequence, replica)) WITHOUT ROWID
            """)
        for row in rows[kind] ?? [] {
          try backup.execute(
            "INSERT OR IGNORE INTO temp.known VALUES (?, ?, ?)",
            [row.dot.sequence, row.dot.storedReplica, row.number])
        }
        let isSame = "(k.sequence, k.replica) = (r.sequence, r.replica)"
        try backup.execute(
          """
          UPDATE \(kind) AS r SET number = NULL
          WHERE EXISTS (SELECT 1 FROM temp.known k WHERE \(isSame) AND k.number <> r.number)
            OR EXISTS (SELECT 1 FROM temp.known k WHERE k.number = r.number AND NOT \(isSame))
          """)
        try backup.execute(
          """
          UPDATE \(kind) AS r SET number = k.number FROM temp.known k
          WHERE r.number IS NULL AND \(isSame)
          """)
        try backup.execute(sql: "DROP TABLE temp.known")
        try backup.execute(
          "UPDATE library SET \(kind.counter) = max(\(kind.counter), ?)", [greatest[kind] ?? 0])
      }
      try NumberedRecord.complete(backup)
    }
  }
}
