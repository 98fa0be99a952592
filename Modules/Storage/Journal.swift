package import FoundationEssentials
package import Model

/// A step in the local history of a library: a user's action with its operations and file edits.
///
/// Undo, redo and the history read these entries. The journal is not synchronised. Operations are
/// copied to other replicas; file edits are not, because the user's own tools transfer the files.
package struct JournalEntry: Hashable, Sendable, Identifiable {
  /// The number of the step. Later steps have greater numbers.
  package var id: Int64
  /// The time of the step.
  package var date: Date
  /// The kind of step, such as an action or an undo.
  package var kind: StepKind
  /// The step that an undo or redo reverts; nil for other kinds.
  package var target: Int64?
  /// Whether a later step reverted this one.
  package var isReversed: Bool
  /// The group number of its operations; nil if it has none.
  package var group: Int64?
  /// The label stored with the step; empty if the label is derived from the operations.
  package var label: String
}

/// The change that one step made to one file.
package struct FileEdit: Hashable, Sendable {
  /// The document to which the file belongs.
  package var document: Document.ID
  /// The hash of the file's bytes before the edit.
  package var before: ContentDigest
  /// The hash of the file's bytes after the edit.
  package var after: ContentDigest
  /// The number of places that changed.
  package var places: Int
  /// The patch in a format that the store does not interpret.
  package var patch: [UInt8]
  /// The file's bytes after the edit; nil if they are not stored. They are needed to undo this edit
  /// when later edits follow it.
  package var result: [UInt8]?

  /// Creates an edit. The store compresses `patch` and `result`.
  package init(
    document: Document.ID, before: ContentDigest, after: ContentDigest, places: Int,
    patch: [UInt8], result: [UInt8]? = nil
  ) {
    self.document = document
    self.before = before
    self.after = after
    self.places = places
    self.patch = patch
    self.result = result
  }
}

/// How a transaction is recorded in the journal.
package struct JournalStep: Hashable, Sendable {
  /// The kind of step; nil if no user caused the transaction, in which case it is not recorded.
  package var kind: StepKind?
  /// The step that an undo or redo reverts; nil for other kinds.
  package var target: Int64?
  /// The label of the step; empty to derive it from the operations.
  package var label: String
  /// The entry that an earlier transaction created for this step; nil to create one.
  package var entry: Int64?
  /// The operation group of an earlier transaction that this one continues; nil to start a group.
  package var group: Int64?
  /// The summary of the group's earlier operations; nil to read it from the database.
  package var outline: StepOutline?

  /// Creates a step. The default is a new user action.
  ///
  /// - Parameters:
  ///   - kind: the kind of step; nil to keep the transaction out of the journal.
  ///   - target: the step that an undo or redo reverts.
  ///   - label: the label; empty to derive it from the operations.
  ///   - group: the group of an earlier transaction of the same step.
  ///   - outline: the summary of the group's operations so far.
  package init(
    _ kind: StepKind? = .act, of target: Int64? = nil, label: String = "",
    group: Int64? = nil, outline: StepOutline? = nil
  ) {
    self.kind = kind
    self.target = target
    self.label = label
    self.group = group
    self.outline = outline
  }
}
