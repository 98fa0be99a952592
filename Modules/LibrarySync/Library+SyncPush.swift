import Model
import Storage
import Sync
import SystemSupport
import Workspace

extension Library {
  /// The maximum number of operations in memory, and the maximum size of their texts in bytes.
  private static let (pushBatch, pushedText) = (20_000, 8 << 20)

  /// Sends the operations of this device that were not sent yet.
  ///
  /// The progress is stored only after the transport has confirmed the upload. After a crash
  /// between the two, some operations are sent again, which is harmless.
  ///
  /// - Parameter isCarrying: whether to send the texts in which the highlights were made.
  /// - Returns: the number of operations sent.
  /// - Throws: `conflict` if an operation is too large to send; `damaged` or `conflict` if the
  ///   library cannot be read or written; the error of the transport.
  func push(
    _ session: inout SyncSession, texts isCarrying: Bool, _ report: inout SyncReport
  ) async throws(UserError) -> Int {
    try await pushDeviceRecord(&session, &report)
    try await pushFoundation(&session, &report)
    let (replica, vault) = (session.replica, session.vault)
    var count = 0
    // The queries below also read operations of other devices, so skip them if nothing is unsent.
    guard try hasUnsent() else { return count }
    try correctTimes(session)
    while try hasUnsent() {
      var progress =
        try storage { try store.read { try $0.progress() } }[replica]
        ?? .start(of: replica, in: vault)
      let known = progress
      var operations = try storage {
        try store.read {
          try $0.operations(of: replica, after: progress.sequence, limit: Self.pushBatch)
        }
      }
      guard !operations.isEmpty, var chain = ChainHash(bytes: progress.chain) else { break }
      let texts = isCarrying ? try textsToCarry(with: &operations) : []
      var objects: [TransportObject] = []
      do throws(SegmentError) {
        for piece in try SegmentFile.split(SegmentContent(operations: operations, texts: texts)) {
          let sealed = try SegmentFile.seal(
            piece, vault: vault, after: chain, keys: session.keys, device: session.secrets.device)
          objects.append(TransportObject(sealed.object, sealed.bytes))
          chain = sealed.chain
        }
      } catch { throw try cannotSend(error, operations) }
      try await put(objects, &session)
      count += operations.count
      (progress.sequence, progress.chain) = (operations.last!.dot.sequence, chain.bytes)
      let sent = progress
      try storage {
        try store.write { transaction in
          try transaction.require(replica, known, of: replica)
          try transaction.setProgress(sent, of: replica)
          for text in texts { try transaction.setSyncState("text/\(text.digest)", []) }
        }
      }
    }
    return count
  }

  /// Updates the times of unsent operations that were made while the clock was ahead. Otherwise the
  /// other devices would defer them until those times.
  ///
  /// If the clock is now behind the time of the last sync, the clock may be wrong, and nothing is
  /// changed.
  private func correctTimes(_ session: SyncSession) throws(UserError) {
    let replica = session.replica
    try storage {
      let (sent, last) = try store.read { transaction in
        try (
          transaction.progress()[replica]?.sequence ?? 0,
          transaction.syncState("last").flatMap { Int64(String(decoding: $0, as: UTF8.self)) }
        )
      }
      guard last ?? session.place.since <= now().milliseconds else { return }
      guard try store.read({ try $0.isAhead(after: sent, of: latestTime) }) else { return }
      try store.write { transaction in
        try transaction.require(replica)
        try transaction.restamp(after: sent)
      }
    }
  }

  /// Returns the error for operations that cannot be sent. If a highlight is too large, the error
  /// identifies it, because no later operation can be sent before it is removed.
  private func cannotSend(_ problem: SegmentError, _ operations: [Operation]) throws(UserError)
    -> UserError
  {
    let message = "the changes of this device cannot be sent"
    guard case .quoteTooLong(let dot, let size, let limit) = problem,
      case .highlight(let id)? = operations.first(where: { $0.dot == dot })?.record,
      let highlight = try storage({ try store.read { try $0.highlight(id) } })
    else { return UserError(.conflict, "\(message): \(problem)") }
    let name = highlight.shortID
    return UserError(
      .conflict,
      """
      \(message): highlight \(name) has \(size >> 10) KiB of words, and at most \(limit >> 10) \
      can be sent
      """,
      hint: """
        remove it with \(action: "highlight.remove", [
          "highlights": .records([highlight.id.description], names: [name])
        ]) and \(action: "trash.empty"); smaller \
        highlights of the same passage can be sent
        """)
  }

  /// Uploads the record of this device if the target does not contain it. If an earlier sync read
  /// the record, the target has lost it, and the same record is uploaded again.
  private func pushDeviceRecord(_ session: inout SyncSession, _ report: inout SyncReport)
    async throws(UserError)
  {
    let known = session.devices[session.replica]
    if known != nil {
      if session.objects(of: session.replica).contains(where: { $0.file.kind == .device }) {
        return
      }
      report.notices.append(
        "the record of this device was missing at the target: it was sent again")
    } else {
      session.place.device = unusedName(session)
    }
    let record =
      known
      ?? DeviceRecord(
        replica: session.replica, name: session.place.device,
        publicKeys: session.secrets.device.publicKeys, created: session.place.since)
    let sealed: SealedObject
    do throws(SegmentError) {
      sealed = try record.sealed(keys: session.keys, device: session.secrets.device)
    } catch { throw UserError(.conflict, "the record of this device cannot be written: \(error)") }
    try await put([TransportObject(sealed.object, sealed.bytes)], &session)
    session.devices[session.replica] = record
    if try syncPlace() != session.place { try setSyncPlace(session.place) }
  }

  /// Returns the name of this device for other devices. It gets a number if a device that has not
  /// left has the same name.
  private func unusedName(_ session: SyncSession) -> String {
    let others = session.devices.values.filter { $0.left == nil }
    let (name, usedNames) = (session.place.device, Set(others.map(\.name)))
    guard usedNames.contains(name) else { return name }
    // The name of a copy has a number already.
    var base = name[...]
    if let space = name.lastIndex(of: " "), Int(name[name.index(after: space)...]) != nil {
      base = name[..<space]
    }
    return (2...).lazy.map { "\(base) \($0)" }.first { !usedNames.contains($0) } ?? name
  }

  /// Returns the texts in which the highlights of the operations were made. Texts that are not
  /// stored in this library or were sent before are omitted.
  ///
  /// - Parameter operations: the operations. If their texts exceed `pushedText` together, the last
  ///   operations are removed.
  private func textsToCarry(with operations: inout [Operation]) throws(UserError) -> [CarriedText] {
    let (texts, count) = try storage {
      try store.read { transaction in
        var texts: [CarriedText] = []
        var seen: Set<ContentDigest> = []
        var size = 0
        for (index, operation) in operations.enumerated() {
          if size > Self.pushedText { return (texts, index) }
          guard case .highlight(let id) = operation.record,
            case .selector(let selector) = operation.value, let digest = selector.textDigest,
            seen.insert(digest).inserted, try transaction.syncState("text/\(digest)") == nil,
            let document = try transaction.highlight(id)?.document,
            let text = try transaction.snapshot(digest, of: document),
            text.utf8.count <= Wire.textLimit
          else { continue }
          size += text.utf8.count
          texts.append(
            CarriedText(
              document: document, digest: digest, renderVersion: selector.renderVersion, text: text)
          )
        }
        return (texts, operations.count)
      }
    }
    operations.removeSubrange(count...)
    return texts
  }
}
