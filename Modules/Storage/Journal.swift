package import FoundationEssentials
package import Model

/// One step of what people did in this copy of the library, as undo and history see it: an act with
/// its operations and the edits of files that belong to it.
///
/// The journal is local. Operations travel to other replicas; edits of files do not, because files
/// are carried by whatever their owner carries them with.
package struct JournalEntry: Hashable, Sendable, Identifiable {
  /// The number of the step, rising with time.
  package var id: Int64
  /// When it was done.
  package var date: Date
  /// What it is.
  package var kind: StepKind
  /// The step that an undo or redo is about.
  package var target: Int64?
  /// Whether a later step has taken it back.
  package var isReversed: Bool
  /// The group of its operations; nil when it has none.
  package var group: Int64?
  /// What it was called when it was done; empty when its operations say that.
  package var label: String
}

/// What one step changed in one file.
package struct FileEdit: Hashable, Sendable {
  /// The document whose file it is.
  package var document: Document.ID
  /// The hash of the file's bytes before.
  package var before: ContentDigest
  /// The hash of its bytes afterwards.
  package var after: ContentDigest
  /// How many places changed.
  package var places: Int
  /// The change, in a form that the store does not look into.
  package var patch: [UInt8]
  /// The file's bytes afterwards, so that the change can be undone beside later ones; nil when
  /// they are not kept.
  package var result: [UInt8]?

  /// Makes an edit of its parts.
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

/// What a transaction is in the journal.
package struct JournalStep: Hashable, Sendable {
  /// The kind; nil for what no person did, which the journal leaves out.
  package var kind: StepKind?
  /// The step that an undo or redo is about.
  package var target: Int64?
  /// What it is called; empty when its operations say that.
  package var label: String
  /// The entry that it belongs to already, made by an earlier transaction.
  package var entry: Int64?
  /// The group of an earlier transaction that this one goes on with; nil for one of its own.
  package var group: Int64?
  /// What the earlier transactions of that group did; nil to read it again.
  package var outline: StepOutline?

  /// Describes a step; without more said, an act of a person.
  ///
  /// - Parameters:
  ///   - group: that of an earlier transaction, when this one is part of the same step.
  ///   - outline: what was done in that group until now.
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
