public import Model

/// The operations that are known of each replica. A replica's operations have no gaps, so the last
/// sequence number is enough.
public struct VersionVector: Hashable, Sendable {
  /// The last known sequence number by replica.
  package private(set) var sequences: [ReplicaID: Int64] = [:]

  /// Creates a vector in which no operation is known.
  public init() {}

  /// The sequence number of a replica's last known operation; 0 if none is known.
  public subscript(replica: ReplicaID) -> Int64 { sequences[replica, default: 0] }

  /// Returns whether an operation is known.
  public func contains(_ dot: Dot) -> Bool { dot.sequence <= self[dot.replica] }

  /// Adds the next operation of a replica. An operation that is known already changes nothing.
  ///
  /// - Returns: False if an earlier operation is missing; then nothing is added.
  public mutating func add(_ dot: Dot) -> Bool {
    if contains(dot) { return true }
    guard dot.sequence == self[dot.replica] + 1 else { return false }
    sequences[dot.replica] = dot.sequence
    return true
  }
}
