import FoundationEssentials
import Model
import Storage
import Sync
import SystemSupport

/// What a machine knew, in one object: for machines that begin, and for what no segment holds, such as
/// what was done in a vault that was left.
extension Library {
  /// Under names that begin so is remembered how far each device is known in a snapshot that was read.
  private static let readPrefix = "snap/"
  /// Under names that begin so are remembered the snapshots whose removals are still to be applied.
  static let unsettledPrefix = "absent/"

  // MARK: - Reading

  /// What reading the snapshots led to.
  struct SnapshotOutcome {
    /// Whether something came.
    var isTaken = false
    /// Why one of a machine's is not applied.
    var held: [ReplicaID: HeldReason] = [:]
  }

  /// Takes in what others summed up of what is neither known here nor held. Each is read once: what is in
  /// it is remembered, and compared with what is known.
  ///
  /// - Parameter isFirst: whether one is enough, because segments say the rest.
  func takeSnapshots(
    _ session: SyncSession, _ allowance: SyncOptions, isFirst: Bool = false,
    _ outcome: inout PullOutcome
  ) async throws(UserError) -> SnapshotOutcome {
    var result = SnapshotOutcome()
    let found = session.replicas.subtracting([session.replica])
      .filter { session.epochs?.revoked[$0] == nil }.flatMap(session.snapshots)
    var known = try readSnapshots(among: found)
    let unsettled = try storage {
      try store.read { try $0.syncStates(withPrefix: Self.unsettledPrefix) }
    }
    // The largest first: names say nothing of what else is in them.
    let names = found.sorted {
      (session.listing[$1] ?? 0, $0) < (session.listing[$0] ?? 0, $1)
    }
    for name in names {
      if let vector = known[name.file], unsettled[name.file] == nil,
        try news(in: vector, session, outcome.held).isEmpty
      {
        continue
      }
      let opened: SnapshotFile.Opened
      switch try await open(name, session) {
      case .success(let snapshot): opened = snapshot
      case .failure(let unusable):
        result.held[name.replica] = unusable.reason
        continue
      }
      known[name.file] = opened.vector.mapValues(\.sequence)
      try remember(known, of: name)
      let news = try news(in: opened.vector.mapValues(\.sequence), session, outcome.held)
      // Where nothing is new, what the snapshot lacks was removed by operations that are known.
      if news.isEmpty, unsettled[name.file] == nil { continue }
      if let reason = try take(opened, name, news, session, allowance, &outcome) {
        result.held[name.replica] = reason
      } else {
        result.isTaken = result.isTaken || !news.isEmpty
        if isFirst, !news.isEmpty { break }
      }
    }
    return result
  }

  /// Why a snapshot is not used.
  private struct Unusable: Error {
    var reason: HeldReason
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
    case .absent: return unusable(.missing, "\(name.file) of \(device) has not arrived yet")
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

  /// How far each device is known in snapshots that were read before. Deleted ones are forgotten.
  private func readSnapshots(among names: [ObjectName]) throws(UserError)
    -> [String: [ReplicaID: Int64]]
  {
    let stored = try storage {
      try store.read { try $0.syncStates(withPrefix: Self.readPrefix) }
    }
    let gone = Set(stored.keys).subtracting(names.map(\.file))
    if !gone.isEmpty {
      try storage {
        try store.writeCache { transaction in
          for file in gone {
            try transaction.setSyncState(Self.readPrefix + file, nil)
            try transaction.setSyncState(Self.unsettledPrefix + file, nil)
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

  /// The operations of each device that a snapshot holds and that are to be taken from it: those after
  /// what is known. What a device did is not taken from elsewhere while it is held for a reason that is
  /// its own, nor what it did after it was revoked.
  private func news(
    in vector: [ReplicaID: Int64], _ session: SyncSession, _ held: [ReplicaID: HeldReason]
  ) throws(UserError) -> [ReplicaID: ClosedRange<Int64>] {
    let (progress, vector) = try storage {
      try store.read { try ($0.progress(), Self.common(vector, Self.renamedParts($0))) }
    }
    var news: [ReplicaID: ClosedRange<Int64>] = [:]
    for (replica, reach) in vector where replica != session.replica {
      if let reason = held[replica], ![.missing, .damaged].contains(reason.kind) { continue }
      let last = min(reach, session.epochs?.revoked[replica]?.last ?? .max)
      let known = progress[replica]?.sequence ?? 0
      if last > known { news[replica] = known + 1...last }
    }
    return news
  }

  /// Applies what is new in a snapshot, and removes what it shows to have been removed for good, in one
  /// transaction.
  ///
  /// - Returns: why it is held; nil when it was applied.
  private func take(
    _ opened: SnapshotFile.Opened, _ object: ObjectName, _ news: [ReplicaID: ClosedRange<Int64>],
    _ session: SyncSession, _ allowance: SyncOptions, _ outcome: inout PullOutcome
  ) throws(UserError) -> HeldReason? {
    let name = session.deviceName(opened.replica)
    let latest = latestTime
    let heldDevices = outcome.held
    var lost: [String] = []
    do {
      let merged = try store.write { transaction in
        try transaction.require(session.replica)
        // No person did it, so there is nothing for undo.
        transaction.journal(JournalStep(nil))
        let known = try transaction.progress()
        guard news.allSatisfy({ known[$0.key]?.sequence ?? 0 == $0.value.lowerBound - 1 }) else {
          throw UserError.changedDuringSync
        }
        let common = Self.common(
          opened.vector.mapValues(\.sequence), try Self.renamedParts(transaction))
        var births: Set<Dot> = []
        var repeated: [Operation] = []
        var later: [Operation] = []
        var merged = MergeOutcome()
        for index in 0..<opened.partCount {
          let part = try opened.part(index)
          for operation in part.operations where operation.field == .created {
            births.insert(operation.dot)
          }
          let operations = part.operations.filter {
            news[$0.dot.replica]?.contains($0.dot.sequence) ?? false
          }
          repeated += part.operations.filter {
            $0.dot.sequence
              <= min(
                known[$0.dot.replica]?.sequence ?? 0, common[$0.dot.replica] ?? 0)
          }
          let ahead = allowance.clock ? [] : operations.filter { $0.time > latest }
          later += ahead
          if later.count > Self.keptLimit {
            throw Unusable(
              reason: held(
                .clock,
                Self.ahead(ahead[0].time, of: latest, in: "the clock in a snapshot of \(name)")))
          }
          merged.add(
            try transaction.merge(
              ahead.isEmpty ? operations : operations.filter { $0.time <= latest }))
          for text in part.texts { try Self.keep(text, in: transaction) }
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
        try Self.keep(later, in: transaction)
        var evidence = try RemovalEvidence(transaction, held: heldDevices)
        let isSettled = evidence.add(opened.vector, births: births)
        lost = try Self.changedHere(evidence.records, in: transaction)
        merged.add(try transaction.purgeAbsent(evidence.records))
        if !allowance.removals { try Self.checkRemovals(merged, in: transaction) }
        for (replica, range) in news {
          let progress = Self.progress(of: replica, in: opened, range.upperBound, session)
          try transaction.setProgress(progress, of: replica)
        }
        try transaction.setSyncState(Self.unsettledPrefix + object.file, isSettled ? nil : [])
        return merged
      }
      outcome.merged.add(merged)
      outcome.notices += lost.map {
        "a snapshot of \(name) no longer has what was changed here since; it is removed: \($0)"
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

  /// How far a device is known once a snapshot is applied.
  private static func progress(
    of replica: ReplicaID, in opened: SnapshotFile.Opened, _ last: Int64, _ session: SyncSession
  ) -> ReplicaProgress {
    let said = opened.vector[replica]
    var chain = said?.chain
    if last < said?.sequence ?? 0 { chain = session.epochs?.revoked[replica]?.chain }
    // Who has no segments of a device cannot say what they add up to, and says the start. What is not
    // known is believed when it comes.
    if chain == ChainHash.start(vault: session.vault, replica: replica) { chain = nil }
    return ReplicaProgress(sequence: last, chain: chain?.bytes ?? [], floor: last)
  }

  // MARK: - Writing

  /// Sums up, before anything else is sent, what comes in no segment: what was done by devices that are
  /// not here, in another vault or before this copy was one of its own. What is sent then can be about
  /// it. O(operations), once for each set of snapshots.
  func pushFoundation(_ session: inout SyncSession, _ report: inout SyncReport)
    async throws(UserError)
  {
    let usable = Self.usable(session)
    let mark = Array(usable.map(\.description).sorted().joined(separator: "\n").utf8)
    let founded = try storage { try store.read { try $0.syncState("founded") } }
    guard founded != mark || usable.isEmpty else { return }
    let reaches = try storage { try store.read { try $0.lastSequences() } }
    var summed: [ReplicaID: Int64] = [:]
    let read = try readSnapshots(among: usable)
    for name in usable {
      for (replica, last) in read[name.file] ?? [:] {
        summed[replica] = max(summed[replica] ?? 0, last)
      }
    }
    let isMore = reaches.contains { replica, last in
      replica != session.replica && !session.replicas.contains(replica)
        && last > summed[replica] ?? 0
    }
    guard isMore else {
      if founded != mark {
        try storage { try store.writeCache { try $0.setSyncState("founded", mark) } }
      }
      return
    }
    try await writeSnapshot(reaches, &session, &report)
  }

  /// Sums the library up for new machines, when much was done since the last sum of any machine.
  ///
  /// - Parameter interval: after how many operations of all machines that is worth it.
  func pushSnapshot(
    _ session: inout SyncSession, every interval: Int64, _ report: inout SyncReport
  ) async throws(UserError) {
    let (progress, state, again) = try storage {
      try store.read { try ($0.progress(), $0.syncState("summed"), $0.syncState("resum")) }
    }
    if again != nil {
      let reaches = try storage { try store.read { try $0.lastSequences() } }
      guard try await writeSnapshot(reaches, &session, &report) else { return }
      return try storage { try store.writeCache { try $0.setSyncState("resum", nil) } }
    }
    let total = progress.values.reduce(0) { $0 + $1.sequence }
    let summed = state.flatMap { Int64(String(decoding: $0, as: UTF8.self)) } ?? 0
    guard total >= interval,
      Self.usable(session).isEmpty || total - summed >= max(interval, summed / 2),
      // What has not arrived from a device, or never will, is not in what is known of it.
      try heldReasons().values.allSatisfy({ [.missing, .damaged, .revoked].contains($0.kind) })
    else { return }
    let reaches = try storage { try store.read { try $0.lastSequences() } }
    try await writeSnapshot(reaches, &session, &report)
  }

  /// The snapshots that new devices can use.
  private static func usable(_ session: SyncSession) -> [ObjectName] {
    session.replicas.filter { session.epochs?.revoked[$0] == nil }.flatMap(session.snapshots)
  }

  /// - Parameter reaches: the last operation on record of each replica.
  /// - Returns: false where no snapshot can be written.
  @discardableResult
  private func writeSnapshot(
    _ reaches: [ReplicaID: Int64], _ session: inout SyncSession, _ report: inout SyncReport
  ) async throws(UserError) -> Bool {
    let (own, vault) = (session.replica, session.vault)
    let (progress, isWhole, isHolding) = try storage {
      try store.read { transaction in
        try (
          transaction.progress(), transaction.hasAllOperations(),
          !Self.keptAhead(transaction).isEmpty
        )
      }
    }
    // What is known and not applied would be missing in it.
    if isHolding { return false }
    // What a snapshot lacks was removed for good: a library that has lost operations cannot say that.
    guard isWhole else {
      report.notices.append(
        "the library cannot be summed up for new devices: some of its changes are lost")
      return false
    }
    var content = SnapshotContent(vector: [:], operations: [])
    func reach(_ replica: ReplicaID, _ last: Int64, _ chain: [UInt8]?) {
      content.vector[replica] = SnapshotContent.Reach(
        sequence: last,
        chain: chain.flatMap { ChainHash(bytes: $0) } ?? .start(vault: vault, replica: replica))
    }
    for (replica, last) in reaches where !session.replicas.contains(replica) {
      reach(replica, last, progress[replica].flatMap { $0.sequence == last ? $0.chain : nil })
    }
    for (replica, known) in progress where session.replicas.contains(replica) {
      reach(replica, known.sequence, known.chain)
    }
    let vector = content.vector
    content.operations = try storage {
      try store.read { transaction in
        var list: [Operation] = []
        try transaction.standingOperations { operation in
          if operation.dot.sequence <= vector[operation.dot.replica]?.sequence ?? 0 {
            list.append(operation)
          }
        }
        return list
      }
    }
    let sealed: SealedObject
    do throws(SegmentError) {
      sealed = try SnapshotFile.seal(
        content, replica: own, keys: session.keys, device: session.secrets.device)
    } catch {
      report.notices.append("the library cannot be summed up for new devices: \(error)")
      return false
    }
    let old = session.snapshots(of: own)
    try await put([TransportObject(sealed.object, sealed.bytes)], &session)
    try await delete(old, &session)
    let total = progress.values.reduce(0) { $0 + $1.sequence }
    try storage {
      try store.writeCache { try $0.setSyncState("summed", Array(String(total).utf8)) }
    }
    return true
  }
}
