import Model

/// A record's dot, which is compared in the order in which the tables are sorted.
struct RecordKey: Comparable {
  var sequence: Int64
  var replica: Int64

  /// Reads a replica from a column, and a sequence number from the next one.
  init(_ row: DatabaseRow, at column: Int) throws {
    (sequence, replica) = (try row.integer(column + 1), try row.integer(column))
  }

  var dot: Dot {
    Dot(replica: ReplicaID(rawValue: UInt64(bitPattern: replica)), sequence: sequence)
  }

  static func < (a: Self, b: Self) -> Bool {
    a.sequence == b.sequence ? a.replica < b.replica : a.sequence < b.sequence
  }

  /// Returns the lesser of two keys; nil if both are nil.
  static func first(_ a: Self?, _ b: Self?) -> Self? {
    guard let a, let b else { return a ?? b }
    return min(a, b)
  }
}

/// Reads the operations on the records in a range of sequence numbers, grouped by record, in the
/// order of the records' dots.
///
/// Most operations directly follow the creation of their record and are read in one pass over the
/// table. The others are found through an index and looked up one by one. Unreadable operations are
/// reported.
final class OrderedOperations {
  private let transaction: ReadTransaction
  private let report: (BadValue) -> Void
  private let sequences: ClosedRange<Int64>
  /// The operations, in the order of their dots, that may directly follow the creation of a record.
  private let all: Database.Rows
  /// The next row of `all`.
  private var ahead: (sequence: Int64, row: DatabaseRow)?
  /// The next records, with the operations that directly follow their creation. The first record is
  /// complete: all rows that can belong to it were read.
  private var window: [(key: RecordKey, operations: [Operation])] = []
  /// The dots of the operations in the index, ordered by record.
  private let apart: Database.Rows
  private var change: (key: RecordKey, row: DatabaseRow)?

  /// Starts the queries for the operations on some records.
  ///
  /// - Parameter sequences: the sequence numbers of the records.
  init(
    of transaction: ReadTransaction, on sequences: ClosedRange<Int64> = .min ... .max,
    report: @escaping (BadValue) -> Void
  ) throws {
    (self.transaction, self.sequences, self.report) = (transaction, sequences, report)
    let last = sequences.upperBound.addingReportingOverflow(Int64(Operation.besideCount - 1))
    all = try transaction.database.rows(
      """
      SELECT \(Operation.columns), NOT \(Operation.isApart()) FROM operation NOT INDEXED
      WHERE sequence BETWEEN ? AND ? ORDER BY sequence, replica
      """, [sequences.lowerBound, last.overflow ? .max : last.partialValue])
    apart = try transaction.database.rows(
      """
      SELECT replica, sequence, record_replica, record_sequence FROM operation
      WHERE \(Operation.isApart()) AND record_sequence BETWEEN ? AND ?
      ORDER BY record_sequence, record_replica
      """, [sequences.lowerBound, sequences.upperBound])
    try readNext()
    try fillWindow()
    try advance()
  }

  /// The record of the next operations; nil after the last record.
  var key: RecordKey? { RecordKey.first(window.first?.key, change?.key) }

  /// Passes all operations on a record to `body`. Records must be requested in order.
  func take(_ wanted: RecordKey, _ body: (Operation) throws -> Void) throws {
    if window.first?.key == wanted {
      let operations = window.removeFirst().operations
      try fillWindow()
      for operation in operations { try body(operation) }
    }
    while let (key, row) = change, key == wanted {
      if let name = name(row, at: 0) {
        try transaction.database.forEach(
          "SELECT \(Operation.columns) FROM operation WHERE sequence = ? AND replica = ?",
          [name.sequence, name.replica]
        ) {
          if let operation = operation($0) { try body(operation) }
          return true
        }
      }
      try advance()
    }
  }

  /// Reads operations until the first record of the window is complete.
  private func fillWindow() throws {
    while let (sequence, row) = ahead {
      if let first = window.first,
        sequence > first.key.sequence + Int64(Operation.besideCount - 1)
      {
        return
      }
      if try row.flag(11), let key = name(row, at: 5), sequences.contains(key.sequence),
        let operation = operation(row)
      {
        add(operation, to: key)
      }
      try readNext()
    }
  }

  private func add(_ operation: Operation, to key: RecordKey) {
    let place = (window.lastIndex { $0.key <= key } ?? -1) + 1
    if place > 0, window[place - 1].key == key {
      window[place - 1].operations.append(operation)
    } else {
      window.insert((key, [operation]), at: place)
    }
  }

  private func readNext() throws {
    ahead = nil
    while let row = try all.next() {
      if let name = name(row, at: 0) { return ahead = (name.sequence, row) }
    }
  }

  /// Reads a dot from two columns. Returns nil, and reports it, if it is invalid.
  private func name(_ row: DatabaseRow, at column: Int) -> RecordKey? {
    do { return try RecordKey(row, at: column) } catch {
      if let problem = error as? BadValue { report(problem) }
      return nil
    }
  }

  /// Reads the operation in a row. Returns nil, and reports it, if it is unreadable.
  private func operation(_ row: DatabaseRow) -> Operation? {
    do { return try Operation(row) } catch {
      if let problem = error as? BadValue { report(problem) }
      return nil
    }
  }

  private func advance() throws {
    change = nil
    while let row = try apart.next() {
      if let key = name(row, at: 2) { return change = (key, row) }
    }
  }
}

/// The state of one record according to its operations.
struct RecordState {
  let record: RecordReference
  /// The document's path that this copy of the library set last.
  private(set) var ownPath: String?
  private var ownPathOrder: (Int64, Int64, Int64) = (.min, .min, .min)
  /// The current value of each field that was set.
  private(set) var values: [(field: Operation.Field, value: Operation.Value)] = []
  private var newest: [(Int64, Int64, Int64)] = []
  /// The index of each field in `values`. Used only for more than `few` fields.
  private var places: [[UInt8]: Int] = [:]
  /// The maximum number of fields for which a linear search is faster than a hash table.
  private static let few = 12

  init(_ record: RecordReference) { self.record = record }

  /// Adds an operation on the record, in any order.
  ///
  /// - Parameters:
  ///   - operation: the operation to add.
  ///   - isOwn: whether this copy of the library made it.
  mutating func add(_ operation: Operation, isOwn: Bool = true) {
    let order = (operation.time.packed, operation.dot.storedReplica, operation.dot.sequence)
    if operation.field == .path, isOwn, order > ownPathOrder, let path = operation.textValue {
      (ownPath, ownPathOrder) = (path, order)
    }
    guard let place = place(of: operation.field) else {
      values.append((operation.field, operation.value))
      newest.append(order)
      if values.count == Self.few + 1 {
        for (index, entry) in values.enumerated() { places[entry.field.bytes] = index }
      } else if values.count > Self.few {
        places[operation.field.bytes] = values.count - 1
      }
      return
    }
    if newest[place] > order { return }
    newest[place] = order
    values[place].value = operation.value
  }

  private func place(of field: Operation.Field) -> Int? {
    values.count > Self.few ? places[field.bytes] : values.firstIndex { $0.field.isSame(as: field) }
  }

  subscript(field: Operation.Field) -> Operation.Value? {
    place(of: field).map { values[$0].value }
  }

  /// Whether the creation operation of the record is known.
  var isBorn: Bool { self[.created] != nil }

  /// Whether the record was created and not purged.
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
