import FoundationEssentials
import Model
import Storage
import Sync
import SystemSupport
import Workspace

/// Reviews removals by other devices: removing a large part of the library needs the user's
/// consent, and removed records that were changed here are reported.
extension Library {
  /// The maximum number of records that a sync removes without consent. In a large library, the
  /// maximum is a tenth of its records.
  private static let removalLimit = 50
  /// The maximum number of operations in the segments that the review keeps in memory.
  private static let aheadLimit = 200_000

  /// Thrown inside a transaction to roll it back, because it would remove too many records.
  struct TooManyRemovalsError: Error {
    var count: Int
  }

  /// Checks whether the removals of a merge need the user's consent.
  ///
  /// - Throws: `TooManyRemovalsError` if they do; `StoreError` if the library cannot be read.
  static func checkRemovals(_ merged: MergeOutcome, in transaction: WriteTransaction) throws {
    let (documents, highlights) = try transaction.liveCounts()
    if merged.removed > limit(of: documents + highlights + merged.removed) {
      throw TooManyRemovalsError(count: merged.removed)
    }
  }

  private static func limit(of records: Int) -> Int { max(removalLimit, records / 10) }

  /// Counts the records that all pending segments of a device remove, before the first of them is
  /// applied.
  ///
  /// - Parameters:
  ///   - first: the next segment to apply.
  ///   - last: the last applied operation.
  ///   - limit: the last operation that a revocation accepts; nil for no limit.
  ///   - name: the name of the device.
  ///   - new: the records that this sync has created. Removing them needs no consent.
  ///   - pending: the segments of the device. Those that were read are kept in `opened`.
  /// - Returns: the reason to hold the removals; nil to apply them.
  /// - Throws: `damaged` or `conflict` if the library cannot be read; the error of the transport if
  ///   the target fails.
  func reviewRemovals(
    from first: OpenedSegment, after last: Int64, limit: Int64?, of name: String,
    besides new: Set<RecordReference>, _ session: SyncSession, _ options: SyncOptions,
    _ pending: inout PendingSegments
  ) async throws(UserError) -> HeldReason? {
    guard !options.removals, !pending.isReviewed, Self.removes(first) else { return nil }
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
      let (fresh, _, examined) = try separateDeferred(unknown, options)
      // Records received with this sync were never visible on this device.
      for operation in fresh where !new.contains(operation.record) {
        // The value was written by a newer version, and its effect is unknown.
        if case .other = operation.value { continue }
        if operation.field == .purged { removed.insert(operation.record) }
        if operation.field == .trashed,
          trashed[operation.record].map({ $0.time <= operation.time }) ?? true
        {
          trashed[operation.record] = operation
        }
      }
      guard examined == unknown.count, let end = unknown.last?.dot.sequence else { break }
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
    let (all, removedCount) = try storage {
      try store.read { transaction in
        let (documents, highlights) = try transaction.liveCounts()
        return (documents + highlights, try found.count { try Self.isLive($0, in: transaction) })
      }
    }
    guard removedCount > Self.limit(of: all) else { return nil }
    return held(.removals, "\(name) removed \(removedCount.counted("record")) since the last sync")
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

  /// Returns the segment with the operation after `last`; nil if it cannot be read.
  private func next(after last: Int64, _ pending: PendingSegments, _ session: SyncSession)
    async throws(UserError) -> (name: ObjectName, segment: OpenedSegment)?
  {
    for (name, _) in pending.containing(last + 1) {
      if case .segment(let segment) = try await open(name, session) { return (name, segment) }
    }
    return nil
  }

  /// Returns descriptions of at most 20 records that other devices removed permanently without
  /// knowing of changes on this device.
  ///
  /// - Parameter operations: the received operations, before they are merged.
  /// - Throws: `StoreError` if the library cannot be read.
  static func changedMeanwhile(_ operations: [Operation], in transaction: WriteTransaction) throws
    -> [String]
  {
    let ownReplica = try transaction.replica()
    let sent = try transaction.progress()[ownReplica]?.sequence ?? 0
    var found: [String] = []
    for operation in operations where operation.field == .purged && found.count < 20 {
      guard
        try transaction.operations(on: operation.record).contains(where: {
          $0.dot.replica == ownReplica && $0.field != .trashed
            && ($0.dot.sequence > sent || $0.time > operation.time)
        })
      else { continue }
      if let name = try name(of: operation.record, in: transaction) { found.append(name) }
    }
    return found
  }

  /// Returns descriptions of at most 20 records with unsent changes of this device.
  ///
  /// - Parameter records: the records that will be removed permanently.
  /// - Throws: `StoreError` if the library cannot be read.
  static func changedHere(_ records: [RecordReference], in transaction: WriteTransaction) throws
    -> [String]
  {
    let ownReplica = try transaction.replica()
    let sent = try transaction.progress()[ownReplica]?.sequence ?? 0
    var found: [String] = []
    for record in records where found.count < 20 {
      guard
        try transaction.operations(on: record).contains(where: {
          $0.dot.replica == ownReplica && $0.field != .trashed && $0.dot.sequence > sent
        })
      else { continue }
      if let name = try name(of: record, in: transaction) { found.append(name) }
    }
    return found
  }

  /// Returns a description of a record for messages: a highlight's quote and note, or a document's
  /// path. Nil if the record is not in the library.
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
