import FoundationEssentials
import Model

/// What the records of a library said whose operations are lost in part: where an operation is
/// missing, its record may still say what it said.
final class OldRecords {
  private var documents: [Document]
  private var highlights: [Highlight] = []
  private let labels: [HighlightColor: String]
  private let queries: [String: String]
  private let sources: [Document.ID: Source]
  private let properties: [Document.ID: [PropertyName: String]]
  private let libraryProperties: [PropertyName: String]
  /// The operations that were made again under their own names.
  private(set) var restoredOperations: Set<Dot> = []
  /// What was brought back, a line each.
  private(set) var lines: [String] = []

  /// Records of which an operation was taken out.
  private let incomplete: Set<RecordReference>

  /// Reads what can be read of them.
  ///
  /// - Parameter incomplete: the records of which an operation was taken out.
  init(_ transaction: ReadTransaction, _ incomplete: Set<RecordReference>) throws {
    self.incomplete = incomplete
    documents = try transaction.documents(includingRemoved: true)
    highlights = try transaction.highlights(HighlightFilter(trash: .included, kind: .all))
    labels = try transaction.labels()
    queries = try transaction.savedQueries()
    sources = try transaction.sources()
    properties = try transaction.documentProperties()
    libraryProperties = try transaction.properties()
  }

  /// Whether an operation is among those that are lost.
  private func isLost(_ dot: Dot, _ gaps: Gaps) -> Bool {
    gaps[dot.replica]?.contains { $0.contains(dot.sequence) } ?? false
  }

  /// Numbers of operations that are lost, by replica.
  typealias Gaps = [ReplicaID: [ClosedRange<Int64>]]

  /// Brings back what only the records of documents know: one whose birth is lost under its old name,
  /// and fields that were changed after the newest operation that is left.
  func restoreDocuments(in transaction: WriteTransaction, gaps: Gaps) throws {
    for old in documents {
      let name = "document \(old.path.string)"
      try restore(.document(old.id), .none, old.created, old.updated, name, gaps, transaction) {
        guard let now = try transaction.document(old.id) else { return }
        if now.path != old.path { _ = try transaction.setPath(old.path, of: old.id) }
        if now.title != old.title { _ = try transaction.setTitle(old.title, of: old.id) }
        if (now.state == .removed) != (old.state == .removed) {
          _ = try transaction.setTrashed(old.state == .removed, of: old.id)
        }
        // What was taken back of it is no record any more, so that only what is there can be told.
        let source = (sources[old.id] ?? Source())
          .completed(by: try transaction.source(of: old.id))
        _ = try transaction.setSource(source, of: old.id)
        for (name, value) in (properties[old.id] ?? [:]).sorted(by: { $0.key < $1.key }) {
          _ = try transaction.setProperty(name, value, of: .document(old.id))
        }
      }
    }
  }

  /// The same for highlights.
  func restoreHighlights(in transaction: WriteTransaction, gaps: Gaps) throws {
    for old in highlights {
      try restore(
        .highlight(old.id), .reference(old.document.dot), old.created, old.updated,
        "highlight \(old.id)", gaps, transaction
      ) { try restore(old, in: transaction) }
    }
  }

  /// The same for the names of colours and saved queries.
  func restoreNames(in transaction: WriteTransaction) throws {
    for (color, name) in labels.sorted(by: { $0.key.rawValue < $1.key.rawValue })
    where try !isKnown(.label(color), in: transaction) {
      if try transaction.setLabel(name, of: color) { say("the name of \(color)") }
    }
    for (name, value) in queries.sorted(by: { $0.key < $1.key })
    where try !isKnown(.query(name), in: transaction) {
      if try transaction.setQuery(value, named: name) { say("the saved query '\(name)'") }
    }
    for (name, value) in libraryProperties.sorted(by: { $0.key < $1.key })
    where try !isKnown(.property(name), in: transaction) {
      if try transaction.setProperty(name, value, of: .library) { say("'\(name.rawValue)'") }
    }
  }

  private func say(_ name: String) {
    lines.append("\(name): taken from its record, for operations are lost")
  }

  /// Whether an operation says something of a field of the library.
  private func isKnown(_ field: Operation.Field, in transaction: WriteTransaction) throws -> Bool {
    try transaction.latestTime(of: field, on: .library) != nil
  }

  private func restore(
    _ record: RecordReference, _ value: Operation.Value, _ created: Date, _ updated: Date,
    _ name: String, _ gaps: Gaps, _ transaction: WriteTransaction,
    _ restoreFields: () throws -> Void
  ) throws {
    let operations = try transaction.operations(on: record)
    guard !operations.contains(where: { $0.field == .purged }) else { return }
    if !operations.contains(where: { $0.field == .created }) {
      guard isLost(record.dot, gaps) else { return }
      let time = Timestamp(milliseconds: min(max(0, created.milliseconds), 1 << 47 - 1))
      try transaction.apply(
        Operation(
          dot: record.dot, time: time, group: record.dot.sequence, record: record, field: .created,
          value: value), key: try formerKey(record, transaction))
      restoredOperations.insert(record.dot)
    } else if let last = operations.map(\.time.milliseconds).max(), updated.milliseconds <= last,
      !isIncomplete(record, operations)
    {
      return
    }
    let before = transaction.database.totalChangesCount
    try restoreFields()
    if transaction.database.totalChangesCount > before || restoredOperations.contains(record.dot) {
      say(name)
    }
  }

  /// Whether operations on a record are known to be missing that are not newer than those that are left.
  private func isIncomplete(_ record: RecordReference, _ operations: [Operation]) -> Bool {
    if incomplete.contains(record) { return true }
    // Every one has this from its birth on.
    let field: Operation.Field = if case .document = record { .path } else { .selector }
    return !operations.contains { $0.field == field }
  }

  /// The number of the row that a record had, if it is free.
  private func formerKey(_ record: RecordReference, _ transaction: WriteTransaction) throws
    -> Int64?
  {
    let table = if case .document = record { "document" } else { "highlight" }
    return try transaction.first(
      """
      SELECT key FROM temp.old_\(table) WHERE sequence = ? AND replica = ?
        AND key BETWEEN 1 AND ? AND key NOT IN (SELECT key FROM main.\(table))
      """, [record.dot.sequence, record.dot.storedReplica, Row.countLimit]
    ) { try $0.integer(0) }
  }

  private func restore(_ old: Highlight, in transaction: WriteTransaction) throws {
    guard let now = try transaction.highlight(old.id) else { return }
    if let format = old.format, now.format != format {
      try transaction.change(
        .highlight(old.id), .format, to: .text(format), from: now.format.map { .text($0) } ?? .none)
    }
    if now.document != old.document, try transaction.document(old.document) != nil {
      try transaction.change(
        .highlight(old.id), .document, to: .reference(old.document.dot),
        from: .reference(now.document.dot))
    }
    if now.selector != old.selector {
      try transaction.change(
        .highlight(old.id), .selector, to: .selector(old.selector), from: .selector(now.selector))
    }
    if now.isDetached != old.isDetached {
      try transaction.change(
        .highlight(old.id), .detached, to: .flag(old.isDetached), from: .flag(now.isDetached))
    }
    _ = try transaction.setColor(old.color, of: old.id)
    _ = try transaction.setNote(old.note, of: old.id)
    if let origin = old.origin?.origin { _ = try transaction.setOrigin(origin, of: old.id) }
    for tag in Set(old.tags).symmetricDifference(now.tags) {
      _ = try transaction.setTag(tag, old.tags.contains(tag), of: old.id)
    }
    _ = try transaction.setTrashed(old.isTrashed, of: old.id)
  }
}
