import Model

/// A record's name in the order of the tables.
struct RecordKey: Comparable {
  var sequence: Int64
  var replica: Int64

  /// Reads a replica, and its sequence in the next column.
  init(_ row: Row, at column: Int) throws {
    (sequence, replica) = (try row.integer(column + 1), try row.integer(column))
  }

  var dot: Dot {
    Dot(replica: ReplicaID(rawValue: UInt64(bitPattern: replica)), sequence: sequence)
  }

  static func < (a: Self, b: Self) -> Bool {
    a.sequence == b.sequence ? a.replica < b.replica : a.sequence < b.sequence
  }

  /// The lesser of two; nil when there is none.
  static func first(_ a: Self?, _ b: Self?) -> Self? {
    guard let a, let b else { return a ?? b }
    return min(a, b)
  }
}

/// All operations by the records that they are on, in the order of the records' names.
///
/// Most stand right behind the birth of their record, and are taken from there in one pass; where the
/// index of operations names others, these are looked for one by one. What cannot be read is told of.
final class OrderedOperations {
  private let transaction: ReadTransaction
  private let report: (BadValue) -> Void
  /// All of them, by their own names, which for a birth is that of its record.
  private let all: Database.Rows
  /// The birth that comes next; its row is the one at hand in `all`.
  private var birth: (key: RecordKey, row: Row)?
  /// The names of all but the births, by the names of their records.
  private let changes: Database.Rows
  private var change: (key: RecordKey, row: Row)?

  init(of transaction: ReadTransaction, report: @escaping (BadValue) -> Void) throws {
    (self.transaction, self.report) = (transaction, report)
    all = try transaction.database.rows(
      """
      SELECT \(Operation.columns), field = 'created' FROM operation NOT INDEXED
      ORDER BY sequence, replica
      """)
    changes = try transaction.database.rows(
      """
      SELECT replica, sequence, record_replica, record_sequence FROM operation
      WHERE field <> 'created' ORDER BY record_sequence, record_replica
      """)
    try goOn(to: try all.next())
    try advance()
  }

  /// The record that the next operations are on; nil after the last.
  var key: RecordKey? { RecordKey.first(birth?.key, change?.key) }

  /// Gives all operations on a record, which none before it is, to `body`.
  func take(_ wanted: RecordKey, _ body: (Operation) throws -> Void) throws {
    // All between these two were read behind the birth.
    var (first, last): (RecordKey?, RecordKey?)
    while let (key, row) = birth, key == wanted {
      first = name(row, at: 0)
      last = first
      try read(row, body)
      var next = try all.next()
      while let row = next, !isBirth(row), name(row, at: 5) == wanted {
        last = name(row, at: 0)
        try read(row, body)
        next = try all.next()
      }
      try goOn(to: next)
    }
    while let (key, row) = change, key == wanted {
      if let name = name(row, at: 0) {
        if let first, let last, first <= name, name <= last {
          try advance()
          continue
        }
        try transaction.database.forEach(
          "SELECT \(Operation.columns) FROM operation WHERE sequence = ? AND replica = ?",
          [name.sequence, name.replica]
        ) {
          try read($0, body)
          return true
        }
      }
      try advance()
    }
  }

  private func isBirth(_ row: Row) -> Bool { (try? row.integer(11)) == 1 }

  /// The name in two columns; nil, and told of, where it cannot be one.
  private func name(_ row: Row, at column: Int) -> RecordKey? {
    do { return try RecordKey(row, at: column) } catch {
      if let problem = error as? BadValue { report(problem) }
      return nil
    }
  }

  private func read(_ row: Row, _ body: (Operation) throws -> Void) throws {
    do { try body(try Operation(row)) } catch let problem
      as BadValue
    { report(problem) }
  }

  /// Goes on to the next birth, over what is said later of records that were born before.
  private func goOn(to next: Row?) throws {
    birth = nil
    var next = next
    while let row = next {
      if isBirth(row), let key = name(row, at: 5) { return birth = (key, row) }
      next = try all.next()
    }
  }

  private func advance() throws {
    change = nil
    while let row = try changes.next() {
      if let key = name(row, at: 2) { return change = (key, row) }
    }
  }
}

/// What the operations on one record add up to.
struct RecordState {
  let record: RecordReference
  /// Where this copy of the library said last that the document stands.
  private(set) var ownPath: String?
  private var ownPathOrder: (Int64, Int64, Int64) = (.min, .min, .min)
  /// What holds, for each field that something was said of.
  private(set) var values: [(field: Operation.Field, value: Operation.Value)] = []
  private var newest: [(Int64, Int64, Int64)] = []
  /// Where each field stands, once there are more than a few.
  private var places: [Operation.Field: Int] = [:]
  /// So many fields are looked through sooner than they are found by their hashes.
  private static let few = 12

  init(_ record: RecordReference) { self.record = record }

  /// - Parameter isOwn: whether this copy of the library made the operation.
  mutating func add(_ operation: Operation, isOwn: Bool = true) {
    let order = (operation.time.packed, operation.dot.storedReplica, operation.dot.sequence)
    if operation.field == .path, isOwn, order > ownPathOrder, let path = operation.textValue {
      (ownPath, ownPathOrder) = (path, order)
    }
    guard let place = place(of: operation.field) else {
      values.append((operation.field, operation.value))
      newest.append(order)
      if values.count == Self.few + 1 {
        for (index, entry) in values.enumerated() { places[entry.field] = index }
      } else if values.count > Self.few {
        places[operation.field] = values.count - 1
      }
      return
    }
    if newest[place] > order { return }
    newest[place] = order
    values[place].value = operation.value
  }

  private func place(of field: Operation.Field) -> Int? {
    values.count > Self.few ? places[field] : values.firstIndex { $0.field == field }
  }

  subscript(field: Operation.Field) -> Operation.Value? {
    place(of: field).map { values[$0].value }
  }

  /// Whether an operation made the record.
  var isBorn: Bool { self[.created] != nil }

  /// Whether the record was made and not taken away for good.
  var exists: Bool { isBorn && self[.purged] == nil }

  func text(_ field: Operation.Field) -> String? {
    if case .text(let text)? = self[field] { text } else { nil }
  }

  func flag(_ field: Operation.Field) -> Bool? {
    if case .flag(let flag)? = self[field] { flag } else { nil }
  }

  func reference(_ field: Operation.Field) -> Dot? {
    if case .reference(let dot)? = self[field] { dot } else { nil }
  }

  var selector: Selector? {
    if case .selector(let selector)? = self[.selector] { selector } else { nil }
  }

  var source: Source {
    var source = Source()
    for (field, value) in values {
      guard let variable = field.source, case .text(let text) = value else { continue }
      source[variable] = StoredSourceValue(text: text).value
    }
    return source
  }

  var properties: [PropertyName: String] {
    var properties: [PropertyName: String] = [:]
    for (field, value) in values {
      if let name = field.property, case .text(let text) = value, !text.isEmpty {
        properties[name] = text
      }
    }
    return properties
  }

  var tags: [String] {
    values.compactMap { $0.value == .flag(true) ? $0.field.tag : nil }.sorted {
      $0.utf8.lexicographicallyPrecedes($1.utf8)
    }
  }
}
