import Model

extension Operation {
  /// How many operations of a replica, from the birth of a record on, are found by their own names
  /// when they change this record: nearly all that a record begins with.
  static let besideCount = 8

  /// The condition, in SQL, that an operation is found by the index `operation_record`. All others
  /// directly follow the birth of their record, and take no place in the index: it would be a tenth of a
  /// large library.
  ///
  /// - Parameter table: the alias of the table of operations, with a dot; empty for none.
  static func isApart(_ table: String = "") -> String {
    // Shifted, because the planner needs the same terms in a query and in the index. Zero means 0 to 7.
    """
    (\(table)replica <> \(table)record_replica \
    OR (\(table)sequence - \(table)record_sequence) >> 3 <> 0)
    """
  }

  /// The condition, in SQL, that an operation changes a record and is not in `operation_record`.
  ///
  /// - Parameters:
  ///   - sequence: the SQL of the record's sequence.
  ///   - replica: the SQL of its replica.
  private static func isBeside(_ sequence: String, _ replica: String) -> String {
    """
    sequence BETWEEN \(sequence) AND \(sequence) + \(besideCount - 1) AND replica = \(replica)
      AND record_sequence = \(sequence) AND record_replica = \(replica) AND field <> 'created'
    """
  }

  /// All operations on a record but its birth, in SQL: a table in parentheses with the columns of
  /// `operation`. It reads the operations that directly follow the birth, those of other replicas
  /// among them, and an entry of the index for each later one.
  ///
  /// - Parameters:
  ///   - sequence: the SQL of the record's sequence, a parameter or a column of another table.
  ///   - replica: the SQL of its replica.
  static func changes(of sequence: String, _ replica: String) -> String {
    """
    (SELECT * FROM operation WHERE \(isBeside(sequence, replica))
    UNION ALL SELECT * FROM operation
    WHERE record_sequence = \(sequence) AND record_replica = \(replica) AND field <> 'created'
      AND \(isApart()))
    """
  }
}
