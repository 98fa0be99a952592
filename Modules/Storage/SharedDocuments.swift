import Model

/// Under which names this copy of the library made operations, and what it knows of others.
struct OwnIdentities {
  /// The present one.
  let replica: ReplicaID
  /// The last operation that was made under each earlier one.
  private var former: [ReplicaID: Int64] = [:]
  private let progress: [ReplicaID: ReplicaProgress]

  init(_ transaction: ReadTransaction) throws {
    replica = try transaction.replica()
    progress = try transaction.progress()
    var found: [ReplicaID: Int64] = [:]
    try transaction.forEach("SELECT replica, former FROM replica WHERE former > 0") { row in
      found[ReplicaID(rawValue: try row.bits(0))] = Int64(try row.count(1))
      return true
    }
    former = found
  }

  /// Whether an operation was made here.
  func made(_ dot: Dot) -> Bool {
    dot.replica == replica || dot.sequence <= former[dot.replica, default: 0]
  }

  /// Whether an operation is known here, if it is on record or not.
  func knows(_ dot: Dot) -> Bool {
    made(dot) || dot.sequence <= progress[dot.replica]?.sequence ?? 0
  }
}

/// What is known of documents beyond what their operations say.
struct SharedDocuments {
  /// Where those of other machines were found on this one.
  private(set) var places: [Dot: String] = [:]
  /// Of those that are part of another, which one.
  private(set) var aliases: [Dot: Dot] = [:]

  init() {}

  init(_ transaction: ReadTransaction) throws {
    var (places, aliases): ([Dot: String], [Dot: Dot]) = ([:], [:])
    try transaction.forEach(
      """
      SELECT d.replica, d.sequence, d.place, c.replica, c.sequence
      FROM document d LEFT JOIN document c ON c.key = d.alias
      WHERE d.place IS NOT NULL OR d.alias IS NOT NULL
      """
    ) { row in
      let dot = try row.dot(0)
      places[dot] = try row.ifPresent(2, row.text)
      aliases[dot] = try row.ifPresent(3, row.dot)
      return true
    }
    (self.places, self.aliases) = (places, aliases)
  }
}
