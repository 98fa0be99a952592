import FoundationEssentials
import Model
import Storage
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
        // Defer the changes of the device. Otherwise an invalid operation would make every later
        // sync fail.
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
