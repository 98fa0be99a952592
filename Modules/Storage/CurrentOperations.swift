package import Model

extension ReadTransaction {
  /// Calls `body` for the operations that determine the library's current state, record by record.
  /// For a record that is not purged these are its creation, the current operation of each field,
  /// and all operations on notes, because notes may conflict. Their previous values are not read.
  /// For a purged record it is only the purge, if other operations may still refer to the record.
  ///
  /// Operations that directly follow the creation of their record are read in the order of the
  /// table. The others are read in the order of their index. Both orders are that of the records,
  /// so nothing is sorted, and only the operations of a few records are in memory. O(operations).
  ///
  /// - Throws: the error of `body`; `StoreError.damaged` if an operation is damaged; another
  ///   ``StoreError`` if the database cannot be read.
  package func currentOperations(_ body: (Operation) throws -> Void) throws {
    var records = try RecordReader(
      database.rows(
        """
        SELECT \(Operation.columnsWithoutPrevious) FROM operation INDEXED BY operation_record
        WHERE \(Operation.isApart()) ORDER BY record_sequence, record_replica
        """))
    func write(_ operations: [Operation]) throws {
      let isGone = operations.contains { $0.field == .purged }
      for operation in operations {
        guard isGone else {
          try body(operation)
          continue
        }
        guard operation.field == .purged else { continue }
        // The purge of a highlight is needed only until its creation operation is known. That of a
        // document is always needed, because the document may have, or have had, highlights.
        if case .document = operation.record {
          try body(operation)
        } else if try !isBorn(operation.record) {
          try body(operation)
        }
      }
    }
    // A ring buffer with the operations read so far on records that may have more. The index is the
    // record's sequence modulo the size. `next` is the first sequence in the buffer.
    var open = Array(repeating: [Operation](), count: Operation.besideCount)
    var next: Int64 = 0
    func close(before end: Int64) throws {
      let last = min(end, next + Int64(Operation.besideCount))
      while next < last {
        let slot = Int(next) % Operation.besideCount
        try records.forEach(beside: open[slot], write)
        open[slot] = []
        next += 1
      }
      next = max(next, end)
    }
    try database.forEach(
      """
      SELECT \(Operation.columnsWithoutPrevious) FROM operation
      WHERE NOT \(Operation.isApart()) ORDER BY sequence, replica
      """
    ) { row in
      let operation = try Operation(row)
      try close(before: operation.dot.sequence - Int64(Operation.besideCount) + 1)
      open[Int(operation.record.dot.sequence) % Operation.besideCount].append(operation)
      return true
    }
    for _ in open { try close(before: next + 1) }
    try records.forEachLeft(write)
  }
}

/// Joins the operations beside the creation of their record, which directly follow it, with the
/// later ones.
private struct RecordReader {
  private let rows: Database.Rows
  /// The next operation that is not beside the creation of its record.
  private var next: Operation?
  /// The number of operations on a record from which those without effect are discarded early.
  private static let manyOperations = 1_000

  init(_ rows: Database.Rows) throws {
    self.rows = rows
    try advance()
  }

  private mutating func advance() throws { next = try rows.next().map { try Operation($0) } }

  /// Calls `body` with the effective operations of each record, up to the last record in
  /// `operations`. All records in `operations` have the same sequence.
  mutating func forEach(beside operations: [Operation], _ body: ([Operation]) throws -> Void)
    throws
  {
    guard let first = operations.first?.record.dot else { return }
    let isOne = operations.allSatisfy { $0.record.dot == first }
    let records = isOne ? [first: operations] : Dictionary(grouping: operations, by: \.record.dot)
    for (dot, operations) in records.sorted(by: { $0.key.isStoredBefore($1.key) }) {
      while let other = next?.record.dot, other.isStoredBefore(dot) { try pass(other, [], body) }
      try pass(dot, operations, body)
    }
  }

  /// Calls `body` with the effective operations of each record after those that `forEach` passed.
  mutating func forEachLeft(_ body: ([Operation]) throws -> Void) throws {
    while let dot = next?.record.dot { try pass(dot, [], body) }
  }

  private mutating func pass(
    _ dot: Dot, _ known: [Operation], _ body: ([Operation]) throws -> Void
  ) throws {
    var operations = known
    var limit = Self.manyOperations
    while let operation = next, operation.record.dot == dot {
      operations.append(operation)
      if operations.count >= limit {
        operations = Self.effective(operations)
        limit = max(limit, 2 * operations.count)
      }
      try advance()
    }
    try body(Self.effective(operations))
  }

  /// Returns the current operation of each field and all versions of notes, oldest first.
  private static func effective(_ operations: [Operation]) -> [Operation] {
    if operations.count == 1 { return operations }
    let sorted = operations.sorted { $0.precedes($1) }
    var seen: Set<Place> = []
    var effective: [Operation] = []
    for operation in sorted.reversed()
    where seen.insert(Place(operation)).inserted || operation.field.keepsVersions {
      effective.append(operation)
    }
    effective.reverse()
    return effective
  }

  /// The target of an operation. Of the operations with the same target, one is in effect.
  private struct Place: Hashable {
    var record: RecordReference
    var field: [UInt8]
    /// Whether this version of Diple can read the operation. The newest readable operation is kept
    /// even if a newer one exists that only a newer version of Diple can read.
    var isReadable: Bool

    init(_ operation: Operation) {
      record = operation.record
      field = operation.field.bytes
      isReadable = operation.isReadable
    }
  }
}
