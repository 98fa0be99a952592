import Model
import Storage
import Sync
import SystemSupport

/// What this machine has put is kept in few files, and in those that others can read.
extension Library {
  /// How many segments of about the same size become one.
  private static let fanIn = 16
  /// Under names that begin so are remembered the segments that stay as they are.
  private static let keptPrefix = "whole/"

  /// Makes one segment of many small ones of this machine, and deletes these when the others can read
  /// the large one; sums the library up when that is due.
  func tidy(
    _ session: inout SyncSession, _ allowance: SyncOptions, _ report: inout SyncReport
  ) async throws(UserError) {
    try await sealAgain(&session)
    try await deleteTakenGrants(&session)
    // What could not become a part of a larger one is not tried again.
    let kept = try storage { try store.read { try $0.syncStates(withPrefix: Self.keptPrefix) } }
    var unreadable = Set(
      session.segments(of: session.replica).map(\.name).filter { kept[$0.file] != nil })
    while let run = compactable(session, besides: unreadable) {
      guard let merged = try await merged(run, session, &unreadable, &report) else { continue }
      guard try await put(merged, insteadOf: run, &session) else { break }
    }
    try await pushSnapshot(&session, every: allowance.summing, &report)
  }

  /// Makes one segment of several of this machine.
  ///
  /// - Parameter unreadable: those that cannot be read, or stay as they are for another reason.
  /// - Returns: nil when that cannot be; then there are more that stay.
  private func merged(
    _ run: [ObjectName], _ session: SyncSession, _ unreadable: inout Set<ObjectName>,
    _ report: inout SyncReport
  ) async throws(UserError) -> TransportObject? {
    var parts: [OpenedSegment] = []
    for name in run {
      var reason: String?
      switch try await session.read(name) {
      case .content(let bytes):
        do throws(SegmentError) {
          parts.append(
            try SegmentFile.open(
              bytes, named: name, keys: session.keys,
              signer: session.secrets.device.publicKeys))
          continue
        } catch { reason = "\(error)" }
      case .unreadable(let problem): reason = problem
      // It was listed, and may come back.
      case .absent: break
      }
      unreadable.insert(name)
      if let reason {
        report.notices.append(
          "\(name.file) of this device cannot be read at the target: \(reason)")
      }
      return nil
    }
    do throws(SegmentError) {
      let sealed = try SegmentFile.merge(parts, keys: session.keys, device: session.secrets.device)
      return TransportObject(sealed.object, sealed.bytes)
    } catch {
      unreadable.formUnion(run)
      try storage {
        try store.writeCache { transaction in
          for name in run { try transaction.setSyncState(Self.keptPrefix + name.file, []) }
        }
      }
      return nil
    }
  }

  /// Deletes this machine's answers to devices that are in.
  private func deleteTakenGrants(_ session: inout SyncSession) async throws(UserError) {
    let taken = session.objects(of: session.replica).compactMap { object in
      if case .grant(let replica) = object.file.kind, session.devices[replica] != nil {
        object.name
      } else {
        nil
      }
    }
    if !taken.isEmpty { try await delete(taken, &session) }
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
  ) throws(SegmentError) -> TransportObject? {
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
    // The next one is sealed with the key that all follow.
    case .epoch, .request, .grant, .state: return nil
    }
  }

  func delete(_ names: [ObjectName], _ session: inout SyncSession) async throws(UserError) {
    do { try await session.connection.delete(names) } catch { throw UserError(error) }
    for name in names { session.listing[name] = nil }
    let replica = session.replica
    try storage {
      try store.write { transaction in
        try transaction.require(replica)
        for name in names { try transaction.setSyncState("own/\(name.file)", nil) }
      }
    }
  }

  /// The segments of this device that become one next; nil where none do.
  private func compactable(_ session: SyncSession, besides unreadable: Set<ObjectName>)
    -> [ObjectName]?
  {
    Self.compactable(
      session.segments(of: session.replica), sizes: session.listing, besides: unreadable)
  }

  /// Segments that follow one another, none of them longer than the others together will be: of each
  /// length there are never as many as become one. Together they fit into one segment.
  ///
  /// - Parameter segments: those of one device, in order.
  static func compactable(
    _ segments: [(name: ObjectName, range: ClosedRange<Int64>)], sizes: [ObjectName: Int],
    besides unreadable: Set<ObjectName>
  ) -> [ObjectName]? {
    let limit = Wire.fileLimit / (2 * fanIn)
    for level in 0..<8 {
      var end: Int64 = 0
      var run: [(name: ObjectName, range: ClosedRange<Int64>)] = []
      for segment in segments {
        // What another covers is left over from an attempt that was cut short.
        if segment.range.upperBound <= end { continue }
        if segment.range.lowerBound != end + 1 { run = [] }
        end = segment.range.upperBound
        if unreadable.contains(segment.name) || Self.level(segment.range.count) > level
          || sizes[segment.name] ?? 0 > limit
        {
          run = []
        } else {
          run.append(segment)
        }
        while run.reduce(0, { $0 + $1.range.count }) > Wire.operationCountLimit {
          run.removeFirst()
        }
        if run.count == fanIn { return run.map(\.name) }
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
}
