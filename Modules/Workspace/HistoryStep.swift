public import FoundationEssentials
import Model
import Storage

/// One step of what people did here.
public struct HistoryStep: Hashable, Sendable, Identifiable {
  /// What kind of step it is.
  public enum Kind: String, Hashable, Sendable, Codable {
    /// Something that a person did.
    case act
    /// It took another step back.
    case undo
    /// It did again what was taken back.
    case redo
    /// It cannot be taken back.
    case final
  }

  /// The number of the step, rising with time.
  public var id: Int64
  /// When it was done.
  public var date: Date
  /// What it is.
  public var kind: Kind
  /// The step that an undo or redo is about.
  public var target: Int64?
  /// Whether it was taken back since.
  public var isReversed: Bool
  /// What was done, in one line.
  public var summary: String

  init(_ entry: JournalEntry, summary: String) {
    id = entry.id
    date = entry.date
    kind = Kind(rawValue: entry.kind.rawValue) ?? .final
    target = entry.target
    isReversed = entry.isReversed
    self.summary = summary
  }
}

extension ReadTransaction {
  /// A step with its summary; that of an undo is the one of what it takes back.
  func step(_ entry: JournalEntry) throws -> HistoryStep {
    HistoryStep(entry, summary: try summary(of: entry))
  }

  private func summary(of entry: JournalEntry) throws -> String {
    if !entry.label.isEmpty { return entry.label }
    if let target = entry.target, let other = try journalEntry(target) {
      return try summary(of: other)
    }
    return try summary(of: try operations(of: entry))
  }

  /// What operations did, in one line.
  private func summary(of operations: [Operation]) throws -> String {
    let made = operations.filter { $0.field == .created }.map(\.record)
    if let first = made.first {
      guard made.count == 1 else {
        guard case .document = first else { return "made \(made.count.counted("highlight"))" }
        return "added \(made.count.counted("document"))"
      }
      return (Self.isDocument(first) ? "added " : "marked ") + (try name(of: first))
    }
    var records: [RecordReference] = []
    for operation in operations where records.last != operation.record {
      records.append(operation.record)
    }
    guard let operation = operations.first else { return "changed files" }
    let place =
      try Set(records).count == 1
      ? name(of: operation.record)
      : "\(Set(records).count) "
        + (records.allSatisfy(Self.isDocument)
          ? "documents" : records.contains(where: Self.isDocument) ? "records" : "highlights")
    guard Set(operations.map(\.field)).count == 1 else { return "changed \(place)" }
    return Self.verb(operation) + place
  }

  private static func isDocument(_ record: RecordReference) -> Bool {
    if case .document = record { true } else { false }
  }

  private func name(of record: RecordReference) throws -> String {
    switch record {
    case .document(let id): try document(id)?.path.string ?? "a document"
    case .highlight(let id):
      try highlight(id).map { "\(id.dot.sequence) “\($0.selector.exact.prefix(60))”" }
        ?? "a highlight"
    case .library: ""
    }
  }

  /// What an operation did to its record, with what stands before the record's name.
  private static func verb(_ operation: Operation) -> String {
    switch (operation.field, operation.value) {
    case (.title, .text(let title)): "gave the title '\(title)' to "
    case (.path, .text(let path)): "linked to \(path): "
    case (.color, .text(let color)): "coloured \(color) "
    case (.note, .text(let note)): note.isEmpty ? "took the note from " : "wrote a note on "
    case (.trashed, .flag(let isOn)): isOn ? "removed " : "restored "
    case (.detached, .flag(let isOn)): isOn ? "called gone " : "called no longer gone "
    case (.selector, _), (.document, _): "set elsewhere "
    case (let field, .text(let name)) where field.labelled != nil:
      "called \(field.labelled?.rawValue ?? "a colour") '\(name)'"
    case (let field, .flag(let isOn)) where field.tag != nil:
      (isOn ? "put #" : "took #") + (field.tag ?? "") + (isOn ? " on " : " off ")
    default: "changed "
    }
  }
}
