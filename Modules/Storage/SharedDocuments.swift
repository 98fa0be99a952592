import FoundationEssentials
import Model

/// The operations that a copy of a library sent under the replica id of another copy, and then
/// reissued under a new id. It stores this value as a property of its library.
package struct RenamedHistory: Codable {
  /// The sequence number of the last operation that both copies share.
  package var last: Int64
  /// The first 8 bytes of the chain hash of each reissued operation, in hexadecimal digits.
  package var hashes: [String]

  /// Creates the value from the hashes of the operations after `last`, in order.
  package init(last: Int64, hashes: [String]) { (self.last, self.hashes) = (last, hashes) }
}

/// The current and earlier identities of this copy of the library, and the operations of other
/// replicas that it has received.
struct OwnIdentities {
  /// The current identity.
  let replica: ReplicaID
  /// The sequence number of the last operation made under each earlier identity.
  private var former: [ReplicaID: Int64] = [:]
  private let progress: [ReplicaID: ReplicaProgress]
  /// For each replica with reissued operations, the sequence number of its last operation before
  /// these. A record that a reissued operation created has a new id, but this library may still
  /// store operations on the record under the old id.
  private var reissued: [ReplicaID: Int64] = [:]

  init(_ transaction: ReadTransaction) throws {
    replica = try transaction.replica()
    progress = try transaction.progress()
    var found: [ReplicaID: Int64] = [:]
    try transaction.forEach("SELECT replica, former FROM replica WHERE former > 0") { row in
      found[ReplicaID(rawValue: try row.bits(0))] = Int64(try row.count(1))
      return true
    }
    former = found
    for (name, value) in try transaction.properties() {
      guard let old = name.renamed?.old,
        let part = try? JSONDecoder().decode(RenamedHistory.self, from: Data(value.utf8))
      else { continue }
      reissued[old] = min(reissued[old] ?? .max, part.last)
    }
  }

  /// Whether this copy of the library made an operation, under its current or an earlier identity.
  func made(_ dot: Dot) -> Bool {
    dot.replica == replica || dot.sequence <= former[dot.replica, default: 0]
  }

  /// Whether this copy of the library made an operation or received it outside of a snapshot, even
  /// if it is no longer stored. Operations that a snapshot covers do not count, because the
  /// snapshot omits those of purged records.
  func knows(_ dot: Dot) -> Bool {
    if let last = reissued[dot.replica], dot.sequence > last { return false }
    if made(dot) { return true }
    guard let progress = progress[dot.replica] else { return false }
    return dot.sequence > progress.floor && dot.sequence <= progress.sequence
  }
}

/// The places and aliases of documents, which are local: no operation contains them.
struct SharedDocuments {
  /// The paths at which documents of other devices were found on this one.
  private(set) var places: [Dot: String] = [:]
  /// For each document that was merged into another one, the id of that other document.
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
