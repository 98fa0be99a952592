/// The kind of a step in the history.
package enum StepKind: String, Hashable, Sendable, Codable {
  /// A command of the user.
  case act
  /// Reverts another step.
  case undo
  /// Repeats a step that was reverted.
  case redo
  /// A step that cannot be undone, because it deleted data permanently.
  case final
}
