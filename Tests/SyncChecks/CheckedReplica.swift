import Model

/// Something a person does.
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

/// One copy of a library that a schedule drives.
protocol CheckedReplica: AnyObject {
  var id: ReplicaID { get }
  /// What the wall clock says here, in milliseconds.
  var wall: Int64 { get set }
  /// Does something; false when what was to be changed does not say afterwards what was wanted.
  ///
  /// - Parameter crashes: it is done and then lost, as when the machine stops before it is acknowledged.
  func perform(_ act: Act, crashes: Bool) throws -> Bool
  /// How many operations it has made.
  func lastSequence() throws -> Int64
  /// What it did after a sequence, as it is sent.
  func operations(after sequence: Int64) throws -> [Operation]
  /// Hears of others.
  func merge(_ operations: [Operation]) throws
  /// What stands for all that it knows.
  func snapshot() throws -> [Operation]
  func standing() throws -> Standing
  /// What must be the same in all replicas that know the same.
  func digest() throws -> [String]
}
