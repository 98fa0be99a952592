public import Model

/// Carries a replica's operations to the others and theirs to it. It knows nothing of what they
/// mean, and promises little: what was put is there sooner or later, whole or not at all.
public protocol SyncTransport: Strategy where Example == TransportExample {
  /// Makes what a replica did known. Putting the same operations again changes nothing.
  ///
  /// - Throws: `TransportError` when that is not possible now.
  func push(_ operations: [Operation]) throws(TransportError)
  /// What other replicas did after what is known of each of them; in the order of each replica.
  ///
  /// - Throws: `TransportError` when that is not possible now. What cannot be read yet is left for
  ///   the next time and is no error.
  func pull(after known: VersionVector) throws(TransportError) -> [Operation]
}

extension Registry where Element == any SyncTransport {
  /// Appends a transport.
  package mutating func register<T: SyncTransport>(_ transport: T) {
    register(transport, as: T.self)
  }
}

/// An example of what a transport carries.
public struct TransportExample: Sendable {
  /// What it shows.
  public var title: String
  /// What one replica pushes, push by push.
  public var pushed: [[Operation]]
  /// What another knows already.
  public var known: VersionVector
  /// What that one must get.
  public var pulled: [Operation]

  /// Makes an example of its parts.
  public init(
    _ title: String, pushed: [[Operation]], known: VersionVector, pulled: [Operation]
  ) {
    self.title = title
    self.pushed = pushed
    self.known = known
    self.pulled = pulled
  }
}

/// Why operations could not be carried now.
public struct TransportError: Error, Hashable, Sendable, CustomStringConvertible {
  /// One line: what and where.
  public var description: String

  /// Makes an error.
  public init(_ description: String) { self.description = description }
}

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
