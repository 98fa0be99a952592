package import FoundationEssentials
package import Model
import Storage
import SystemSupport

/// One step of the library's history: a change that `undo` can revert as a whole, or an undo or
/// redo.
///
/// ```swift
/// for step in try await library.history(limit: 20) {
///   print(step.id, step.date, step.isReversed ? "(undone)" : "", step.summary)
/// }
/// ```
package struct HistoryStep: Hashable, Sendable, Identifiable {
  /// The step's number in the journal. Numbers rise with time.
  package var id: Int64
  /// The time at which the step was made.
  package var date: Date
  /// Whether the step is a change, an undo, a redo or a final deletion.
  package var kind: StepKind
  /// The number of the step that this undo or redo reverted; nil for other steps.
  package var target: Int64?
  /// The number of the change that this undo or redo is about; for other steps, their own number.
  /// The redo of an undo has the number of the change that was undone.
  package var change: Int64
  /// The time of that change.
  package var changeDate: Date
  /// Whether the step was undone and not redone since.
  package var isReversed: Bool
  /// Whether `undo` ignores the step although no step reverted it.
  package var isSkipped = false
  /// A description of the change in one line, for the user.
  package var summary: String
  /// A description of the result of undoing it, such as `restored 2 highlights`; nil if only
  /// ``summary`` describes it.
  package var undoneSummary: String?

  init(_ entry: JournalEntry, change: JournalEntry, _ summary: StepSummary) {
    id = entry.id
    date = entry.date
    kind = entry.kind
    target = entry.target
    self.change = change.id
    changeDate = change.date
    isReversed = entry.isReversed
    (self.summary, undoneSummary) = (summary.done, summary.undone)
  }
}

/// The descriptions of a step.
struct StepSummary {
  /// What the step did.
  var done: String
  /// What undoing it does; nil if there is no short description.
  var undone: String?
}

extension ReadTransaction {
  /// Returns a step with its summary. An undo or redo is described by the step that it reverted.
  func step(_ entry: JournalEntry) throws -> HistoryStep {
    var (change, label) = (entry, entry.label)
    // A step refers to an earlier one. In a damaged journal it may refer to a later one, and
    // following the references would never end.
    while let target = change.target, target < change.id, let reverted = try journalEntry(target) {
      change = reverted
      if label.isEmpty { label = reverted.label }
    }
    return HistoryStep(
      entry, change: change,
      label.isEmpty ? try summary(of: try outline(of: change)) : StepSummary(done: label))
  }

  /// Returns a description of a step's operations in one line.
  private func summary(of outline: StepOutline) throws -> StepSummary {
    guard let operation = outline.operations.first else {
      return StepSummary(done: "changed files")
    }
    if let first = outline.operations.first(where: { $0.field == .created }) {
      let made = outline.created
      let isAdded = made.documents > 0
      let isOne = made.documents + made.highlights == 1
      let place =
        isOne
        ? try name(of: first.record)
        : Self.counted(made) + (isAdded ? "" : try documentOfAll(outline))
      return StepSummary(
        done: (isAdded ? "added " : isOne ? "marked " : "made ") + place,
        undone: "removed \(place)\(isAdded ? " from the library" : "")")
    }
    let touched = outline.touched
    let isOne = touched.documents + touched.highlights + (touched.library ? 1 : 0) == 1
    let place = isOne ? try name(of: operation.record) : Self.counted(touched)
    let fields = outline.fields
    if fields.isSubset(of: [.selector, .document, .detached]), fields.contains(.selector) {
      return StepSummary(done: "moved " + place)
    }
    if fields.allSatisfy({ $0.source != nil }) {
      return StepSummary(done: "set the source\(isOne ? "" : "s") of \(place)")
    }
    guard fields.count == 1 else { return StepSummary(done: "changed \(place)") }
    return Self.summary(of: operation, place)
  }

  /// Returns the number of records of each kind, joined by “and”.
  private static func counted(_ counts: StepOutline.Counts) -> String {
    [
      counts.documents > 0 ? counts.documents.counted("document") : nil,
      counts.highlights > 0 ? counts.highlights.counted("highlight") : nil,
      counts.library ? "the library's names" : nil,
    ].compactMap(\.self).joined(separator: " and ")
  }

  /// Returns “ in ” and the path of the document that contains all highlights of the step; an empty
  /// string if there are several documents.
  private func documentOfAll(_ outline: StepOutline) throws -> String {
    guard let id = outline.document, let document = try document(id) else { return "" }
    return " in " + document.path.string
  }

  private func name(of record: RecordReference) throws -> String {
    switch record {
    case .document(let id): try document(id)?.path.string ?? "a deleted document"
    case .highlight(let id):
      try highlight(id).map { "\($0.shortID) “\($0.selector.exact.summarized)”" }
        ?? "a deleted highlight"
    case .library: "the library's names"
    case .other: "a record of a newer Diple"
    }
  }

  /// Returns a description of an operation. `place` names the records that it changed.
  private static func summary(of operation: Operation, _ place: String) -> StepSummary {
    let removed: String?
    switch (operation.field, operation.value) {
    case (.trashed, .flag(true)): removed = place
    case (.trashed, .flag(false)):
      return StepSummary(done: "restored \(place)", undone: "removed \(place)")
    case (.note, .text("")): removed = "the note of \(place)"
    case (let field, .text("")) where field.labelled != nil:
      removed = "the name of \(field.labelled?.rawValue ?? "")"
    case (let field, .text("")): removed = field.query.map { "the query '\($0)'" }
    default: removed = nil
    }
    if let removed {
      return StepSummary(done: "removed \(removed)", undone: "restored \(removed)")
    }
    return StepSummary(done: verb(operation, place))
  }

  /// Returns a description of an operation that sets a value.
  private static func verb(_ operation: Operation, _ place: String) -> String {
    switch (operation.field, operation.value) {
    case (.title, .text(let title)): return "gave the title '\(title)' to \(place)"
    case (.path, .text(let path)):
      guard case .text(let old) = operation.previous else { return "linked \(path)" }
      return "linked \(old) to \(path)"
    case (.color, .text(let color)): return "coloured \(color) \(place)"
    case (.note, .text): return "set the note of \(place)"
    case (.detached, .flag(let isOn)):
      return (isOn ? "marked as gone " : "no longer marked as gone ") + place
    case (.selector, _), (.document, _): return "moved \(place)"
    case (let field, .text(let name)):
      if let color = field.labelled?.rawValue { return "named \(color) '\(name)'" }
      if let query = field.query { return "saved the query '\(query)'" }
    case (let field, .flag(let isOn)):
      if let tag = field.tag {
        return (isOn ? "added #\(tag) to " : "removed #\(tag) from ") + place
      }
    default: break
    }
    return "changed \(place)"
  }
}

extension String {
  /// The first 60 characters with line breaks as spaces, and an ellipsis if the text is longer.
  /// O(60).
  package var summarized: String {
    let shown = prefix(61)
    let line = String(shown.prefix(60).map { $0.isNewline ? " " : $0 })
    return shown.count > 60 ? line + "…" : line
  }
}
