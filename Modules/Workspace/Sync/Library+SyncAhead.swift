import FoundationEssentials
import Model
import Storage
import SystemSupport

/// Operations of other devices whose clock is ahead: they are kept, and applied when their time has come
/// or a person accepts them. All else that their device does is applied at once.
extension Library {
  /// Under names that begin so are kept the operations, as JSON.
  private static let aheadPrefix = "ahead/"
  /// How many operations of one device, or of one snapshot, are kept; what it did after that is held with them.
  static let keptLimit = 1_000

  /// The operations that are kept, in order.
  static func keptAhead(_ transaction: ReadTransaction) throws -> [Operation] {
    try transaction.syncStates(withPrefix: aheadPrefix).compactMap { name, bytes in
      let operation = try? JSONDecoder().decode(Operation.self, from: Data(bytes))
      return operation.flatMap { "\($0.dot)" == name ? $0 : nil }
    }.sorted { $0.dot < $1.dot }
  }

  /// Parts new operations into those to apply and those to keep for later.
  ///
  /// - Parameter operations: of one or more devices; those after the last that is kept are left out where
  ///   there are too many.
  /// - Returns: the operations to apply, those to keep, and how many of the given ones were looked at.
  func partAhead(_ operations: [Operation], _ allowance: SyncOptions) throws(UserError)
    -> (now: [Operation], later: [Operation], count: Int)
  {
    let latest = latestTime
    guard !allowance.clock, operations.contains(where: { $0.time > latest }) else {
      return (operations, [], operations.count)
    }
    let kept = try storage { try store.read { try Self.keptAhead($0) } }
    var counts = Dictionary(grouping: kept, by: \.dot.replica).mapValues(\.count)
    let ahead = try self.ahead(in: operations, of: latest)
    var (now, later): ([Operation], [Operation]) = ([], [])
    for (index, operation) in operations.enumerated() {
      guard ahead.contains(index) else {
        now.append(operation)
        continue
      }
      counts[operation.dot.replica, default: 0] += 1
      if counts[operation.dot.replica]! > Self.keptLimit { return (now, later, index) }
      later.append(operation)
    }
    return (now, later, operations.count)
  }

  /// Keeps operations for later.
  static func keep(_ operations: [Operation], in transaction: WriteTransaction) throws {
    for operation in operations {
      try transaction.setSyncState(
        aheadPrefix + "\(operation.dot)", Array(try JSONEncoder.ordered().encode(operation)))
    }
  }

  /// Applies the kept operations whose time has come, or all of them where a person accepts them.
  ///
  /// - Returns: why others are still held, by device.
  func takeAhead(_ session: SyncSession, _ allowance: SyncOptions, _ outcome: inout PullOutcome)
    throws(UserError) -> [ReplicaID: HeldReason]
  {
    let kept = try storage { try store.read { try Self.keptAhead($0) } }
    guard !kept.isEmpty else { return [:] }
    let latest = latestTime
    let due = kept.filter { allowance.clock || $0.time <= latest }
    var held: [ReplicaID: HeldReason] = [:]
    if !due.isEmpty {
      do {
        outcome.merged.add(
          try store.write { transaction in
            try transaction.require(session.replica)
            let merged = try transaction.merge(due)
            if !allowance.removals { try Self.checkRemovals(merged, in: transaction) }
            for operation in due {
              try transaction.setSyncState(Self.aheadPrefix + "\(operation.dot)", nil)
            }
            return merged
          })
      } catch let removals as TooManyRemovalsError {
        for replica in Set(due.map(\.dot.replica)) {
          held[replica] = self.held(
            .removals,
            "changes of \(session.deviceName(replica)) remove \(removals.count.counted("record"))")
        }
      } catch { try storage { throw error } }
    }
    for operation in kept where !(allowance.clock || operation.time <= latest) {
      let name = session.deviceName(operation.dot.replica)
      if held[operation.dot.replica] == nil {
        held[operation.dot.replica] = self.held(
          .clock, Self.ahead(operation.time, of: latest, in: "the clock of \(name)"))
      }
    }
    return held
  }

  /// The places of the operations whose clock is ahead of a time, except those that only replace what was
  /// said by one that is: who accepted that must be able to change it.
  func ahead(in operations: [Operation], of latest: Timestamp) throws(UserError) -> Set<Int> {
    struct Place: Hashable {
      var record: RecordReference
      var field: Operation.Field
    }
    var known: [Place: Timestamp] = [:]
    var found: Set<Int> = []
    for (index, operation) in operations.enumerated() where operation.time > latest {
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
