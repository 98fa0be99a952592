import FoundationEssentials
import Logging
import Model
import Storage
import Sync
import SystemSupport

extension Library {
  /// How many operations are read at once.
  private static let pushBatch = 50_000
  /// How many segments of about the same size become one.
  private static let fanIn = 16
  /// After how many operations of all machines a snapshot is worth its writing.
  private static let snapshotInterval: Int64 = 20_000

  /// Sends what this machine did since. What is sent is known to be before how far it was sent is
  /// remembered: a crash between the two sends some of it twice, which does no harm.
  ///
  /// - Parameter isCarrying: whether the texts that highlights were made in go with them.
  /// - Returns: how many operations.
  func push(_ session: inout SyncSession, texts isCarrying: Bool) async throws(UserError) -> Int {
    try await pushDeviceRecord(&session)
    let (replica, vault) = (session.replica, session.vault)
    var count = 0
    while true {
      var progress =
        try storage { try store.read { try $0.progress() } }[replica]
        ?? ReplicaProgress(
          sequence: 0, chain: ChainHash.start(vault: vault, replica: replica).bytes)
      let operations = try storage {
        try store.read {
          try $0.operations(of: replica, after: progress.sequence, limit: Self.pushBatch)
        }
      }
      guard !operations.isEmpty, var chain = ChainHash(bytes: progress.chain) else { return count }
      let texts = isCarrying ? try textsToCarry(with: operations) : []
      var objects: [TransportObject] = []
      do throws(SegmentProblem) {
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
          try transaction.setProgress(sent, of: replica)
          for text in texts { try transaction.setSyncState("text/\(text.digest)", []) }
        }
      }
    }
  }

  /// Names the highlight that is too large to be sent: what was done after it waits for it.
  private func cannotSend(_ problem: SegmentProblem, _ operations: [Operation]) throws(UserError)
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
  private func put(_ objects: [TransportObject], _ session: inout SyncSession)
    async throws(UserError)
  {
    try storage {
      try store.write { transaction in
        for object in objects { try transaction.setSyncState("own/\(object.name.file)", []) }
      }
    }
    try await session.put(objects)
    for object in objects { session.listing[object.name] = object.bytes.count }
  }

  /// Makes this machine known to the others.
  private func pushDeviceRecord(_ session: inout SyncSession) async throws(UserError) {
    guard session.devices[session.replica] == nil else { return }
    session.place.device = unusedName(session)
    let record = DeviceRecord(
      replica: session.replica, name: session.place.device,
      publicKeys: session.secrets.device.publicKeys, created: session.place.since)
    let sealed: SealedObject
    do throws(SegmentProblem) {
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

  // MARK: - Fewer and larger files

  /// Makes one segment of many small ones of this machine, and deletes these when the others can read
  /// the large one; sums the library up when that is due.
  func tidy(_ session: inout SyncSession) async throws(UserError) {
    try await sealAgain(&session)
    while let run = compactable(session) {
      var parts: [OpenedSegment] = []
      for name in run {
        guard let bytes = try await session.get(name) else { return }
        do throws(SegmentProblem) {
          parts.append(
            try SegmentFile.open(
              bytes, named: name, keys: session.keys,
              signer: session.secrets.device.publicKeys))
        } catch {
          logger.warning("own segment cannot be read", metadata: ["reason": "\(error)"])
          return
        }
      }
      let merged: TransportObject
      do throws(SegmentProblem) {
        let sealed = try SegmentFile.merge(
          parts, keys: session.keys, device: session.secrets.device)
        merged = TransportObject(sealed.object, sealed.bytes)
      } catch { return }
      guard try await put(merged, insteadOf: run, &session) else { return }
    }
    try await pushSnapshot(&session)
  }

  /// Puts an object that says what others of this machine say, and deletes these.
  ///
  /// - Returns: false when it is not there yet: only what is known to be there takes the place of what
  ///   is.
  private func put(
    _ object: TransportObject, insteadOf old: [ObjectName], _ session: inout SyncSession
  ) async throws(UserError) -> Bool {
    try await put([object], &session)
    guard try await session.get(object.name, limit: Wire.snapshotLimit) == object.bytes else {
      return false
    }
    try await delete(old, &session)
    return true
  }

  /// Seals with the key that all follow what this machine sealed with one that some did: devices that
  /// join later get the former only.
  private func sealAgain(_ session: inout SyncSession) async throws(UserError) {
    guard try storage({ try store.read { try $0.syncState("reseal") } }) != nil else { return }
    for (name, file) in session.objects(of: session.replica) {
      guard let bytes = try await session.get(name, limit: Wire.snapshotLimit) else { continue }
      guard let object = try? sealedAgain(bytes, name, file, session) else { continue }
      guard try await put(object, insteadOf: [name], &session) else { return }
    }
    try storage { try store.writeCache { try $0.setSyncState("reseal", nil) } }
  }

  /// An object of this machine with the key that all follow; nil when it has that.
  private func sealedAgain(
    _ bytes: [UInt8], _ name: ObjectName, _ file: SyncFileName, _ session: SyncSession
  ) throws(SegmentProblem) -> TransportObject? {
    let (keys, device, line) = (session.keys, session.secrets.device, session.keys.line)
    let signer = device.publicKeys
    switch file.kind {
    case .segment:
      if (try? SegmentFile.open(bytes, named: name, keys: line, signer: signer)) != nil {
        return nil
      }
      let segment = try SegmentFile.open(bytes, named: name, keys: keys, signer: signer)
      let sealed = try SegmentFile.merge([segment], keys: keys, device: device)
      return TransportObject(sealed.object, sealed.bytes)
    case .snapshot:
      if (try? SnapshotFile.open(bytes, named: name, keys: line, signer: signer)) != nil {
        return nil
      }
      let snapshot = try SnapshotFile.open(bytes, named: name, keys: keys, signer: signer)
      let sealed = try SnapshotFile.seal(
        try snapshot.content(), replica: session.replica, keys: keys, device: device)
      return TransportObject(sealed.object, sealed.bytes)
    case .device:
      if (try? DeviceRecord.open(bytes, named: name, keys: line)) != nil { return nil }
      let record = try DeviceRecord.open(bytes, named: name, keys: keys).record
      let sealed = try record.sealed(keys: keys, device: device)
      return TransportObject(sealed.object, sealed.bytes)
    case .epoch, .request, .grant: return nil
    }
  }

  private func delete(_ names: [ObjectName], _ session: inout SyncSession) async throws(UserError) {
    do { try await session.connection.delete(names) } catch { throw UserError(error) }
    for name in names { session.listing[name] = nil }
    try storage {
      try store.write { transaction in
        for name in names { try transaction.setSyncState("own/\(name.file)", nil) }
      }
    }
  }

  /// Segments of this machine that follow one another, none of them longer than the others together
  /// will be: of each length there are never as many as become one.
  private func compactable(_ session: SyncSession) -> [ObjectName]? {
    let segments = session.segments(of: session.replica)
    let limit = Wire.fileLimit / (2 * Self.fanIn)
    for level in 0..<8 {
      var end: Int64 = 0
      var run: [ObjectName] = []
      for segment in segments {
        // What another covers is left over from an attempt that was cut short.
        if segment.range.upperBound <= end { continue }
        if segment.range.lowerBound != end + 1 { run = [] }
        end = segment.range.upperBound
        if Self.level(segment.range.count) > level || (session.listing[segment.name] ?? 0) > limit {
          run = []
        } else {
          run.append(segment.name)
        }
        if run.count == Self.fanIn { return run }
      }
    }
    return nil
  }

  /// How often a count can be divided by the number of segments that become one.
  private static func level(_ count: Int) -> Int {
    var (level, rest) = (0, count)
    while rest >= fanIn {
      rest /= fanIn
      level += 1
    }
    return level
  }

  /// Sums the library up for new machines, when much was done since the last sum of any machine.
  private func pushSnapshot(_ session: inout SyncSession) async throws(UserError) {
    let progress = try storage { try store.read { try $0.progress() } }
    let total = progress.values.reduce(0) { $0 + $1.sequence }
    let isHeld = try !heldReasons().isEmpty
    let snapshots = session.replicas.flatMap(session.snapshots)
    let summed =
      try storage { try store.read { try $0.syncState("summed") } }
      .flatMap { Int64(String(decoding: $0, as: UTF8.self)) } ?? 0
    // What was done by devices that are not here, in another vault or before this copy was one of its
    // own, comes in no segment.
    let reaches = try storage { try store.read { try $0.lastSequences() } }
    let isOnlyHere =
      snapshots.isEmpty
      && reaches.keys.contains { $0 != session.replica && !session.replicas.contains($0) }
    guard !isHeld || isOnlyHere, isOnlyHere || total >= Self.snapshotInterval,
      snapshots.isEmpty || total - summed >= max(Self.snapshotInterval, summed / 2)
    else { return }
    let own = session.replica
    var content = SnapshotContent(vector: [:], operations: [])
    for (replica, last) in reaches where !session.replicas.contains(replica) {
      content.vector[replica] = SnapshotContent.Reach(
        sequence: last, chain: ChainHash.start(vault: session.vault, replica: replica))
    }
    for (replica, reach) in progress where session.replicas.contains(replica) {
      guard let chain = ChainHash(bytes: reach.chain) else { return }
      content.vector[replica] = SnapshotContent.Reach(sequence: reach.sequence, chain: chain)
    }
    let vector = content.vector
    let operations = try storage {
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
    content.operations = operations
    let sealed: SealedObject
    do throws(SegmentProblem) {
      sealed = try SnapshotFile.seal(
        content, replica: own, keys: session.keys, device: session.secrets.device)
    } catch {
      logger.warning("the library cannot be summed up", metadata: ["reason": "\(error)"])
      return
    }
    let old = session.snapshots(of: own)
    try await put([TransportObject(sealed.object, sealed.bytes)], &session)
    try await delete(old, &session)
    try storage {
      try store.writeCache { try $0.setSyncState("summed", Array(String(total).utf8)) }
    }
  }
}
