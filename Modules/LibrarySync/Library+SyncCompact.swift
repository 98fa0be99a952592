import Model
import Storage
import Sync
import SystemSupport
import Workspace

/// Compacts this device's objects at the target: merges small segments, seals objects again after a
/// change of keys, and deletes obsolete grants.
extension Library {
  /// The number of segments of similar size that are merged into one.
  private static let fanIn = 16
  /// The prefix of the keys of sync states that record the segments that cannot be merged.
  private static let unmergeablePrefix = "whole/"

  /// Compacts this device's objects, and writes a snapshot if one is due. Merged segments are
  /// deleted only after the result has been read back.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be written; the error of the
  ///   transport.
  func compact(
    _ session: inout SyncSession, _ options: SyncOptions, _ report: inout SyncReport
  ) async throws(UserError) {
    try await resealObjects(&session)
    try await deleteUsedGrants(&session)
    // Segments that could not be merged are not tried again.
    let unmergeable = try storage {
      try store.read { try $0.syncStates(withPrefix: Self.unmergeablePrefix) }
    }
    var unreadable = Set(
      session.segments(of: session.replica).map(\.name).filter { unmergeable[$0.file] != nil })
    while let run = compactable(session, besides: unreadable) {
      guard let merged = try await merged(run, session, &unreadable, &report) else { continue }
      guard try await put(merged, insteadOf: run, &session) else { break }
    }
    try await pushSnapshot(&session, options.summing, &report)
  }

  /// Merges segments of this device.
  ///
  /// - Parameter unreadable: the segments to exclude from merging. If the merge fails, segments of
  ///   `run` are added.
  /// - Returns: nil if the segments cannot be merged.
  /// - Throws: `damaged` or `conflict` if the library cannot be written; the error of the transport
  ///   if the target fails.
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
      // The segment was listed, so it may be missing only temporarily.
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
          for name in run { try transaction.setSyncState(Self.unmergeablePrefix + name.file, []) }
        }
      }
      return nil
    }
  }

  /// Deletes this device's grants to devices that have joined.
  private func deleteUsedGrants(_ session: inout SyncSession) async throws(UserError) {
    let used = session.objects(of: session.replica).compactMap { object in
      if case .grant(let replica) = object.file.kind, session.devices[replica] != nil {
        object.name
      } else {
        nil
      }
    }
    if !used.isEmpty { try await delete(used, &session) }
  }

  /// Uploads an object that replaces other objects of this device, and deletes those.
  ///
  /// - Returns: false if the new object cannot be read back yet. The old objects are then kept.
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

  /// Seals this device's objects with the key of the main branch if they were sealed with the key
  /// of another branch, which later members do not receive.
  private func resealObjects(_ session: inout SyncSession) async throws(UserError) {
    guard try storage({ try store.read { try $0.syncState("reseal") } }) != nil else { return }
    for (name, file) in session.objects(of: session.replica) {
      guard let bytes = try await session.get(name, limit: Wire.snapshotLimit) else { continue }
      guard let object = try? resealed(bytes, name, file, session) else { continue }
      guard try await put(object, insteadOf: [name], &session) else { return }
    }
    try storage { try store.writeCache { try $0.setSyncState("reseal", nil) } }
  }

  /// Seals an object of this device again with the key of the main branch. Returns nil if it has
  /// that key already, or is of a kind that is never sealed again.
  ///
  /// - Throws: `SegmentError` if the object cannot be opened or sealed.
  private func resealed(
    _ bytes: [UInt8], _ name: ObjectName, _ file: SyncFileName, _ session: SyncSession
  ) throws(SegmentError) -> TransportObject? {
    let (keys, device, branch) = (session.keys, session.secrets.device, session.keys.branch)
    let signer = device.publicKeys
    switch file.kind {
    case .segment:
      if (try? SegmentFile.open(bytes, named: name, keys: branch, signer: signer)) != nil {
        return nil
      }
      let segment = try SegmentFile.open(bytes, named: name, keys: keys, signer: signer)
      let sealed = try SegmentFile.merge([segment], keys: keys, device: device)
      return TransportObject(sealed.object, sealed.bytes)
    case .snapshot:
      if (try? SnapshotFile.open(bytes, named: name, keys: branch, signer: signer)) != nil {
        return nil
      }
      let snapshot = try SnapshotFile.open(bytes, named: name, keys: keys, signer: signer)
      let sealed = try snapshot.sealed(keys: keys, device: device)
      return TransportObject(sealed.object, sealed.bytes)
    case .device:
      if (try? DeviceRecord.open(bytes, named: name, keys: branch)) != nil { return nil }
      let record = try DeviceRecord.open(bytes, named: name, keys: keys).record
      let sealed = try record.sealed(keys: keys, device: device)
      return TransportObject(sealed.object, sealed.bytes)
    // A state is published again with the current key anyway. Epochs, requests and grants keep
    // their keys.
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

  /// Returns the next segments of this device to merge; nil if no segments need merging.
  private func compactable(_ session: SyncSession, besides unreadable: Set<ObjectName>)
    -> [ObjectName]?
  {
    Self.compactable(
      session.segments(of: session.replica), sizes: session.listing, besides: unreadable)
  }

  /// Returns `fanIn` consecutive segments to merge; nil if there are not enough. Their sizes are
  /// limited, so that the result fits into one segment.
  ///
  /// The level of a segment is the logarithm of its number of operations to the base `fanIn`.
  /// Segments of the lowest level are merged first; a segment of a higher level is never merged
  /// with them. This limits both the number of segments and how often each operation is uploaded
  /// again.
  ///
  /// - Parameter segments: the segments of one device, in order.
  static func compactable(
    _ segments: [(name: ObjectName, range: ClosedRange<Int64>)], sizes: [ObjectName: Int],
    besides unreadable: Set<ObjectName>
  ) -> [ObjectName]? {
    let limit = Wire.fileLimit / (2 * fanIn)
    for level in 0..<8 {
      var end: Int64 = 0
      var run: [(name: ObjectName, range: ClosedRange<Int64>)] = []
      for segment in segments {
        // An interrupted attempt can leave segments whose operations another segment contains.
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

  /// Returns the logarithm of a count to the base `fanIn`, rounded down.
  private static func level(_ count: Int) -> Int {
    var (level, rest) = (0, count)
    while rest >= fanIn {
      rest /= fanIn
      level += 1
    }
    return level
  }
}
