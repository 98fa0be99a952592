/// What a step of the history is.
package enum StepKind: String, Hashable, Sendable, Codable {
  /// Something that a person did.
  case act
  /// It takes another step back.
  case undo
  /// It does again what was taken back.
  case redo
  /// It cannot be taken back: what it took away is gone.
  case final
}
