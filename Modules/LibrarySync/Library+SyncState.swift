import Files
import FoundationEssentials
import Model
import Storage
import Sync
import SystemSupport
import Workspace

/// The result of comparing another device's library with this one.
package struct SyncComparison: Sendable {
  /// Whether the libraries are equal.
  package enum Result: String, Sendable {
    /// Both libraries know the same operations and contain the same records.
    case same
    /// Both libraries know the same operations, but contain different records.
    case different
    /// The devices know different operations, or the other one has not published its state since
    /// its last operation.
    case unknown
  }

  /// The name that the user gave the other device.
  package var device: String
  /// Whether its library equals this one.
  package var result: Result
  /// Descriptions of at most 20 local records in the groups that differ. Some of these records may
  /// be equal on both devices. Records that only the other device has are not included.
  package var records: [String] = []
}

/// Publishes checksums of the library and compares them with those of other devices.
extension Library {
  /// The maximum number of differing records to name.
  private static let namedLimit = 20

  /// The checksums of the library. A record's group is the hash of its name modulo the number of
  /// groups, which is a power of two. If the number is halved, each new group is therefore the
  /// union of two old ones.
  private struct GroupSums {
    var values: [UInt64]
    /// The number of lines of the state.
    private(set) var lineCount = 0

    init(_ transaction: ReadTransaction) throws {
      var lines: [(group: UInt64, sum: UInt64)] = []
      try transaction.stateLines { line in
        lines.append((Self.group(of: line), Self.hash(line)))
      }
      lineCount = lines.count
      var count = 32
      while count < 2 * lines.count, count < StateRecord.sumLimit { count *= 2 }
      values = Array(repeating: 0, count: count)
      for (group, sum) in lines { values[Int(group % UInt64(count))] ^= sum }
    }

    static func hash(_ text: some StringProtocol) -> UInt64 {
      ContentDigest(sha256: Array(text.utf8)).bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Returns the hash of the record's name, from which its group follows. A line begins with the
    /// kind, a tab, the size of the name in bytes, a colon and the name.
    static func group(of line: String) -> UInt64 { hash(name(of: line)) }

    private static func name(of line: String) -> Substring {
      let parts = line.split(separator: "\t", maxSplits: 1)
      guard parts.count == 2, let colon = parts[1].utf8.firstIndex(of: UInt8(ascii: ":")),
        let size = Int(parts[1][..<colon])
      else { return line[...] }
      let start = parts[1].utf8.index(after: colon)
      guard let end = parts[1].utf8.index(start, offsetBy: size, limitedBy: line.utf8.endIndex)
      else { return line[...] }
      return line[line.startIndex..<end]
    }
  }

  /// Returns the progress of all devices with objects at the target; nil if this device has
  /// operations that were not sent, or if received operations are deferred because of a wrong
  /// clock.
  private func stateVector(_ session: SyncSession) throws(UserError) -> [ReplicaID: Int64]? {
    let (progress, last) = try storage {
      try store.read { try ($0.progress(), $0.lastSequence()) }
    }
    guard progress[session.replica]?.sequence ?? 0 == last,
      try !heldReasons().values.contains(where: { $0.kind == .clock })
    else { return nil }
    return progress.filter { session.replicas.contains($0.key) && $0.value.sequence > 0 }
      .mapValues(\.sequence)
  }

  private func sums() throws(UserError) -> GroupSums {
    try storage { try store.read { try GroupSums($0) } }
  }

  /// The maximum number of lines of a state that is published after each change.
  private static let smallState = 10_000
  /// The minimum time between two publications of a larger state, in milliseconds for each of its
  /// lines. It is a thousand times as long as computing the checksum of a line. A library of
  /// 100,000 highlights publishes its state at most every half hour.
  private static let pausePerLine: Int64 = 18

  /// Publishes the state of the library and compares it with the published states of other devices.
  /// Does nothing if the progress has not changed since the last call, or if the library is large
  /// and was published recently. Otherwise O(library).
  ///
  /// - Returns: the names of the devices whose libraries have diverged.
  /// - Throws: `damaged` or `conflict` if the library cannot be read; the error of the transport.
  func publishState(_ session: inout SyncSession) async throws(UserError) -> [String] {
    guard let vector = try stateVector(session), !vector.isEmpty else { return [] }
    let old = session.objects(of: session.replica).filter { $0.file.kind == .state }.map(\.name)
    let mark = ContentDigest(
      sha256: Array(vector.map { "\($0.key) \($0.value)" }.sorted().joined(separator: "\n").utf8)
    ).bytes
    let published = try storage { try store.read { try $0.syncState("state") } }
    guard published != mark || old.count != 1 else { return [] }
    if old.count == 1, let next = try nextState(), now().milliseconds < next { return [] }
    let sums = try sums()
    try await put(StateRecord(vector: vector, sums: sums.values), insteadOf: old, &session)
    // The time of publication is stored, too: if the clock is set back, the state is published
    // immediately.
    let pause = sums.lineCount > Self.smallState ? Int64(sums.lineCount) * Self.pausePerLine : 0
    let times = Array("\(now().milliseconds) \(now().milliseconds + pause)".utf8)
    try storage {
      try store.writeCache { transaction in
        try transaction.setSyncState("state", mark)
        try transaction.setSyncState("statetime", pause > 0 ? times : nil)
      }
    }
    return try await compare(vector, sums, session).filter { $0.result == .different }
      .map(\.device)
  }

  /// Returns the time until which a large state is not published again, in milliseconds since 1970;
  /// nil if it can be published immediately.
  private func nextState() throws(UserError) -> Int64? {
    guard let stored = try storage({ try store.read { try $0.syncState("statetime") } }) else {
      return nil
    }
    let times = String(decoding: stored, as: UTF8.self).split(separator: " ").map { Int64($0) }
    guard times.count == 2, let last = times[0], let next = times[1], last <= now().milliseconds
    else { return nil }
    return next
  }

  private func put(
    _ state: StateRecord, insteadOf old: [ObjectName], _ session: inout SyncSession
  ) async throws(UserError) {
    let sealed: SealedObject
    do throws(SegmentError) {
      sealed = try state.sealed(
        replica: session.replica, keys: session.keys, device: session.secrets.device)
    } catch { throw UserError(.conflict, "the state of this library cannot be written: \(error)") }
    try await put([TransportObject(sealed.object, sealed.bytes)], &session)
    if !old.isEmpty { try await delete(old, &session) }
  }

  /// Publishes the state of the library and compares it with each other device that is not revoked.
  /// O(library).
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read; the error of the transport.
  func compareStates(_ session: inout SyncSession) async throws(UserError) -> [SyncComparison] {
    let vector = try stateVector(session) ?? [:]
    let sums = try sums()
    if !vector.isEmpty {
      let old = session.objects(of: session.replica).filter { $0.file.kind == .state }.map(\.name)
      try await put(StateRecord(vector: vector, sums: sums.values), insteadOf: old, &session)
    }
    return try await compare(vector, sums, session)
  }

  private func compare(_ vector: [ReplicaID: Int64], _ sums: GroupSums, _ session: SyncSession)
    async throws(UserError) -> [SyncComparison]
  {
    var comparisons: [SyncComparison] = []
    let others = session.devices.values.filter {
      $0.replica != session.replica && session.epochs?.revoked[$0.replica] == nil
    }
    for device in others.sorted(by: { ($0.name, $0.replica) < ($1.name, $1.replica) }) {
      var comparison = SyncComparison(device: device.name, result: .unknown)
      for (name, file) in session.objects(of: device.replica) where file.kind == .state {
        guard let bytes = try await session.get(name, limit: StateRecord.fileLimit),
          let state = try? StateRecord.open(
            bytes, named: name, keys: session.keys, signer: device.publicKeys),
          !vector.isEmpty, state.vector == vector
        else { continue }
        let count = min(state.sums.count, sums.values.count)
        let ownSums = StateRecord(vector: [:], sums: sums.values).sums(count: count)
        let groups = zip(ownSums, state.sums(count: count)).enumerated()
          .filter { $0.element.0 != $0.element.1 }.map { UInt64($0.offset) }
        comparison.result = groups.isEmpty ? .same : .different
        if !groups.isEmpty {
          comparison.records = try records(in: Set(groups), of: count)
        }
      }
      comparisons.append(comparison)
    }
    return comparisons
  }

  /// Returns descriptions of the records in the given groups, at most `namedLimit`.
  private func records(in groups: Set<UInt64>, of count: Int) throws(UserError) -> [String] {
    try storage {
      try store.read { transaction in
        var names: [String] = []
        try transaction.stateLines { line in
          guard names.count < Self.namedLimit,
            groups.contains(GroupSums.group(of: line) % UInt64(count))
          else { return }
          let parts = line.split(separator: "\t").map {
            String($0.drop { $0 != ":" }.dropFirst())
          }
          switch line.prefix(while: { $0 != "\t" }) {
          case "highlight" where parts.count > 1:
            if let highlight = try Highlight.ID(parts[1]).flatMap(transaction.highlight) {
              names.append(
                "highlight \(highlight.shortID) “\(highlight.selector.exact.summarized)”")
            }
          case "document" where parts.count > 1:
            if let document = try Document.ID(parts[1]).flatMap(transaction.document) {
              names.append("document \(document.shownPath)")
            }
          case let kind: names.append(parts.count > 1 ? "\(kind) \(parts[1])" : "\(kind)")
          }
        }
        return names
      }
    }
  }
}
