import Anchoring
import Editing
import MarkdownParse
package import Model
package import Storage
package import SystemSupport

/// The result of an undo or redo, or the preview of one.
package struct StepReport: Sendable {
  /// The step that was undone or redone.
  package var step: HistoryStep
  /// The changes to files.
  package var changes: [FileChange] = []
  /// The number of fields that were not reverted because they changed again since.
  package var kept = 0
  /// The reports of the documents that the step concerns.
  package var reports: [RefreshReport] = []
  /// The error of anchoring the step's highlights again; nil if that succeeded. The step is done
  /// even if there is an error.
  package var problem: UserError?
}

extension Library {
  /// Returns the steps of the history, newest first, at most `limit`.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func history(limit: Int) throws(UserError) -> [HistoryStep] {
    if isReadOnly { try findForeignSteps() } else { try settleJournal() }
    let paths = ShownPaths(location)
    return try storage {
      try store.read { transaction in
        let entries = try transaction.journal(limit: limit)
        let reverted = Set(entries.compactMap(\.target))
        var steps = try entries.map { entry in
          var step = try transaction.step(entry, paths)
          if entry.isReversed, !reverted.contains(entry.id) {
            (step.isReversed, step.isSkipped) = (false, true)
          }
          return step
        }
        // A redone change is in effect, although only the redo itself can be undone.
        let redone = Set(steps.lazy.filter { $0.kind == .redo && !$0.isReversed }.map(\.change))
        for index in steps.indices where redone.contains(steps[index].id) {
          steps[index].isReversed = false
        }
        return steps
      }
    }
  }

  /// Undoes the newest step, by new operations and by restoring the old content of files.
  ///
  /// - Parameters:
  ///   - scope: limits the undo to the steps of a session; nil for all steps.
  ///   - skipping: whether the step is marked as skipped instead of being undone, so that the next
  ///     undo concerns the step before it.
  ///   - dryRun: whether to return the report without changing anything.
  /// - Throws: `nothing` if there is no step to undo; `conflict`, and nothing is undone, if
  ///   - a file has changed at the same place since
  ///   - the step is unfinished, on another device or in a running process
  ///   - another device has changed the same fields, or has highlighted a document that the step
  ///     added
  ///   - the step deleted data permanently; the next undo concerns the step before it
  ///   - the step predates the session and concerns other documents too
  ///   - the step added the session's document, and the scope keeps it.
  package func undo(
    in scope: SessionScope? = nil, skipping: Bool = false, dryRun: Bool = false
  ) throws(UserError) -> StepReport {
    try settleJournal()
    while let entry = try storage({
      try store.read { try $0.nextUndo(in: scope, includingFinal: true) }
    }) {
      if !skipping, foreignSteps.contains(entry.id) {
        throw UserError(
          .conflict, "step \(entry.id) was begun on another device and is not finished",
          remedy: .action("history.undo", ["skip": .flag(true)]))
      }
      if isBusy(entry.id) {
        throw UserError(
          .conflict, "another process is still writing step \(entry.id)",
          hint: "try again when it has finished")
      }
      try requireAlone(scope, entry, .undo)
      if skipping {
        let step = try storage { try store.read { try $0.step(entry, paths) } }
        if !dryRun { try storage { try store.write { try $0.skip(entry.id) } } }
        return StepReport(step: step)
      }
      // Undoing an earlier step instead would surprise the user.
      if entry.kind == .final { throw try cannotUndo(entry, in: scope, dryRun: dryRun) }
      try requireKeeping(scope, entry)
      if let (id, path, count) = try foreignHighlights(in: entry) {
        throw UserError(
          .conflict,
          "\(path) has \(count.counted("highlight")) of another device; nothing was undone",
          hint: """
            \(action: "document.remove", ["document": .record(id.description, name: path)]) \
            removes the document nevertheless
            """)
      }
      if let report = try reverse(entry, by: .undo, dryRun: dryRun) { return report }
      // Undoing an earlier step instead would surprise the user.
      if let summary = try summaryIfReplacedElsewhere(entry) {
        throw UserError(
          .conflict, "'\(summary)' was replaced on another device since; nothing was undone",
          hint: "the next \(undo(in: scope)) reverts the step before")
      }
    }
    let other = try scope == nil ? nil : nextStep(by: .undo)
    throw .noStep(.undo, of: scope != nil, other)
  }

  /// Returns the error for a step that deleted data permanently, and skips the step.
  private func cannotUndo(_ entry: JournalEntry, in scope: SessionScope?, dryRun: Bool)
    throws(UserError) -> UserError
  {
    let before = try storage {
      try store.write(dryRun: dryRun) { transaction in
        try transaction.skip(entry.id)
        return try transaction.nextUndo(in: scope)
      }
    }
    return UserError(
      .conflict, "the last step \(entry.label), which cannot be undone; nothing was undone",
      hint: before.map { _ in "\(undo(in: scope)) once more takes back the step before" })
  }

  /// Finds a document that the step added and that another device has highlighted since. Returns
  /// its path and the number of these highlights; nil if there is no such document.
  private func foreignHighlights(in entry: JournalEntry) throws(UserError) -> (
    id: Document.ID, path: String, count: Int
  )? {
    try storage {
      try store.read { transaction in
        let ownReplica = try transaction.replica()
        for operation in try transaction.operations(of: entry, limit: 10_000) {
          guard operation.field == .created, case .document(let id) = operation.record,
            let document = try transaction.document(id)
          else { continue }
          let count = try transaction.highlights(HighlightFilter(documents: [id])).count {
            $0.id.dot.replica != ownReplica
          }
          if count > 0 { return (id, document.shownPath, count) }
        }
        return nil
      }
    }
  }

  /// Returns the summary of a step if another device has since changed the same fields; nil
  /// otherwise.
  private func summaryIfReplacedElsewhere(_ entry: JournalEntry) throws(UserError) -> String? {
    try storage {
      try store.read { transaction in
        let ownReplica = try transaction.replica()
        let isReplaced = try transaction.operations(of: entry, limit: 100).contains { operation in
          try transaction.operations(on: operation.record).contains { other in
            other.dot.replica != ownReplica && other.time > operation.time
              && (other.field == operation.field || other.field == .purged)
          }
        }
        return isReplaced ? try transaction.step(entry, paths).summary : nil
      }
    }
  }

  /// Returns the step that `undo` or `redo` would revert next; nil if there is no such step. Steps
  /// that cannot be undone are omitted.
  ///
  /// - Parameter scope: limits the steps to those of a session; nil for all steps.
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func nextStep(by kind: StepKind, in scope: SessionScope? = nil) throws(UserError)
    -> HistoryStep?
  {
    try storage {
      try store.read { transaction in
        let entry =
          kind == .redo
          ? try transaction.nextRedo(in: scope) : try transaction.nextUndo(in: scope)
        // An undo would remove the document of the session, which `undo` refuses.
        if kind == .undo, let entry, let scope, scope.keepsDocument,
          try transaction.adds(scope.document, in: entry)
        {
          return nil
        }
        return try entry.map { try transaction.step($0, paths) }
      }
    }
  }

  /// Redoes what the newest undo reverted.
  ///
  /// - Parameter scope: limits the redo to the steps of a session. Changes of other documents don't
  ///   end it.
  /// - Throws: `nothing` if there is no undone step or something was changed since; `conflict` as
  ///   for `undo`.
  package func redo(in scope: SessionScope? = nil, dryRun: Bool = false) throws(UserError)
    -> StepReport
  {
    try settleJournal()
    while let entry = try storage({ try store.read { try $0.nextRedo(in: scope) } }) {
      try requireAlone(scope, entry, .redo)
      if let report = try reverse(entry, by: .redo, dryRun: dryRun) { return report }
    }
    if let error = try changedSinceUndo(scope) { throw error }
    let other = try scope == nil ? nil : nextStep(by: .redo)
    throw .noStep(.redo, of: scope != nil, other)
  }

  /// Returns the error for an undo that can no longer be redone, because a change followed it; nil
  /// if there is no such undo.
  private func changedSinceUndo(_ scope: SessionScope?) throws(UserError) -> UserError? {
    let found = try storage {
      try store.read { transaction in
        try transaction.nextRedo(in: scope, beforeActions: true).map { entry in
          let removed = try transaction.operations(of: entry, limit: Self.namedHighlights)
            .compactMap { operation -> Highlight? in
              guard case .highlight(let id) = operation.record, operation.field == .trashed
              else { return nil }
              return try transaction.highlight(id)
            }
          return (step: try transaction.step(entry, paths), removed: removed.filter(\.isTrashed))
        }
      }
    }
    guard let (step, removed) = found else { return nil }
    let place = scope == nil ? "the library" : "this document"
    return UserError(
      .nothing,
      "nothing to redo: \(place) was changed after the undo of '\(step.summary)'",
      remedy: removed.isEmpty
        ? nil
        : .action(
          "highlight.restore",
          [
            "highlights": .records(
              removed.map(\.id.description), names: removed.map(\.shortID))
          ]))
  }

  private var paths: ShownPaths { ShownPaths(location) }

  /// The maximum number of removed highlights that an error names.
  private static var namedHighlights: Int { 10 }

  /// Checks that a step concerns only the session's document if it predates the session. Users
  /// would not expect an undo to change documents that they do not see.
  ///
  /// - Throws: `conflict` if it concerns other documents too.
  private func requireAlone(
    _ scope: SessionScope?, _ entry: JournalEntry, _ kind: StepKind
  ) throws(UserError) {
    guard let scope, entry.date < scope.began else { return }
    let (others, step) = try storage {
      try store.read {
        (try $0.otherDocuments(of: entry, than: scope.document), try $0.step(entry, paths))
      }
    }
    guard others > 0 else { return }
    throw UserError(
      .conflict,
      "the last change of this document concerns \(others.counted("other document")) too: "
        + step.summary,
      hint: "\(Self.ofAll(kind)) includes the other documents")
  }

  /// Checks that the undo of a step keeps the session's document in the library, if the scope
  /// requires it. Users would not expect an undo to remove the document that they are reading.
  ///
  /// - Throws: `conflict` if the step added the document.
  private func requireKeeping(_ scope: SessionScope?, _ entry: JournalEntry) throws(UserError) {
    guard let scope, scope.keepsDocument else { return }
    let found = try storage {
      try store.read { transaction in
        try transaction.adds(scope.document, in: entry)
          ? try transaction.document(scope.document) : nil
      }
    }
    guard let document = found else { return }
    throw UserError(
      .conflict, "undo would remove the open document",
      hint: """
        \(action: "document.remove", ["document": .record(
          document.id.description, name: paths.name(document.path))]) removes it
        """)
  }

  /// Returns the next undo of a session, for a hint.
  private func undo(in scope: SessionScope?) -> Hint {
    let document = scope.map { ["document": Remedy.Member.text($0.document.description)] }
    return "\(action: "history.undo", document ?? [:])"
  }

  /// Returns an undo or redo of a step of any document, for a hint.
  fileprivate static func ofAll(_ kind: StepKind) -> Hint {
    "\(action: kind == .redo ? "history.redo" : "history.undo", ["document": .null])"
  }

  /// Reverts a step; returns nil if none of its changes is left to revert, because everything was
  /// changed since or deleted permanently.
  private func reverse(_ entry: JournalEntry, by kind: StepKind, dryRun: Bool)
    throws(UserError) -> StepReport?
  {
    let (step, operations, edits) = try storage {
      try store.read {
        (try $0.step(entry, paths), try $0.operations(of: entry), try $0.fileEdits(of: entry.id))
      }
    }
    var report = StepReport(step: step)
    var rewrites = try edits.map { (edit) throws(UserError) in
      try inverse(of: edit, isUndo: kind == .undo)
    }
    report.changes = rewrites.map { FileChange($0.document, $0.patch, to: $0.after.source) }
    if dryRun { return report }

    let journalStep = JournalStep(kind, of: entry.id)
    var outcome = (reversed: 0, kept: 0)
    if rewrites.isEmpty {
      outcome = try storage {
        try store.write { transaction in
          transaction.journal(journalStep)
          let outcome = try transaction.reverse(operations)
          // A step with nothing to revert must not block the step before it.
          if outcome.reversed == 0 { try transaction.skip(entry.id) }
          return outcome
        }
      }
      if outcome.reversed == 0 { return nil }
    } else {
      let reports = try rewrite(&rewrites, journalStep) { outcome = try $0.reverse(operations) }
      for (index, done) in reports.enumerated() { report.changes[index].report = done }
    }
    report.kept = outcome.kept
    // The next check of the files anchors the highlights again. The step is stored, so this error
    // does not fail the undo.
    do { report.reports = try anchorAgain(after: operations) } catch { report.problem = error }
    return report
  }

  /// Returns the rewrite that reverts an edit of a file.
  ///
  /// - Throws: `conflict` if the file changed at the same place since; `damaged` if the stored edit
  ///   cannot be decoded; `notFound` if the file is missing.
  private func inverse(of edit: FileEdit, isUndo: Bool) throws(UserError) -> Rewrite {
    let document = try document(id: edit.document)
    try requirePresent(document)
    var reading: CheckedDocument? = try current(document)
    guard let patch = SourcePatch(encoded: edit.patch)?.inverted else {
      throw UserError(.damaged, "an edit of \(document.shownPath) can no longer be read")
    }
    let (fitting, place) = Self.fitting(patch, edit, reading!)
    if let fitting { return Rewrite(document, fitting, of: &reading, long: longSource) }
    let line = reading!.parsed.sourceLines.position(of: place).line
    throw UserError(
      .conflict, "\(document.shownPath):\(line) was changed after the step; nothing was done",
      remedy: isUndo ? .action("history.undo", ["skip": .flag(true)]) : nil)
  }

  /// Returns the patch, moved to its place in the present source, or nil and the byte at which it
  /// doesn't fit.
  private static func fitting(_ patch: SourcePatch, _ edit: FileEdit, _ reading: CheckedDocument)
    -> (
      SourcePatch?, place: Int
    )
  {
    let bytes = reading.parsed.source.bytes
    if reading.digests.source == edit.after, patch.fits(bytes) { return (patch, 0) }
    guard let result = edit.result else { return (nil, patch.firstMisfit(in: bytes)) }
    do throws(PatchConflictError) {
      let moved = try patch.moved(from: result, to: bytes)
      return moved.fits(bytes) ? (moved, 0) : (nil, moved.firstMisfit(in: bytes))
    } catch { return (nil, error.place) }
  }

  /// Anchors the highlights whose quotes the operations changed, and checks the files of the
  /// documents whose paths they changed.
  private func anchorAgain(after operations: [Operation]) throws(UserError) -> [RefreshReport] {
    var moved: Set<Document.ID> = []
    var replaced: Set<Document.ID> = []
    for operation in operations {
      switch (operation.record, operation.field) {
      case (.document(let id), .path), (.document(let id), .trashed): moved.insert(id)
      case (.highlight(let id), .selector), (.highlight(let id), .document),
        (.highlight(let id), .detached):
        if let highlight = try storage({ try store.read { try $0.highlight(id) } }) {
          replaced.insert(highlight.document)
        }
      default: continue
      }
    }
    for id in replaced {
      let document = try document(id: id)
      guard document.state == .present else { continue }
      try anchorAgain(document)
    }
    let documents = try moved.sorted().map { (id) throws(UserError) in
      try document(id: id)
    }
    return try refresh(documents.filter { $0.state != .removed })
  }
}

extension UserError {
  /// Returns the error for an undo or redo without a step.
  ///
  /// - Parameter other: the next step in other documents, for the hint.
  fileprivate static func noStep(_ kind: StepKind, of oneDocument: Bool, _ other: HistoryStep?)
    -> UserError
  {
    UserError(
      .nothing,
      "there is nothing to \(kind == .redo ? "redo" : "undo")"
        + (oneDocument ? " in this document" : ""),
      hint: other.map {
        "in another document: \($0.summary); \(Library.ofAll(kind)) includes it"
      })
  }
}
