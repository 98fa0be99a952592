import Model
import Storage
import Sync
import SystemSupport

extension Library {
  /// How many operations are read at once.
  private static let pushBatch = 50_000

  /// Sends what this machine did since. What is sent is known to be before how far it was sent is
  /// remembered: a crash between the two sends some of it twice, which does no harm.
  ///
  /// - Parameter isCarrying: whether the texts that highlights were made in go with them.
  /// - Returns: how many operations.
  func push(
    _ session: inout SyncSession, texts isCarrying: Bool, _ report: inout SyncReport
  ) async throws(UserError) -> Int {
    try await pushDeviceRecord(&session, &report)
    try await pushFoundation(&session, &report)
    let (replica, vault) = (session.replica, session.vault)
    try mendTimes(session)
    var count = 0
    while true {
      var progress =
        try storage { try store.read { try $0.progress() } }[replica]
        ?? .start(of: replica, in: vault)
      let known = progress
      let operations = try storage {
        try store.read {
          try $0.operations(of: replica, after: progress.sequence, limit: Self.pushBatch)
        }
      }
      guard !operations.isEmpty, var chain = ChainHash(bytes: progress.chain) else { return count }
      let texts = isCarrying ? try textsToCarry(with: operations) : []
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
  }

  /// Gives what was done here while the clock was wrong, and was not sent yet, the time of now: with their
  /// own times, the other devices would keep these changes back until then. Where the clock is behind what it
  /// showed at the last sync, it may be the one that is wrong now, and all times stay.
  private func mendTimes(_ session: SyncSession) throws(UserError) {
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

  /// Names the highlight that is too large to be sent: what was done after it waits for it.
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
      "\(message): highlight \(name) has \(size >> 10) KiB of words, and at most \(limit >> 10) can be sent",
      hint: """
        \(command: "rm", .word(name)), then \(command: "trash", "empty"); smaller highlights of the same \
        passage can be sent
        """)
  }

  /// Puts objects of this machine, after their names were remembered: what is there under this
  /// machine's name and is not remembered was put by a copy of it.
  func put(_ objects: [TransportObject], _ session: inout SyncSession)
    async throws(UserError)
  {
    let replica = session.replica
    try storage {
      try store.write { transaction in
        try transaction.require(replica)
        for object in objects { try transaction.setSyncState("own/\(object.name.file)", []) }
      }
    }
    try await session.put(objects)
    for object in objects { session.listing[object.name] = object.bytes.count }
  }

  /// Makes this machine known to the others, also where its record is gone from the target: what is
  /// known here is what was read once.
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

  /// What this device is called on the others, with a number where one of them is called the same.
  private func unusedName(_ session: SyncSession) -> String {
    let (name, taken) = (session.place.device, Set(session.devices.values.map(\.name)))
    guard taken.contains(name) else { return name }
    return (2...).lazy.map { "\(name) \($0)" }.first { !taken.contains($0) } ?? name
  }

  /// The texts that highlights were made in, of those that are kept here and were not sent yet.
  private func textsToCarry(with operations: [Operation]) throws(UserError) -> [CarriedText] {
    try storage {
      try store.read { transaction in
        var texts: [CarriedText] = []
        var seen: Set<ContentDigest> = []
        for operation in operations {
          guard case .highlight(let id) = operation.record,
            case .selector(let selector) = operation.value, let digest = selector.textDigest,
            seen.insert(digest).inserted, try transaction.syncState("text/\(digest)") == nil,
            let document = try transaction.highlight(id)?.document,
            let text = try transaction.snapshot(digest, of: document),
            text.utf8.count <= Wire.textLimit
          else { continue }
          texts.append(
            CarriedText(
              document: document, digest: digest, renderVersion: selector.renderVersion, text: text)
          )
        }
        return texts
      }
    }
  }
}
