import Model

/// A user's action.
enum Act: Hashable {
  case newDocument(String)
  case newMark(Dot, String)
  case title(Dot, String)
  case removeDocument(Dot, Bool)
  case purgeDocument(Dot)
  case alias(Dot, Dot, Bool)
  case color(Dot, HighlightColor)
  case note(Dot, String)
  case tag(Dot, String, Bool)
  case trash(Dot, Bool)
  case move(Dot, Dot)
  case purge(Dot)
  case undo
}

/// A copy of a library that a schedule drives.
protocol CheckedReplica: AnyObject {
  var id: ReplicaID { get }
  /// The wall clock of this copy, in milliseconds.
  var wall: Int64 { get set }
  /// Performs an action. Returns false if the changed record does not have the requested value
  /// afterwards.
  ///
  /// - Parameter crashes: Whether to discard the action, like a crash before it is acknowledged.
  func perform(_ act: Act, crashes: Bool) throws -> Bool
  /// Returns the number of operations it has created.
  func lastSequence() throws -> Int64
  /// Returns the operations that it created after a sequence number, in the form for sending.
  func operations(after sequence: Int64) throws -> [Operation]
  /// Applies operations of others.
  func merge(_ operations: [Operation]) throws
  /// Returns the operations of a snapshot of its state.
  func snapshot() throws -> [Operation]
  func standing() throws -> Standing
  /// Returns lines that must be equal in all replicas with the same operations.
  func digest() throws -> [String]
}
