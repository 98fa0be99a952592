import FoundationEssentials
import Model
import Storage
import Sync
import SystemSupport

/// What others remove: a large part of the library goes only when a person says so, and what was changed
/// here meanwhile is told.
extension Library {
  /// One sync that removes more records than this, and than a tenth of the library, waits for a person.
  private static let removalLimit = 50
  /// How many segments that were read ahead are kept to be applied, by their operations.
  private static let aheadLimit = 200_000

  /// Takes the transaction back when it would remove too much.
  struct TooManyRemovalsError: Error {
    var count: Int
  }

  /// Throws when too much vanished to be applied without a person.
  static func checkRemovals(_ merged: MergeOutcome, in transaction: WriteTransaction) throws {
    let (documents, highlights) = try transaction.liveCounts()
    if merged.vanished > limit(of: documents + highlights + merged.vanished) {
      throw TooManyRemovalsError(count: merged.vanished)
    }
  }

  private static func limit(of records: Int) -> Int { max(removalLimit, records / 10) }

  /// What a machine says that was not applied yet, as far as it was read.
  struct PendingSegments {
    /// In the order in which they are applied.
    var listed: [(name: ObjectName, range: ClosedRange<Int64>)]
    /// Those that were read ahead.
    var opened: [ObjectName: OpenedSegment] = [:]
    /// Whether what it removes was counted.
    var isReviewed = false

    /// Those that hold an operation, the one that leads furthest first: the others say the same.
    func holding(_ sequence: Int64) -> [(name: ObjectName, range: ClosedRange<Int64>)] {
      listed.filter { $0.range.contains(sequence) }
        .sorted { $0.range.upperBound > $1.range.upperBound }
    }
  }

  /// Counts what a machine removes in all that it says and that was not applied yet, before any of that
  /// is removed.
  ///
  /// - Parameters:
  ///   - first: the segment that is to be applied next.
  ///   - limit: the last operation that counts; nil for all.
  ///   - new: the records that came with this sync.
  /// - Returns: why it waits for a person; nil when it need not.
  func reviewRemovals(
    from first: OpenedSegment, after last: Int64, limit: Int64?, of name: String,
    besides new: Set<RecordReference>, _ session: SyncSession, _ allowance: SyncOptions,
    _ pending: inout PendingSegments
  ) async throws(UserError) -> HeldReason? {
    guard !allowance.removals, !pending.isReviewed, Self.removes(first) else { return nil }
    pending.isReviewed = true
    var known = last
    var removed: Set<RecordReference> = []
    var trashed: [RecordReference: Operation] = [:]
    var segment = first
    var count = 0
    while true {
      let unknown = segment.content.operations.filter {
        $0.dot.sequence > known && $0.dot.sequence <= limit ?? .max
      }
      let (news, _, looked) = try partAhead(unknown, allowance)
      // What came with this sync was never seen here.
      for operation in news where !new.contains(operation.record) {
        // What a newer version says so is not understood here.
        if case .other = operation.value { continue }
        if operation.field == .purged { removed.insert(operation.record) }
        if operation.field == .trashed,
          trashed[operation.record].map({ $0.time <= operation.time }) ?? true
        {
          trashed[operation.record] = operation
        }
      }
      guard looked == unknown.count, let end = unknown.last?.dot.sequence else { break }
      known = end
      guard let next = try await next(after: known, pending, session) else { break }
      count += next.segment.content.operations.count
      if count <= Self.aheadLimit { pending.opened[next.name] = next.segment }
      segment = next.segment
    }
    for (record, operation) in trashed where operation.value == .flag(true) {
      removed.insert(record)
    }
    let found = removed
    let (all, vanishing) = try storage {
      try store.read { transaction in
        let (documents, highlights) = try transaction.liveCounts()
        return (documents + highlights, try found.count { try Self.isLive($0, in: transaction) })
      }
    }
    guard vanishing > Self.limit(of: all) else { return nil }
    return held(.removals, "\(name) removed \(vanishing.counted("record")) since the last sync")
  }

  private static func removes(_ segment: OpenedSegment) -> Bool {
    segment.content.operations.contains {
      $0.field == .purged || $0.field == .trashed && $0.value == .flag(true)
    }
  }

  private static func isLive(_ record: RecordReference, in transaction: ReadTransaction) throws
    -> Bool
  {
    switch record {
    case .document(let id): try transaction.document(id).map { $0.state != .removed } ?? false
    case .highlight(let id): try transaction.highlight(id).map { !$0.isTrashed } ?? false
    case .library, .other: false
    }
  }

  /// The segment that goes on after an operation; nil where none can be read.
  private func next(after last: Int64, _ pending: PendingSegments, _ session: SyncSession)
    async throws(UserError) -> (name: ObjectName, segment: OpenedSegment)?
  {
    for (name, _) in pending.holding(last + 1) {
      if case .segment(let segment) = try await open(name, session) { return (name, segment) }
    }
    return nil
  }

  /// What others removed for good while it was changed here, so that they could not know of that.
  static func changedMeanwhile(_ operations: [Operation], in transaction: WriteTransaction) throws
    -> [String]
  {
    let own = try transaction.replica()
    let sent = try transaction.progress()[own]?.sequence ?? 0
    var found: [String] = []
    for operation in operations where operation.field == .purged && found.count < 20 {
      guard
        try transaction.operations(on: operation.record).contains(where: {
          $0.dot.replica == own && $0.field != .trashed
            && ($0.dot.sequence > sent || $0.time > operation.time)
        })
      else { continue }
      if let name = try name(of: operation.record, in: transaction) { found.append(name) }
    }
    return found
  }

  /// Of records that are about to be removed for good, those that were changed here and of which nothing
  /// was sent since; at most 20.
  static func changedHere(_ records: [RecordReference], in transaction: WriteTransaction) throws
    -> [String]
  {
    let own = try transaction.replica()
    let sent = try transaction.progress()[own]?.sequence ?? 0
    var found: [String] = []
    for record in records where found.count < 20 {
      guard
        try transaction.operations(on: record).contains(where: {
          $0.dot.replica == own && $0.field != .trashed && $0.dot.sequence > sent
        })
      else { continue }
      if let name = try name(of: record, in: transaction) { found.append(name) }
    }
    return found
  }

  /// What a person knows a record by; nil when it is not here.
  private static func name(of record: RecordReference, in transaction: ReadTransaction) throws
    -> String?
  {
    switch record {
    case .highlight(let id):
      try transaction.highlight(id).map { highlight in
        let note = highlight.note.isEmpty ? "" : ", note: \(highlight.note.summarized)"
        return "“\(highlight.selector.exact.summarized)”\(note)"
      }
    case .document(let id): try transaction.document(id)?.path.string
    case .library, .other: nil
    }
  }
}
