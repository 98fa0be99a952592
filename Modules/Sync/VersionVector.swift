public import Model

/// How far each replica's operations are known. They have no gaps, so one number for each will do.
public struct VersionVector: Hashable, Sendable {
  /// The last known sequence number by replica.
  package private(set) var sequences: [ReplicaID: Int64] = [:]

  /// Knows nothing.
  public init() {}

  /// The last known operation of a replica, 0 for none.
  public subscript(replica: ReplicaID) -> Int64 { sequences[replica, default: 0] }

  /// Whether an operation is known.
  public func contains(_ dot: Dot) -> Bool { dot.sequence <= self[dot.replica] }

  /// Adds the next operation of a replica.
  ///
  /// - Returns: false, with nothing added, when one before it is missing.
  public mutating func add(_ dot: Dot) -> Bool {
    if contains(dot) { return true }
    guard dot.sequence == self[dot.replica] + 1 else { return false }
    sequences[dot.replica] = dot.sequence
    return true
  }
}
