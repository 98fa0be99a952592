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
  /// ``summary`` describes it, which is so for changes of files, styles and formats.
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
  func step(_ entry: JournalEntry, _ paths: ShownPaths) throws -> HistoryStep {
    var (change, label) = (entry, entry.label)
    // A step refers to an earlier one. In a damaged journal it may refer to a later one, and
    // following the references would never end.
    while let target = change.target, target < change.id, let reverted = try journalEntry(target) {
      change = reverted
      if label.isEmpty { label = reverted.label }
    }
    let summary =
      label.isEmpty
      ? try StepDescription(try outline(of: change), in: self, paths).summary
      : StepSummary(done: paths.description(label, of: try documentPaths(of: change)))
    return HistoryStep(entry, change: change, summary)
  }

  /// Returns the paths of the documents that a step changed, at most eight.
  private func documentPaths(of entry: JournalEntry) throws -> [DocumentPath] {
    try documents(of: entry, limit: 8).compactMap { try document($0)?.path }
  }
}

/// Describes the operations of a step.
private struct StepDescription {
  private let outline: StepOutline
  private let transaction: ReadTransaction
  private let paths: ShownPaths

  init(_ outline: StepOutline, in transaction: ReadTransaction, _ paths: ShownPaths) {
    (self.outline, self.transaction, self.paths) = (outline, transaction, paths)
  }

  /// The descriptions in one line.
  var summary: StepSummary {
    get throws {
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
          : Self.counted(made) + (isAdded ? "" : try documentOfAll)
        return StepSummary(
          done: (isAdded ? "added " : isOne ? "marked " : "made ") + place,
          undone: "removed \(place)\(isAdded ? " from the library" : "")")
      }
      let touched = outline.touched
      let isOne = touched.documents + touched.highlights + (touched.library ? 1 : 0) == 1
      let place = isOne ? try name(of: operation.record) : Self.counted(touched)
      let fields = outline.fields
      if fields.isSubset(of: [.selector, .document, .detached]), fields.contains(.selector) {
        return StepSummary(done: "moved " + place, undone: "moved \(place) back")
      }
      if fields.allSatisfy({ $0.source != nil }) {
        let sources = "the source\(isOne ? "" : "s") of \(place)"
        // The values of sources are JSON.
        let isNew = outline.operations.allSatisfy {
          $0.previous.isEmpty || $0.previous == .text("null")
        }
        return StepSummary(
          done: "set " + sources, undone: (isNew ? "removed " : "restored ") + sources)
      }
      return fields.count == 1
        ? summary(of: operation, place, isOnly: outline.count == 1) : summary(ofFields: place)
    }
  }

  /// Returns the description of a change of several fields.
  private func summary(ofFields place: String) -> StepSummary {
    var tags: [(name: String, isOn: Bool)] = []
    var nouns: [String] = []
    for operation in outline.operations {
      if let tag = operation.field.tag, case .flag(let isOn) = operation.value {
        if !tags.contains(where: { $0 == (tag, isOn) }) { tags.append((tag, isOn)) }
      } else {
        let noun = Self.noun(operation.field)
        if !nouns.contains(noun) { nouns.append(noun) }
      }
    }
    if nouns.isEmpty, outline.count == outline.operations.count {
      return StepSummary(
        done: Self.changes(tags, of: place),
        undone: Self.changes(tags.map { ($0.name, !$0.isOn) }, of: place))
    }
    if !tags.isEmpty { nouns.append("the tags") }
    let listed = "\(Self.list(nouns)) of \(place)"
    return StepSummary(done: "changed " + listed, undone: "restored " + listed)
  }

  /// Returns the description of added and removed tags.
  private static func changes(_ tags: [(name: String, isOn: Bool)], of place: String) -> String {
    let tags = tags.sorted { ($0.isOn ? 0 : 1, $0.name) < ($1.isOn ? 0 : 1, $1.name) }
    let names = list(tags.map(\.name.asTag))
    if tags.allSatisfy(\.isOn) { return "added \(names) to \(place)" }
    if !tags.contains(where: \.isOn) { return "removed \(names) from \(place)" }
    let signed = list(tags.map { ($0.isOn ? "+" : "-") + $0.name })
    return "changed the tags of \(place): \(signed)"
  }

  /// Returns at most four words, joined by commas and “and”.
  private static func list(_ words: [String]) -> String {
    (words.count > 4 ? words.prefix(3) + ["\(words.count - 3) more"] : words).listed
  }

  /// Returns the name of a field that isn't a tag.
  private static func noun(_ field: Operation.Field) -> String {
    switch field {
    case .title: return "the title"
    case .path: return "the file"
    case .color: return "the colour"
    case .note: return "the note"
    case .selector, .document, .detached: return "the passage"
    case .trashed: return "the removal"
    default: break
    }
    if field.source != nil { return "the source" }
    if field.property == .note { return "the note" }
    if field.query != nil { return "the saved queries" }
    if field.labelled != nil { return "the names of colours" }
    return "other details"
  }

  /// Returns the number of records of each kind, joined by “and”.
  private static func counted(_ counts: StepOutline.Counts) -> String {
    [
      counts.documents > 0 ? counts.documents.counted("document") : nil,
      counts.highlights > 0 ? counts.highlights.counted("highlight") : nil,
      counts.library ? "the library's names" : nil,
    ].compactMap(\.self).joined(separator: " and ")
  }

  /// “ in ” and the path of the document that contains all highlights of the step; an empty string
  /// if there are several documents.
  private var documentOfAll: String {
    get throws {
      guard let id = outline.document, let document = try transaction.document(id) else {
        return ""
      }
      return " in " + paths.name(document.path)
    }
  }

  private func name(of record: RecordReference) throws -> String {
    switch record {
    case .document(let id):
      try transaction.document(id).map { paths.name($0.path) } ?? "a deleted document"
    case .highlight(let id):
      try transaction.highlight(id).map { "\($0.shortID) “\($0.selector.exact.summarized)”" }
        ?? "a deleted highlight"
    case .library: "the library's names"
    case .other: "a record of a newer Diple"
    }
  }

  /// Returns the description of a change of one field.
  ///
  /// - Parameters:
  ///   - place: the names of the records that changed.
  ///   - isOnly: whether the operation is the only one of the step, so that its previous value is
  ///     that of all records.
  private func summary(of operation: Operation, _ place: String, isOnly: Bool) -> StepSummary {
    let old: String? =
      if case .text(let text) = operation.previous, isOnly, !text.isEmpty { text } else { nil }
    switch (operation.field, operation.value) {
    case (.trashed, let value):
      let isOn = value == .flag(true)
      let (removed, restored) = ("removed \(place)", "restored \(place)")
      return StepSummary(done: isOn ? removed : restored, undone: isOn ? restored : removed)
    case (.title, .text(let title)):
      return StepSummary(
        done: "gave the title '\(title)' to \(place)",
        undone: old.map { "gave the title '\($0)' back to \(place)" }
          ?? "restored the title of \(place)")
    case (.path, .text(let path)):
      let new = paths.name(DocumentPath(path))
      guard case .text(let old) = operation.previous else {
        return StepSummary(done: "linked \(new)", undone: "unlinked \(new)")
      }
      let former = paths.name(DocumentPath(old))
      return StepSummary(
        done: "linked \(former) to \(new)", undone: "linked \(new) back to \(former)")
    case (.color, .text(let color)):
      return StepSummary(
        done: "coloured \(color) \(place)",
        undone: old.map { "coloured \($0) again \(place)" } ?? "restored the colour of \(place)")
    case (.note, .text(let note)):
      return StepSummary(
        done: (note.isEmpty ? "removed" : "set") + " the note of \(place)",
        undone: (isOnly && old == nil ? "removed" : "restored") + " the note of \(place)")
    case (.detached, .flag(let isOn)):
      let (gone, kept) = ("marked as gone \(place)", "no longer marked as gone \(place)")
      return StepSummary(done: isOn ? gone : kept, undone: isOn ? kept : gone)
    case (.selector, _), (.document, _):
      return StepSummary(done: "moved \(place)", undone: "moved \(place) back")
    case (let field, .text(let name)):
      if let color = field.labelled?.rawValue {
        let removed = "removed the name of \(color)"
        return StepSummary(
          done: name.isEmpty ? removed : "named \(color) '\(name)'",
          undone: old.map { "named \(color) '\($0)' again" } ?? removed)
      }
      if let query = field.query {
        return StepSummary(
          done: (name.isEmpty ? "removed" : "saved") + " the query '\(query)'",
          undone: (old == nil ? "removed" : "restored") + " the query '\(query)'")
      }
    case (let field, .flag(let isOn)):
      if let tag = field.tag {
        return StepSummary(
          done: Self.changes([(tag, isOn)], of: place),
          undone: Self.changes([(tag, !isOn)], of: place))
      }
    default: break
    }
    let changed = "\(Self.noun(operation.field)) of \(place)"
    return StepSummary(done: "changed " + changed, undone: "restored " + changed)
  }
}

extension Operation.Value {
  /// Whether there is no value, or an empty text.
  fileprivate var isEmpty: Bool { self == .none || self == .text("") }
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
