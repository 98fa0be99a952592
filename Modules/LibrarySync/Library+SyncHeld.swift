import FoundationEssentials
import Model
import Storage
import Sync
import SystemSupport
import Workspace

/// Defers operations of other devices whose times are in the future, because the device's clock is
/// ahead. They are stored, and applied when their time is reached or the user accepts them. The
/// other operations of the device are applied immediately.
extension Library {
  /// The prefix of the keys under which the deferred operations are stored, as JSON.
  private static let deferredPrefix = "ahead/"
  /// The maximum number of deferred operations of a device or a snapshot. If there are more, all
  /// later operations of the device are held, too.
  static let deferredLimit = 1_000

  /// Returns the deferred operations, sorted by replica and sequence number. Invalid ones are
  /// skipped.
  ///
  /// - Throws: `StoreError` if the library cannot be read.
  static func deferredOperations(_ transaction: ReadTransaction) throws -> [Operation] {
    try transaction.syncStates(withPrefix: deferredPrefix).compactMap { name, bytes in
      let operation = try? JSONDecoder().decode(Operation.self, from: Data(bytes))
      return operation.flatMap { "\($0.dot)" == name ? $0 : nil }
    }.sorted { $0.dot < $1.dot }
  }

  /// Separates new operations into those to apply and those to defer.
  ///
  /// - Parameter operations: the operations of one or more devices. They are processed in order, up
  ///   to the first that would exceed `deferredLimit` deferred operations of its device.
  /// - Returns: the operations to apply, those to defer, and the number of processed operations.
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  func separateDeferred(_ operations: [Operation], _ options: SyncOptions) throws(UserError)
    -> (now: [Operation], later: [Operation], count: Int)
  {
    let latest = latestTime
    guard !options.clock, operations.contains(where: { $0.time > latest }) else {
      return (operations, [], operations.count)
    }
    let deferred = try storage { try store.read { try Self.deferredOperations($0) } }
    var counts = Dictionary(grouping: deferred, by: \.dot.replica).mapValues(\.count)
    let ahead = try self.ahead(in: operations, of: latest)
    var (now, later): ([Operation], [Operation]) = ([], [])
    for (index, operation) in operations.enumerated() {
      guard ahead.contains(index) else {
        now.append(operation)
        continue
      }
      counts[operation.dot.replica, default: 0] += 1
      if counts[operation.dot.replica]! > Self.deferredLimit { return (now, later, index) }
      later.append(operation)
    }
    return (now, later, operations.count)
  }

  /// Stores operations to apply later.
  ///
  /// - Throws: `StoreError.damaged` if an operation is invalid, so that it could not be applied
  ///   later.
  static func storeDeferred(_ operations: [Operation], in transaction: WriteTransaction) throws {
    try transaction.requirePossible(operations)
    for operation in operations {
      try transaction.setSyncState(
        deferredPrefix + "\(operation.dot)", Array(try JSONEncoder.ordered().encode(operation)))
    }
  }

  /// Removes an operation from the deferred ones.
  ///
  /// - Throws: `StoreError` if the library cannot be written.
  static func removeDeferred(_ operation: Operation, in transaction: WriteTransaction) throws {
    try transaction.setSyncState(deferredPrefix + "\(operation.dot)", nil)
  }

  /// Applies the deferred operations whose time is reached, or all of them if the user accepts
  /// them.
  ///
  /// - Returns: the devices with operations that are still deferred or need consent to be applied,
  ///   and the reasons.
  /// - Throws: `damaged` or `conflict` if the library cannot be written.
  func applyDeferred(_ session: SyncSession, _ options: SyncOptions, _ outcome: inout PullOutcome)
    throws(UserError) -> [ReplicaID: HeldReason]
  {
    let deferred = try storage { try store.read { try Self.deferredOperations($0) } }
    guard !deferred.isEmpty else { return [:] }
    let latest = latestTime
    let due = deferred.filter { options.clock || $0.time <= latest }
    var held: [ReplicaID: HeldReason] = [:]
    if !due.isEmpty {
      do {
        outcome.merged.add(
          try store.write { transaction in
            try transaction.require(session.replica)
            let merged = try transaction.merge(due)
            if !options.removals { try Self.checkRemovals(merged, in: transaction) }
            for operation in due {
              try Self.removeDeferred(operation, in: transaction)
            }
            return merged
          })
      } catch let removals as TooManyRemovalsError {
        for replica in Set(due.map(\.dot.replica)) {
          held[replica] = self.held(
            .removals,
            "changes of \(session.deviceName(replica)) remove \(removals.count.counted("record"))")
        }
      } catch StoreError.damaged(_, let detail) {
        // Keep the due changes deferred. If this were an error, an invalid operation would make
        // every later sync fail.
        for replica in Set(due.map(\.dot.replica)) {
          held[replica] = self.held(
            .damaged, "changes of \(session.deviceName(replica)) cannot be applied: \(detail)")
        }
      } catch { try storage { throw error } }
    }
    for operation in deferred where !(options.clock || operation.time <= latest) {
      let name = session.deviceName(operation.dot.replica)
      if held[operation.dot.replica] == nil {
        held[operation.dot.replica] = self.held(
          .clock, Self.ahead(operation.time, of: latest, in: "the clock of \(name)"))
      }
    }
    return held
  }

  /// Returns whether an operation of another device must be deferred. Permanent removals never are:
  /// their time has no effect, and the values of their record are already deleted.
  static func isAhead(_ operation: Operation, of latest: Timestamp) -> Bool {
    operation.time > latest && operation.field != .purged
  }

  /// Returns the indices of the operations whose time is after `latest`. An operation that directly
  /// replaces a value whose time is after `latest` is excluded: the user accepted that value and
  /// may change it.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  func ahead(in operations: [Operation], of latest: Timestamp) throws(UserError) -> Set<Int> {
    struct Place: Hashable {
      var record: RecordReference
      var field: Operation.Field
    }
    var known: [Place: Timestamp] = [:]
    var found: Set<Int> = []
    for (index, operation) in operations.enumerated() where Self.isAhead(operation, of: latest) {
      let place = Place(record: operation.record, field: operation.field)
      var before = known[place]
      if before == nil {
        before = try storage {
          try store.read { try $0.latestTime(of: operation.field, on: operation.record) }
        }
      }
      if let before, before > latest, operation.time.packed <= before.packed + 1 {
        known[place] = operation.time
      } else {
        found.insert(index)
      }
    }
    return found
  }
}

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
      // Records that this sync created were never visible on this device, so their removals are not
      // counted.
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

  /// Returns at most 20 highlights, with descriptions, that other devices moved to the trash without
  /// knowing of changes on this device.
  ///
  /// - Parameter operations: the received operations, before they are merged.
  /// - Throws: `StoreError` if the library cannot be read.
  static func trashedMeanwhile(_ operations: [Operation], in transaction: WriteTransaction) throws
    -> [(Highlight.ID, String)]
  {
    let ownReplica = try transaction.replica()
    let sent = try transaction.progress()[ownReplica]?.sequence ?? 0
    var found: [(Highlight.ID, String)] = []
    for operation in operations where operation.field == .trashed && found.count < 20 {
      guard operation.value == .flag(true), case .highlight(let id) = operation.record else {
        continue
      }
      let own = try transaction.operations(on: operation.record).filter {
        $0.dot.replica == ownReplica && ($0.dot.sequence > sent || $0.time > operation.time)
      }
      // A highlight that was removed or restored here too keeps the later state.
      guard !own.isEmpty, !own.contains(where: { $0.field == .trashed }),
        let name = try name(of: operation.record, in: transaction)
      else { continue }
      found.append((id, name))
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
