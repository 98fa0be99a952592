/// What a step of the history is.
package enum StepKind: String, Hashable, Sendable, Codable {
  /// Something that a person did.
  case act
  /// It takes another step back.
  case undo
  /// It redoes what was undone.
  case redo
  /// It cannot be undone: what it deleted is gone.
  case final
}
