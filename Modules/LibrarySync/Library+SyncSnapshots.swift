import FoundationEssentials
import Model
import Storage
import Sync
import SystemSupport
import Workspace

/// A snapshot contains the current operations on all records that a device knows. A new device
/// reads one snapshot instead of all segments. Snapshots also carry operations that no segment
/// contains, such as those made in an earlier vault.
extension Library {
  /// The prefix of the keys that store the vector of each snapshot that was read.
  private static let readPrefix = "snap/"
  /// The prefix of the keys that mark snapshots whose removals are not applied yet.
  static let unsettledPrefix = "absent/"

  // MARK: - Reading

  /// The result of reading snapshots.
  struct SnapshotOutcome {
    /// Whether operations were applied.
    var hasApplied = false
    /// The devices with a snapshot that is not applied, and the reasons.
    var held: [ReplicaID: HeldReason] = [:]
  }

  /// Applies the operations in other devices' snapshots that are neither known nor held. The vector
  /// of each snapshot is stored, so that a snapshot is read again only if it contains operations
  /// that are still unknown.
  ///
  /// - Parameter isFirst: whether to stop after one snapshot, because the segments contain the
  ///   rest.
  /// - Returns: whether operations were applied, and the held devices.
  /// - Throws: `damaged` or `conflict` if the library cannot be read or written;
  ///   `changedDuringSync` if another process changed the progress or this copy's identity; the
  ///   error of the transport if the target fails.
  func applySnapshots(
    _ session: SyncSession, _ options: SyncOptions, isFirst: Bool = false,
    _ outcome: inout PullOutcome
  ) async throws(UserError) -> SnapshotOutcome {
    var result = SnapshotOutcome()
    let found = session.replicas.subtracting([session.replica])
      .filter { session.epochs?.revoked[$0] == nil }.flatMap(session.snapshots)
    var known = try readSnapshots(among: found)
    let unsettled = try storage {
      try store.read { try $0.syncStates(withPrefix: Self.unsettledPrefix) }
    }
    // The largest snapshot is read first, because the names do not show which operations of other
    // devices a snapshot contains.
    let names = found.sorted {
      (session.listing[$1] ?? 0, $0) < (session.listing[$0] ?? 0, $1)
    }
    for name in names {
      if let vector = known[name.file], unsettled[name.file] == nil,
        try unknown(in: vector, session, outcome.held).isEmpty
      {
        continue
      }
      let opened: SnapshotFile.Opened
      switch try await open(name, session) {
      case .success(let snapshot): opened = snapshot
      // An incomplete listing can contain snapshots that were deleted.
      case .failure(let unusable) where unusable.isAbsent && !session.isWhole:
        continue
      case .failure(let unusable):
        result.held[name.replica] = unusable.reason
        continue
      }
      known[name.file] = opened.vector.mapValues(\.sequence)
      try remember(known, of: name)
      let unknown = try unknown(in: opened.vector.mapValues(\.sequence), session, outcome.held)
      // If the snapshot has no new operations, the records that it lacks were removed by operations
      // that are known on this device.
      if unknown.isEmpty, unsettled[name.file] == nil { continue }
      if let reason = try apply(opened, name, unknown, session, options, &outcome) {
        result.held[name.replica] = reason
      } else {
        result.hasApplied = result.hasApplied || !unknown.isEmpty
        if isFirst, !unknown.isEmpty { break }
      }
    }
    return result
  }

  /// The reason why a snapshot cannot be used.
  private struct Unusable: Error {
    var reason: HeldReason
    /// Whether the target does not contain it.
    var isAbsent = false
  }

  private func open(_ name: ObjectName, _ session: SyncSession) async throws(UserError)
    -> Result<SnapshotFile.Opened, Unusable>
  {
    let device = session.deviceName(name.replica)
    guard let signer = session.devices[name.replica]?.publicKeys else {
      return unusable(.missing, "the keys of \(device) have not arrived yet")
    }
    let bytes: [UInt8]
    switch try await session.read(name, limit: Wire.snapshotLimit) {
    case .content(let content): bytes = content
    case .absent:
      let reason = held(.missing, "\(name.file) of \(device) has not arrived yet")
      return .failure(Unusable(reason: reason, isAbsent: true))
    case .unreadable(let reason):
      return unusable(.damaged, "\(name.file) of \(device) cannot be read: \(reason)")
    }
    do throws(SegmentError) {
      return .success(
        try SnapshotFile.open(bytes, named: name, keys: session.keys, signer: signer))
    } catch { return .failure(Unusable(reason: unreadable(error, in: name.file, of: device))) }
  }

  private func unusable(_ kind: HeldReason.Kind, _ detail: String)
    -> Result<SnapshotFile.Opened, Unusable>
  {
    .failure(Unusable(reason: held(kind, detail)))
  }

  /// Returns the vectors of the snapshots that were read, by file name. Entries of deleted
  /// snapshots are removed.
  ///
  /// A mark states that a snapshot proves removals that are not applied yet. If the snapshot was
  /// deleted, its writer's next snapshot proves the same removals and gets the mark. Until that
  /// snapshot arrives, the old mark remains.
  private func readSnapshots(among names: [ObjectName]) throws(UserError)
    -> [String: [ReplicaID: Int64]]
  {
    let (stored, unsettled) = try storage {
      try store.read { transaction in
        try (
          transaction.syncStates(withPrefix: Self.readPrefix),
          transaction.syncStates(withPrefix: Self.unsettledPrefix)
        )
      }
    }
    let files = Set(names.map(\.file))
    let gone = Set(stored.keys).subtracting(files)
    // The value of a mark is the snapshot's writer.
    var replaced: [String: [ObjectName]] = [:]
    for (file, writer) in unsettled where !files.contains(file) {
      let replica = ReplicaID(String(decoding: writer, as: UTF8.self))
      let next = names.filter { $0.replica == replica }
      // If the writer's identifier is invalid, another snapshot never arrives.
      if !next.isEmpty || replica == nil { replaced[file] = next }
    }
    if !gone.isEmpty || !replaced.isEmpty {
      try storage {
        try store.writeCache { transaction in
          for file in gone { try transaction.setSyncState(Self.readPrefix + file, nil) }
          for (file, next) in replaced {
            try transaction.setSyncState(Self.unsettledPrefix + file, nil)
            for name in next {
              try transaction.setSyncState(Self.unsettledPrefix + name.file, unsettled[file])
            }
          }
        }
      }
    }
    return stored.compactMapValues { bytes in
      guard let read = try? JSONDecoder().decode([String: Int64].self, from: Data(bytes)) else {
        return nil
      }
      let pairs = read.compactMap { name, last in ReplicaID(name).map { ($0, last) } }
      return Dictionary(pairs) { first, _ in first }
    }
  }

  private func remember(_ known: [String: [ReplicaID: Int64]], of name: ObjectName)
    throws(UserError)
  {
    let vector = known[name.file] ?? [:]
    let named = Dictionary(uniqueKeysWithValues: vector.map { ("\($0.key)", $0.value) })
    try storage {
      let bytes = Array(try JSONEncoder.ordered().encode(named))
      try store.writeCache { try $0.setSyncState(Self.readPrefix + name.file, bytes) }
    }
  }

  /// Returns the operations of each device to apply from a snapshot: those after the stored
  /// progress.
  ///
  /// A device that is held for a reason other than missing or damaged files is excluded, as are
  /// operations after a revocation.
  private func unknown(
    in vector: [ReplicaID: Int64], _ session: SyncSession, _ held: [ReplicaID: HeldReason]
  ) throws(UserError) -> [ReplicaID: ClosedRange<Int64>] {
    let (progress, vector) = try storage {
      try store.read { try ($0.progress(), Self.common(vector, Self.renamedParts($0))) }
    }
    var unknown: [ReplicaID: ClosedRange<Int64>] = [:]
    for (replica, reach) in vector where replica != session.replica {
      if let reason = held[replica], ![.missing, .damaged].contains(reason.kind) { continue }
      let last = min(reach, session.epochs?.revoked[replica]?.last ?? .max)
      let known = progress[replica]?.sequence ?? 0
      if last > known { unknown[replica] = known + 1...last }
    }
    return unknown
  }

  /// Applies the new operations of a snapshot, and the permanent removals that it proves, in one
  /// transaction.
  ///
  /// - Returns: the reason why the snapshot is held; nil if it was applied.
  /// - Throws: `damaged` or `conflict` if the library cannot be written; `changedDuringSync` if the
  ///   progress has changed.
  private func apply(
    _ opened: SnapshotFile.Opened, _ object: ObjectName, _ unknown: [ReplicaID: ClosedRange<Int64>],
    _ session: SyncSession, _ options: SyncOptions, _ outcome: inout PullOutcome
  ) throws(UserError) -> HeldReason? {
    let name = session.deviceName(opened.replica)
    let latest = latestTime
    let heldDevices = outcome.held
    var (lost, removed): ([String], Int) = ([], 0)
    do {
      let merged = try store.write { transaction in
        try transaction.require(session.replica)
        // This is not a user action, so there is nothing to undo.
        transaction.journal(JournalStep(nil))
        let known = try transaction.progress()
        guard unknown.allSatisfy({ known[$0.key]?.sequence ?? 0 == $0.value.lowerBound - 1 }) else {
          throw UserError.changedDuringSync
        }
        let common = Self.common(
          opened.vector.mapValues(\.sequence), try Self.renamedParts(transaction))
        var births: Set<Dot> = []
        var repeated: [ReplicaID: [Operation]] = [:]
        var later: [Operation] = []
        var merged = MergeOutcome()
        for index in 0..<opened.partCount {
          let part = try opened.part(index)
          for index in part.operations.indices {
            let dot = part.operations[index].dot
            if part.operations[index].field == .created { births.insert(dot) }
            guard let progress = known[dot.replica], dot.sequence > progress.floor,
              dot.sequence <= min(progress.sequence, common[dot.replica] ?? 0)
            else { continue }
            Self.keepLast(part.operations[index], in: &repeated[dot.replica, default: []])
          }
          let operations = Self.only(part.operations) {
            unknown[$0.dot.replica]?.contains($0.dot.sequence) ?? false
          }
          let ahead = options.clock ? [] : operations.filter { Self.isAhead($0, of: latest) }
          later += ahead
          if later.count > Self.deferredLimit {
            throw Unusable(
              reason: held(
                .clock,
                Self.ahead(ahead[0].time, of: latest, in: "the clock in a snapshot of \(name)")))
          }
          merged.add(
            try transaction.merge(
              ahead.isEmpty ? operations : operations.filter { !Self.isAhead($0, of: latest) }))
          for text in part.texts { try Self.storeText(text, in: transaction) }
        }
        if let other = try Self.contradiction(in: repeated, transaction) {
          throw Unusable(
            reason: held(
              .fork,
              """
              a snapshot of \(name) has another history of \(session.deviceName(other)), which was \
              copied, or restored from a backup
              """))
        }
        try Self.storeDeferred(later, in: transaction)
        var evidence = try RemovalEvidence(transaction, held: heldDevices)
        let isSettled = evidence.add(opened.vector, births: births)
        lost = try Self.changedHere(evidence.records, in: transaction)
        let purged = try transaction.purgeAbsent(evidence.records)
        removed = purged.removed
        merged.add(purged)
        if !options.removals { try Self.checkRemovals(merged, in: transaction) }
        for (replica, range) in unknown {
          let progress = Self.progress(of: replica, in: opened, range.upperBound, session)
          try transaction.setProgress(progress, of: replica)
          try Self.noteClaim(range, on: replica, session, transaction)
        }
        try transaction.setSyncState(
          Self.unsettledPrefix + object.file, isSettled ? nil : Array("\(object.replica)".utf8))
        return merged
      }
      outcome.merged.add(merged)
      if removed > 0 {
        outcome.notices.append(
          "a snapshot of \(name) permanently removed \(removed.counted("record"))")
      }
      outcome.notices += lost.map {
        "\(name) permanently removed a record that was changed here since: \($0)"
      }
      return nil
    } catch let unusable as Unusable {
      return unusable.reason
    } catch let removals as TooManyRemovalsError {
      return held(
        .removals,
        "a snapshot of \(name) removes \(removals.count.counted("record"))")
    } catch let problem as SegmentError {
      return unreadable(problem, in: "a snapshot", of: name)
    } catch StoreError.damaged(_, let detail) {
      return held(.damaged, "a snapshot of \(name) cannot be applied: \(detail)")
    } catch { return try storage { throw error } }
  }

  /// Filters operations without copying them if all satisfy the condition.
  private static func only(_ operations: [Operation], _ condition: (Operation) -> Bool)
    -> [Operation]
  {
    operations.allSatisfy(condition) ? operations : operations.filter(condition)
  }

  /// Returns the progress of a device after the operations of a snapshot up to `last` were applied.
  private static func progress(
    of replica: ReplicaID, in opened: SnapshotFile.Opened, _ last: Int64, _ session: SyncSession
  ) -> ReplicaProgress {
    let entry = opened.vector[replica]
    var chain = entry?.chain
    if last < entry?.sequence ?? 0 { chain = session.epochs?.revoked[replica]?.chain }
    // The writer had no segments of the device, so it does not know the chain hash and wrote the
    // initial one. An unknown chain hash is accepted from the device's next segment.
    if chain == ChainHash.start(vault: session.vault, replica: replica) { chain = nil }
    return ReplicaProgress(sequence: last, chain: chain?.bytes ?? [], floor: last)
  }

  // MARK: - Writing

  /// Writes a snapshot if there are operations that neither a segment nor another snapshot
  /// contains. There are two kinds of such operations:
  ///
  /// - operations of devices that are not in this vault, for example from an earlier vault or from
  ///   before this copy got its own name
  /// - operations that this copy sent under an earlier name and that are missing at the target.
  ///
  /// The snapshot is uploaded before any segment, because later operations can depend on it.
  /// O(operations), once for each set of snapshots.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read; the error of the transport.
  func pushFoundation(_ session: inout SyncSession, _ report: inout SyncReport)
    async throws(UserError)
  {
    let usable = Self.usable(session)
    let mark = try foundationMark(usable, session)
    let founded = try storage { try store.read { try $0.syncState("founded") } }
    guard founded != mark else { return }
    let (reaches, former) = try storage {
      try store.read { try ($0.lastSequences(), $0.formerIdentities()) }
    }
    var summed: [ReplicaID: Int64] = [:]
    let read = try readSnapshots(among: usable)
    for name in usable {
      for (replica, last) in read[name.file] ?? [:] {
        summed[replica] = max(summed[replica] ?? 0, last)
      }
    }
    let isMore = reaches.contains { replica, last in
      guard replica != session.replica, last > summed[replica] ?? 0 else { return false }
      if !session.replicas.contains(replica) { return true }
      // If these operations are lost, no other device sends them again.
      return former.contains(replica)
        && last > Self.end(of: session.objects(of: replica).compactMap(\.file.ownOperations))
    }
    guard isMore else {
      if founded != mark {
        try storage { try store.writeCache { try $0.setSyncState("founded", mark) } }
      }
      return
    }
    try await writeSnapshot(reaches, &session, &report)
  }

  /// Returns a value that changes whenever ``pushFoundation(_:_:)`` may have to write a snapshot:
  /// the names of the snapshots or, without any, all data that the function compares.
  private func foundationMark(_ usable: [ObjectName], _ session: SyncSession) throws(UserError)
    -> [UInt8]
  {
    var lines = usable.map(\.description)
    if usable.isEmpty {
      let (progress, last, former) = try storage {
        try store.read { try ($0.progress(), $0.lastSequence(), $0.formerIdentities()) }
      }
      lines =
        progress.map { "\($0.key) \($0.value.sequence)" } + ["\(session.replica) \(last) here"]
      lines += session.replicas.map(\.description)
      lines += former.flatMap { session.objects(of: $0) }.map(\.name.description)
    }
    return Array(lines.sorted().joined(separator: "\n").utf8)
  }

  /// Writes a snapshot for new devices if no member has one, or if many operations were added since
  /// the last one of any member; but only if the snapshot leaves out many operations. Also replaces
  /// this device's snapshot if it contains an obsolete operation or name.
  ///
  /// - Parameter rule: the condition for a snapshot. Its number of operations is also the minimum
  ///   number of new operations for another snapshot.
  /// - Throws: `damaged` or `conflict` if the library cannot be read; the error of the transport.
  func pushSnapshot(
    _ session: inout SyncSession, _ rule: SnapshotRule, _ report: inout SyncReport
  ) async throws(UserError) {
    let (progress, state, again) = try storage {
      try store.read { try ($0.progress(), $0.syncState("summed"), $0.syncState("resum")) }
    }
    let interval = rule.operations
    if again != nil {
      let reaches = try storage { try store.read { try $0.lastSequences() } }
      guard try await writeSnapshot(reaches, &session, &report) else { return }
      return try storage { try store.writeCache { try $0.setSyncState("resum", nil) } }
    }
    let total = progress.values.reduce(0) { $0 + $1.sequence }
    guard total >= interval else { return }
    let usable = Self.usable(session)
    // New devices can use the snapshot of any device.
    let summed = try readSnapshots(among: usable).values.reduce(
      state.flatMap { Int64(String(decoding: $0, as: UTF8.self)) } ?? 0
    ) { summed, vector in
      max(summed, vector.reduce(0) { $0 + min($1.value, progress[$1.key]?.sequence ?? 0) })
    }
    guard usable.isEmpty || total - summed >= max(interval, summed / 2),
      // Operations that are missing, damaged or revoked are not part of the progress. Operations
      // held for other reasons would be missing in the snapshot.
      try heldReasons().values.allSatisfy({ [.missing, .damaged, .revoked].contains($0.kind) }),
      try omitsMany(of: total, rule)
    else { return }
    let reaches = try storage { try store.read { try $0.lastSequences() } }
    try await writeSnapshot(reaches, &session, &report)
  }

  /// Returns whether the share of later operations is large enough for a snapshot. A negative
  /// answer is stored, and returned again until there are many more operations.
  ///
  /// - Parameter total: the number of operations of all devices.
  private func omitsMany(of total: Int64, _ rule: SnapshotRule) throws(UserError) -> Bool {
    let answer = try storage {
      try store.read { transaction -> Bool? in
        let last = try transaction.syncState("unsummed")
          .flatMap { Int64(String(decoding: $0, as: UTF8.self)) }
        if let last, total - last < max(rule.operations, last / 2) { return nil }
        let (all, later) = try transaction.operationCounts()
        return Double(later + total - all) >= rule.laterShare * Double(total)
      }
    }
    if answer == false {
      try storage {
        try store.writeCache { try $0.setSyncState("unsummed", Array(String(total).utf8)) }
      }
    }
    return answer ?? false
  }

  /// Returns the snapshots that new devices can use: all except those of revoked devices.
  private static func usable(_ session: SyncSession) -> [ObjectName] {
    session.replicas.filter { session.epochs?.revoked[$0] == nil }.flatMap(session.snapshots)
  }

  /// Writes a snapshot and deletes the previous ones of this device.
  ///
  /// - Parameter reaches: the last stored operation of each replica.
  /// - Returns: false if no snapshot can be written.
  /// - Throws: `damaged` or `conflict` if the library cannot be read; the error of the transport.
  @discardableResult
  private func writeSnapshot(
    _ reaches: [ReplicaID: Int64], _ session: inout SyncSession, _ report: inout SyncReport
  ) async throws(UserError) -> Bool {
    let (ownReplica, vault) = (session.replica, session.vault)
    let (progress, isWhole, isHolding) = try storage {
      try store.read { transaction in
        try (
          transaction.progress(), transaction.hasAllOperations(),
          !Self.deferredOperations(transaction).isEmpty
        )
      }
    }
    // Deferred operations are part of the progress, but would be missing in the snapshot.
    if isHolding { return false }
    // A record missing in a snapshot counts as permanently removed, so a library that has lost
    // operations must not write one.
    guard isWhole else {
      report.notices.append(
        "no snapshot for new devices can be written: some changes of this library are lost")
      return false
    }
    var vector: [ReplicaID: SnapshotFile.Reach] = [:]
    func reach(_ replica: ReplicaID, _ last: Int64, _ chain: [UInt8]?) {
      vector[replica] = SnapshotFile.Reach(
        sequence: last,
        chain: chain.flatMap { ChainHash(bytes: $0) } ?? .start(vault: vault, replica: replica))
    }
    // A replica without remaining operations is part of the vector, too. Otherwise, the snapshot
    // would not prove that its records were removed.
    let outside = reaches.merging(progress.mapValues(\.sequence), uniquingKeysWith: max)
    for (replica, last) in outside where last > 0 && !session.replicas.contains(replica) {
      reach(replica, last, progress[replica].flatMap { $0.sequence == last ? $0.chain : nil })
    }
    for (replica, known) in progress where session.replicas.contains(replica) {
      reach(replica, known.sequence, known.chain)
    }
    let (keys, device) = (session.keys, session.secrets.device)
    let summed = try storage { () throws -> Result<SealedObject, SegmentError> in
      do {
        var writer = SnapshotFile.Writer(vector: vector)
        try store.read { transaction in
          try transaction.currentOperations { operation in
            if operation.dot.sequence <= vector[operation.dot.replica]?.sequence ?? 0 {
              try writer.add(operation)
            }
          }
        }
        return .success(try writer.sealed(replica: ownReplica, keys: keys, device: device))
      } catch let error as SegmentError { return .failure(error) }
    }
    let sealed: SealedObject
    switch summed {
    case .success(let object): sealed = object
    case .failure(let error):
      report.notices.append("no snapshot for new devices can be written: \(error)")
      return false
    }
    let old = session.snapshots(of: ownReplica)
    try await put([TransportObject(sealed.object, sealed.bytes)], &session)
    try await delete(old, &session)
    let total = progress.values.reduce(0) { $0 + $1.sequence }
    try storage {
      try store.writeCache { try $0.setSyncState("summed", Array(String(total).utf8)) }
    }
    return true
  }
}
