import Model

extension Operation {
  /// A change whose dot is fewer than this many dots after its record's creation is found by its
  /// dot and needs no index. Nearly all initial values of a record are within this distance.
  static let besideCount = 8

  /// Returns the SQL condition for an operation to be in the index `operation_record`.
  ///
  /// Operations that directly follow the creation of their record are not in the index. With them,
  /// the index would take a tenth of a large library.
  ///
  /// - Parameter table: the alias of the table `operation` with a dot; empty for none.
  static func isApart(_ table: String = "") -> String {
    // Zero after the shift is a distance of 0 to 7. SQLite's planner uses the index only if a query
    // contains the same terms as the index.
    """
    (\(table)replica <> \(table)record_replica \
    OR (\(table)sequence - \(table)record_sequence) >> 3 <> 0)
    """
  }

  /// Returns the SQL condition for an operation to change a record and not be in
  /// `operation_record`.
  ///
  /// - Parameters:
  ///   - sequence: the SQL expression of the record's sequence.
  ///   - replica: the SQL expression of the record's replica.
  static func isBeside(_ sequence: String, _ replica: String) -> String {
    """
    sequence BETWEEN \(sequence) AND \(sequence) + \(besideCount - 1) AND replica = \(replica)
      AND record_sequence = \(sequence) AND record_replica = \(replica) AND field <> 'created'
    """
  }

  /// Returns the SQL of all operations on a record except its creation: a subquery with the columns
  /// of `operation`.
  ///
  /// The subquery reads the rows whose sequences directly follow the sequence of the creation,
  /// including rows of other replicas, and one index entry for each later operation.
  ///
  /// - Parameters:
  ///   - sequence: the SQL expression of the record's sequence: a parameter or a column of another
  ///     table.
  ///   - replica: the SQL expression of the record's replica.
  static func changes(of sequence: String, _ replica: String) -> String {
    """
    (SELECT * FROM operation WHERE \(isBeside(sequence, replica))
    UNION ALL SELECT * FROM operation
    WHERE record_sequence = \(sequence) AND record_replica = \(replica) AND field <> 'created'
      AND \(isApart()))
    """
  }
}

extension ReadTransaction {
  /// Returns the number of stored operations, and how many of them do not directly follow the
  /// creation of their record. O(operations), but only one index is read.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read.
  package func operationCounts() throws -> (all: Int64, later: Int64) {
    func count(_ source: String) throws -> Int64 {
      try first("SELECT count(*) FROM operation \(source)") { try $0.integer(0) } ?? 0
    }
    return (
      try count(""),
      try count("INDEXED BY operation_record WHERE \(Operation.isApart())")
    )
  }
}
