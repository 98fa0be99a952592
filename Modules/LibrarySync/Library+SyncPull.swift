import Files
import FoundationEssentials
import Model
import Storage
import Sync
import SystemSupport
import Workspace

/// The result of applying the operations of other devices.
struct PullOutcome {
  var merged = MergeOutcome()
  var held: [ReplicaID: HeldReason] = [:]
  var notices: [String] = []
  /// The replicas whose last operations were reissued under another name.
  var renamed: Set<ReplicaID> = []
  /// The reissued operations of revoked devices, and the number of merged operations at the time of
  /// reading. Nil if they must be read again.
  var reissued: (operations: [ReplicaID: [Operation]], count: Int)?
}

extension Library {
  /// The segments of a device that are not applied yet.
  struct PendingSegments {
    /// The segments in the order in which they are applied.
    var listed: [(name: ObjectName, range: ClosedRange<Int64>)]
    /// The segments that the review has read.
    var opened: [ObjectName: OpenedSegment] = [:]
    /// Whether the removals in the segments were counted.
    var isReviewed = false

    /// Returns the segments that contain an operation, the one with the highest last operation
    /// first. If two segments overlap, they have equal operations in the overlap.
    func containing(_ sequence: Int64) -> [(name: ObjectName, range: ClosedRange<Int64>)] {
      listed.filter { $0.range.contains(sequence) }
        .sorted { $0.range.upperBound > $1.range.upperBound }
    }
  }

  /// Applies the operations of other devices. Each segment is applied in one transaction, together
  /// with the progress of its device. Operations that cannot be applied now only delay those of
  /// their own device.
  ///
  /// - Returns: the merged operations, the held devices and notices.
  /// - Throws: `damaged` or `conflict` if the library cannot be read or written;
  ///   `changedDuringSync` if another process changed the progress or this copy's identity; the
  ///   error of the transport if the target fails.
  func pull(_ session: SyncSession, _ options: SyncOptions) async throws(UserError)
    -> PullOutcome
  {
    var outcome = PullOutcome()
    let progress = try storage { try store.read { try $0.progress() } }
    let others = session.replicas.union(session.epochs?.revoked.keys.map { $0 } ?? [])
      .subtracting([session.replica]).sorted()
    if !others.contains(where: { (progress[$0]?.sequence ?? 0) > 0 }) {
      _ = try await applySnapshots(session, options, isFirst: true, &outcome)
    }
    try reissue(session, &outcome)
    try followRenamed(session, &outcome)
    for replica in others {
      outcome.held[replica] = try await pull(replica, session, options, &outcome)
    }
    try followRenamed(session, &outcome)
    // The operations received since may include what a device was waiting for: the operations of a
    // renamed replica, or those of a revoked device that members reissued.
    let changed = others.filter {
      outcome.renamed.contains($0) || outcome.held[$0]?.kind == .revoked
    }
    for replica in changed {
      outcome.held[replica] = try await pull(replica, session, options, &outcome)
    }
    // Operations that no segment contains may be in a snapshot, which can arrive later than the
    // segments.
    let summed = try await applySnapshots(session, options, &outcome)
    outcome.renamed = []
    try followRenamed(session, &outcome)
    for replica in others where summed.hasApplied || outcome.renamed.contains(replica) {
      guard
        outcome.renamed.contains(replica)
          || outcome.held[replica].map({ [.missing, .damaged].contains($0.kind) }) == true
      else { continue }
      outcome.held[replica] = try await pull(replica, session, options, &outcome)
    }
    outcome.held.merge(summed.held) { own, _ in own }
    try revertMistaken(session)
    outcome.held.merge(try applyDeferred(session, options, &outcome)) { own, _ in own }
    // Anyone with write access to the target can add objects of unknown devices, so only some of
    // these devices are stored and reported individually.
    let unauthorized = outcome.held.filter {
      session.devices[$0.key] == nil && $0.value.kind == .missing
    }
    for replica in unauthorized.keys.sorted().dropFirst(Self.unknownLimit) {
      outcome.held[replica] = nil
    }
    if unauthorized.count > Self.unknownLimit {
      outcome.notices.append(
        "the keys of \(unauthorized.count - Self.unknownLimit) more devices have not arrived yet"
      )
    }
    try remember(outcome.held, of: others)
    return outcome
  }

  /// The maximum number of unknown devices that are reported individually.
  private static let unknownLimit = 20

  /// Applies the new operations of one device, also those that a snapshot claimed to contain.
  ///
  /// - Returns: the reason why the remaining operations are held; nil if all were applied.
  /// - Throws: the errors of `pull(_:_:)`.
  private func pull(
    _ replica: ReplicaID, _ session: SyncSession, _ options: SyncOptions,
    _ outcome: inout PullOutcome
  ) async throws(UserError) -> HeldReason? {
    let claim = try openClaim(on: replica, session)
    let reason = try await pullSegments(of: replica, session, options, &outcome)
    guard let claim, try closeClaim(claim, on: replica), reason?.kind == .missing else {
      return reason
    }
    // Segments that follow the claimed operations do not depend on the missing ones.
    return try await pullSegments(of: replica, session, options, &outcome)
  }

  private func pullSegments(
    of replica: ReplicaID, _ session: SyncSession, _ options: SyncOptions,
    _ outcome: inout PullOutcome
  ) async throws(UserError) -> HeldReason? {
    var progress =
      try storage { try store.read { try $0.progress() } }[replica]
      ?? .start(of: replica, in: session.vault)
    let superseded = try storage { try store.read { try $0.syncStates(withPrefix: "shed/") } }
    var pending = PendingSegments(
      listed: session.segments(of: replica).filter { superseded[$0.name.file] == nil })
    let name = session.deviceName(replica)
    let limit = session.epochs?.revoked[replica]?.last
    if let reason = try applyReissued(of: replica, &progress, session, options, &outcome) {
      return reason
    }
    var problem: HeldReason?
    while pending.listed.contains(where: { $0.range.upperBound > progress.sequence }) {
      let next = progress.sequence + 1
      let candidates = pending.containing(next)
      guard !candidates.isEmpty else {
        return problem ?? held(.missing, "change \(next) of \(name) has not arrived yet")
      }
      guard session.devices[replica] != nil else {
        return held(.missing, "the keys of \(name) have not arrived yet")
      }
      if let limit, next > limit {
        let known = progress.sequence
        if let reason = try applyReissued(of: replica, &progress, session, options, &outcome) {
          return reason
        }
        if progress.sequence > known { continue }
        if session.epochs?.unauthorized.contains(replica) == true {
          return held(
            .revoked,
            "\(name) joined with a key that is no longer used; it has to leave and join again")
        }
        return held(.revoked, "\(name) was revoked; its later changes are not applied")
      }
      var isApplied = false
      for candidate in candidates where !isApplied {
        let segment: OpenedSegment
        switch try await open(candidate.name, session, pending.opened) {
        case .segment(let opened): segment = opened
        case .held(let reason):
          problem = reason
          continue
        case .absent: continue
        }
        if progress.sequence == 0, let former = try formerName(of: segment) {
          progress = try adoptNewName(in: segment, former, session)
          outcome.renamed.insert(former.replica)
          isApplied = true
          continue
        }
        if let reason = try await reviewRemovals(
          from: segment, after: progress.sequence, limit: limit, of: name,
          besides: outcome.merged.created, session, options, &pending)
        {
          return reason
        }
        pending.opened[candidate.name] = nil
        let reason = try apply(
          segment, &progress, limit: limit, of: name, session, options, &outcome)
        if let reason {
          if progress.sequence == 0 { try noteNoFormerName(of: segment) }
          return reason
        }
        isApplied = true
      }
      if !isApplied {
        return problem ?? held(.missing, "change \(next) of \(name) has not arrived yet")
      }
    }
    return nil
  }

  /// The result of reading a segment.
  enum SegmentReading {
    case segment(OpenedSegment)
    /// The segment cannot be read, for the given reason.
    case held(HeldReason)
    case absent
  }

  /// Returns a segment, decrypted and with a verified signature. Segments in `opened` are not read
  /// again.
  ///
  /// - Throws: the error of the transport if the target fails.
  func open(
    _ object: ObjectName, _ session: SyncSession, _ opened: [ObjectName: OpenedSegment] = [:]
  ) async throws(UserError) -> SegmentReading {
    if let segment = opened[object] { return .segment(segment) }
    let name = session.deviceName(object.replica)
    guard let signer = session.devices[object.replica]?.publicKeys else { return .absent }
    switch try await session.read(object) {
    case .content(let bytes):
      do throws(SegmentError) {
        return .segment(
          try SegmentFile.open(bytes, named: object, keys: session.keys, signer: signer))
      } catch { return .held(unreadable(error, in: object.file, of: name)) }
    case .absent: return .absent
    case .unreadable(let reason):
      return .held(held(.damaged, "\(object.file) of \(name) cannot be read: \(reason)"))
    }
  }

  /// Applies the new operations of a segment.
  ///
  /// - Parameters:
  ///   - progress: the progress of the segment's device, which is updated.
  ///   - limit: the last operation that a revocation accepts; nil for no limit.
  ///   - name: the name of the device.
  /// - Returns: the reason why all or some operations are held; nil if all were applied.
  /// - Throws: `damaged` or `conflict` if the library cannot be written; `changedDuringSync` if
  ///   another process changed the progress or this copy's identity.
  private func apply(
    _ segment: OpenedSegment, _ progress: inout ReplicaProgress, limit: Int64?,
    of name: String, _ session: SyncSession,
    _ options: SyncOptions, _ outcome: inout PullOutcome
  ) throws(UserError) -> HeldReason? {
    let replica = segment.header.replica
    let old = segment.content.operations.prefix { $0.dot.sequence <= progress.sequence }
    var chain = segment.before.adding(old)
    // The stored chain hash is empty after a repair or a renaming, or if a snapshot did not contain
    // it. The segment's hash is then accepted.
    if !progress.chain.isEmpty, chain.bytes != progress.chain, try !isKnown(Array(old)) {
      return held(
        .fork, "\(name) has two histories: it was copied, or restored from a backup")
    }
    var fresh = Array(
      segment.content.operations.dropFirst(old.count).prefix {
        $0.dot.sequence <= limit ?? .max
      })
    var reason: HeldReason?
    let (applied, later, count) = try separateDeferred(fresh, options)
    if count < fresh.count {
      let latest = latestTime
      reason = held(
        .clock, Self.ahead(fresh[count].time, of: latest, in: "the clock of \(name)"))
      fresh.removeSubrange(count...)
    }
    guard let last = fresh.last else { return reason }
    // The chain hash at the end of a whole segment was computed when the segment was opened.
    let isWhole = old.isEmpty && fresh.count == segment.content.operations.count
    chain = isWhole ? segment.after : chain.adding(fresh)
    var next = progress
    (next.sequence, next.chain) = (last.dot.sequence, chain.bytes)
    let (texts, known) = (segment.content.texts, progress)
    var lost: [String] = []
    var trashed: [(Highlight.ID, String)] = []
    do {
      let merged = try store.write { transaction -> MergeOutcome in
        try transaction.require(session.replica, known, of: replica)
        if try Self.isContradicted(fresh, in: transaction) {
          throw ContradictionError()
        }
        lost = try Self.changedMeanwhile(applied, in: transaction)
        trashed = try Self.trashedMeanwhile(applied, in: transaction)
        let merged = try transaction.merge(applied)
        try Self.storeDeferred(later, in: transaction)
        try transaction.setProgress(next, of: replica)
        for text in texts { try Self.storeText(text, in: transaction) }
        return merged
      }
      outcome.merged.add(merged)
      outcome.notices += lost.map {
        "\(name) permanently removed a record that was changed here since: \($0)"
      }
      outcome.notices += trashed.map {
        "\(name) removed a highlight that was changed here since: \($1); the trash keeps it with "
          + "your changes; to restore it: diple trash restore \($0)"
      }
      progress = next
    } catch is ContradictionError {
      return held(
        .fork, "changes of \(name) differ from those that another device's snapshot contained")
    } catch StoreError.damaged(_, let detail) {
      return held(.damaged, "changes of \(name) cannot be applied: \(detail)")
    } catch { return try storage { throw error } }
    return reason
  }

  /// Returns a message that reports how far another device's clock is ahead of this one's.
  static func ahead(_ time: Timestamp, of latest: Timestamp, in clock: String) -> String {
    let minutes = (time.milliseconds - latest.milliseconds) / 60_000 + 10
    let lead = Int(minutes).minutesInWords
    return "\(clock) is \(lead) ahead of this device's; one of the two is wrong"
  }

  /// The latest time that a correct clock of another device can have, with tolerance.
  var latestTime: Timestamp {
    Timestamp(milliseconds: max(0, now().milliseconds) + Timestamp.tolerance)
  }

  /// Stores a text in which another device made highlights, so that they can be located by
  /// comparing the texts. A text with a wrong hash is ignored.
  ///
  /// - Throws: `StoreError` if the library cannot be written.
  static func storeText(_ text: CarriedText, in transaction: WriteTransaction) throws {
    guard ContentDigest(sha256: Array(text.text.utf8)) == text.digest else { return }
    try transaction.keepCarriedText(
      text.text, digest: text.digest, renderVersion: text.renderVersion, of: text.document)
  }

  // MARK: - Held operations

  func held(_ kind: HeldReason.Kind, _ detail: String) -> HeldReason {
    HeldReason(
      kind: kind, detail: detail, since: now().milliseconds, tries: 1)
  }

  /// Returns the reason to hold a device's operations if one of its files cannot be opened.
  func unreadable(_ problem: SegmentError, in file: String, of name: String) -> HeldReason {
    switch problem {
    case .newerReader: held(.newer, "\(name) uses a newer version of Diple: \(problem)")
    case .tooShort: held(.damaged, "a file at the target is incomplete (\(file))")
    default: held(.damaged, "\(file) of \(name): \(problem)")
    }
  }

  /// Stores the held devices. If the kind of reason is unchanged, its start time is kept.
  private func remember(_ held: [ReplicaID: HeldReason], of replicas: [ReplicaID])
    throws(UserError)
  {
    let before = try heldReasons()
    guard !held.isEmpty || !before.isEmpty else { return }
    try storage {
      try store.writeCache { transaction in
        for replica in Set(replicas).union(before.keys) {
          guard var reason = held[replica] else {
            try transaction.setSyncState("held/\(replica)", nil)
            continue
          }
          if let old = before[replica], old.kind == reason.kind {
            (reason.since, reason.tries) = (old.since, old.tries + 1)
          }
          try transaction.setSyncState(
            "held/\(replica)", Array(try JSONEncoder.ordered().encode(reason)))
        }
      }
    }
  }

  /// Returns the devices that were held at the last sync.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  func heldReasons() throws(UserError) -> [ReplicaID: HeldReason] {
    let stored = try storage { try store.read { try $0.syncStates(withPrefix: "held/") } }
    var reasons: [ReplicaID: HeldReason] = [:]
    for (name, bytes) in stored {
      guard let replica = ReplicaID(name),
        let reason = try? JSONDecoder().decode(HeldReason.self, from: Data(bytes))
      else { continue }
      reasons[replica] = reason
    }
    return reasons
  }
}
