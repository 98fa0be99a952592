import FoundationEssentials
import Model

/// The records of a damaged library. Where an operation is lost, the record may still contain the
/// value that the operation set.
final class OldRecords {
  private var documents: [Document]
  private var highlights: [Highlight] = []
  private let labels: [HighlightColor: String]
  private let queries: [String: String]
  private let sources: [Document.ID: Source]
  private let properties: [Document.ID: [PropertyName: String]]
  private let libraryProperties: [PropertyName: String]
  /// The creation operations that were made again under their original identifiers.
  private(set) var restoredOperations: Set<Dot> = []
  /// The records that were restored, a line for each.
  private(set) var lines: [String] = []

  /// The records of which invalid operations were removed.
  private let incomplete: Set<RecordReference>

  /// Reads all readable records.
  ///
  /// - Parameters:
  ///   - transaction: reads the damaged library's records.
  ///   - incomplete: the records of which invalid operations were removed.
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

  /// Whether an operation is lost.
  private func isLost(_ dot: Dot, _ gaps: Gaps) -> Bool {
    gaps[dot.replica]?.contains { $0.contains(dot.sequence) } ?? false
  }

  /// The ranges of lost sequence numbers, by replica.
  typealias Gaps = [ReplicaID: [ClosedRange<Int64>]]

  /// Restores documents from their records: creates a document whose creation is lost, under its
  /// original identifier. Sets the fields of a document that was changed after its newest remaining
  /// operation, or of which operations are known to be missing.
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
        // A deleted variable or property leaves no trace in the records, so only existing values
        // can be restored.
        let source = (sources[old.id] ?? Source())
          .completed(by: try transaction.source(of: old.id))
        _ = try transaction.setSource(source, of: old.id)
        for (name, value) in (properties[old.id] ?? [:]).sorted(by: { $0.key < $1.key }) {
          _ = try transaction.setProperty(name, value, of: .document(old.id))
        }
      }
    }
  }

  /// Restores highlights from their records, as ``restoreDocuments(in:gaps:)`` does.
  func restoreHighlights(in transaction: WriteTransaction, gaps: Gaps) throws {
    for old in highlights {
      try restore(
        .highlight(old.id), .reference(old.document.dot), old.created, old.updated,
        "highlight \(old.id)", gaps, transaction
      ) { try restore(old, in: transaction) }
    }
  }

  /// Restores the labels of colours, saved queries and properties of the library for which no
  /// operation remains.
  func restoreNames(in transaction: WriteTransaction) throws {
    for (color, name) in labels.sorted(by: { $0.key.rawValue < $1.key.rawValue })
    where try !isKnown(.label(color), in: transaction) {
      if try transaction.setLabel(name, of: color) { report("the name of \(color)") }
    }
    for (name, value) in queries.sorted(by: { $0.key < $1.key })
    where try !isKnown(.query(name), in: transaction) {
      if try transaction.setQuery(value, named: name) { report("the saved query '\(name)'") }
    }
    for (name, value) in libraryProperties.sorted(by: { $0.key < $1.key })
    where try !isKnown(.property(name), in: transaction) {
      if try transaction.setProperty(name, value, of: .library) { report("'\(name.rawValue)'") }
    }
  }

  private func report(_ name: String) {
    lines.append("\(name): restored from its record, because operations are lost")
  }

  /// Whether any operation on a field of the library remains.
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
      report(name)
    }
  }

  /// Whether operations on a record are known to be missing, some of which may be older than the
  /// remaining ones.
  private func isIncomplete(_ record: RecordReference, _ operations: [Operation]) -> Bool {
    if incomplete.contains(record) { return true }
    // Every record has had this field since its creation.
    let field: Operation.Field = if case .document = record { .path } else { .selector }
    return !operations.contains { $0.field == field }
  }

  /// Returns the key that a record's row had in the damaged library; nil if it is invalid or used
  /// by another row.
  private func formerKey(_ record: RecordReference, _ transaction: WriteTransaction) throws
    -> Int64?
  {
    let table = if case .document = record { "document" } else { "highlight" }
    return try transaction.first(
      """
      SELECT key FROM temp.old_\(table) WHERE sequence = ? AND replica = ?
        AND key BETWEEN 1 AND ? AND key NOT IN (SELECT key FROM main.\(table))
      """, [record.dot.sequence, record.dot.storedReplica, DatabaseRow.countLimit]
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
