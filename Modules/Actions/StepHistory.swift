import FoundationEssentials
package import Model
import Storage
import SystemSupport
package import Workspace

/// Undoes the last step.
package struct UndoStep: Action {
  package static let name = "history.undo"
  package static let summary = "Undoes the last step."
  package static let effect = ActionEffect.writes
  package static let parameters = [
    StepOutcome.document,
    ActionParameter(
      "skip", .flag, "Skips the last step: the next undo reverts the step before it."),
    ActionParameter(
      "keepsDocument", .flag, "Fails if the undo would remove the document from the library."),
    .dryRun,
  ]
  package static let examples = [
    UndoStep(document: .example, skip: true, keepsDocument: true, dryRun: true)
  ]

  package var document: Document.ID?
  package var skip: Bool?
  package var keepsDocument: Bool?
  package var dryRun: Bool?

  package init(
    document: Document.ID? = nil, skip: Bool? = nil, keepsDocument: Bool? = nil,
    dryRun: Bool? = nil
  ) {
    (self.document, self.skip) = (document, skip)
    (self.keepsDocument, self.dryRun) = (keepsDocument, dryRun)
  }

  package func run(in session: ActionSession) async throws -> StepOutcome {
    var scope = session.scope(document)
    scope?.keepsDocument = keepsDocument ?? false
    return StepOutcome(
      report: try await session.library.undo(
        in: scope, skipping: skip ?? false, dryRun: dryRun ?? false))
  }
}

/// Repeats the last undone step.
package struct RedoStep: Action {
  package static let name = "history.redo"
  package static let summary = "Repeats the last undone step."
  package static let effect = ActionEffect.writes
  package static let parameters = [
    StepOutcome.document,
    .dryRun,
  ]
  package static let examples = [RedoStep(document: .example, dryRun: true)]

  package var document: Document.ID?
  package var dryRun: Bool?

  package init(document: Document.ID? = nil, dryRun: Bool? = nil) {
    (self.document, self.dryRun) = (document, dryRun)
  }

  package func run(in session: ActionSession) async throws -> StepOutcome {
    StepOutcome(
      report: try await session.library.redo(
        in: session.scope(document), dryRun: dryRun ?? false))
  }
}

/// A step that was undone or redone.
package struct StepOutcome: ActionOutcome {
  package var report: StepReport

  // The parameter that both actions share.
  fileprivate static let document = ActionParameter(
    "document", .identifier(.document), "Only the latest step of this document.")

  /// The record `diple.step/1`.
  private struct Record: Encodable {
    var step: HistoryRecord
    var files: [FileChangeRecord]
    var kept: Int
  }

  package var json: String {
    JSON.line(
      "diple.step/1",
      Record(
        step: HistoryRecord(report.step), files: report.changes.map(FileChangeRecord.init),
        kept: report.kept))
  }
}

/// A step, an element of `diple.history/1`.
package struct HistoryRecord: Encodable {
  var id: Int64
  var date: Date
  var kind: StepKind
  @Nullable var target: Int64?
  var reversed: Bool
  var summary: String

  package init(_ step: HistoryStep) {
    id = step.id
    date = step.date
    kind = step.kind
    target = step.target
    reversed = step.isReversed
    summary = step.summary
  }
}

/// The changes of one file, a part of `diple.change/1` and `diple.step/1`.
package struct FileChangeRecord: Encodable {
  var document: HighlightRecord.DocumentReference
  var places: Int
  var written: Bool
  var diff: String
  var highlights: [RefreshRecord.OutcomeRecord]

  package init(_ change: FileChange) {
    document = .init(change.document)
    places = change.places
    written = change.report != nil
    diff = change.diff
    highlights = change.report.map { RefreshRecord($0).outcomes } ?? []
  }
}
