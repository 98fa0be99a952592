import Files
import FoundationEssentials
import Model
import Storage
import Sync
import SystemSupport

/// How another device's library compares with this one.
package struct SyncComparison: Sendable {
  /// The result.
  package enum Result: String, Sendable {
    /// Both know the same changes and contain the same.
    case same
    /// Both know the same changes, and contain different records.
    case different
    /// The device does not know the same changes, or has not published its state since.
    case unknown
  }

  /// The device.
  package var device: String
  /// The result.
  package var result: Result
  /// The records of this library that are different there, or among which one is; at most 20. Records
  /// that only the device has cannot be named.
  package var records: [String] = []
}

/// What a library contains, as checksums that devices publish and compare.
extension Library {
  /// How many records are named of those that differ.
  private static let namedLimit = 20

  /// The checksums of the library at a moment. A group of a checksum is the lowest bits of the hash of a
  /// record's name, so that the groups of fewer checksums are unions of those of more.
  private struct Sums {
    var sums: [UInt64]

    init(_ transaction: ReadTransaction) throws {
      var lines: [(group: UInt64, sum: UInt64)] = []
      try transaction.standingState { line in
        lines.append((Self.group(of: line), Self.hash(line)))
      }
      var count = 32
      while count < 2 * lines.count, count < StateRecord.sumLimit { count *= 2 }
      sums = Array(repeating: 0, count: count)
      for (group, sum) in lines { sums[Int(group % UInt64(count))] ^= sum }
    }

    static func hash(_ text: some StringProtocol) -> UInt64 {
      ContentDigest(sha256: Array(text.utf8)).bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// A line begins with its kind, a tab, the size of the record's name, a colon and that name.
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

  /// How far the devices with files at the target are known; nil while something was not sent, or is known
  /// and not applied.
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

  private func sums() throws(UserError) -> Sums { try storage { try store.read { try Sums($0) } } }

  /// Publishes what this library contains, unless the last published state is the same, and compares it
  /// with what other devices published. O(library) where the state is another one.
  ///
  /// - Returns: the names of the devices that have diverged.
  func publishState(_ session: inout SyncSession) async throws(UserError) -> [String] {
    guard let vector = try stateVector(session), !vector.isEmpty else { return [] }
    let old = session.objects(of: session.replica).filter { $0.file.kind == .state }.map(\.name)
    let mark = ContentDigest(
      sha256: Array(vector.map { "\($0.key) \($0.value)" }.sorted().joined(separator: "\n").utf8)
    ).bytes
    let published = try storage { try store.read { try $0.syncState("state") } }
    guard published != mark || old.count != 1 else { return [] }
    let sums = try sums()
    try await put(StateRecord(vector: vector, sums: sums.sums), insteadOf: old, &session)
    try storage { try store.writeCache { try $0.setSyncState("state", mark) } }
    return try await compare(vector, sums, session).filter { $0.result == .different }
      .map(\.device)
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

  /// Publishes what this library contains and compares it with each other device that is not revoked.
  /// O(library).
  func compareStates(_ session: inout SyncSession) async throws(UserError) -> [SyncComparison] {
    let vector = try stateVector(session) ?? [:]
    let sums = try sums()
    if !vector.isEmpty {
      let old = session.objects(of: session.replica).filter { $0.file.kind == .state }.map(\.name)
      try await put(StateRecord(vector: vector, sums: sums.sums), insteadOf: old, &session)
    }
    return try await compare(vector, sums, session)
  }

  private func compare(_ vector: [ReplicaID: Int64], _ sums: Sums, _ session: SyncSession)
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
        let count = min(state.sums.count, sums.sums.count)
        let own = StateRecord(vector: [:], sums: sums.sums).sums(count: count)
        let groups = zip(own, state.sums(count: count)).enumerated()
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

  /// The names of records of some groups, as a person knows them.
  private func records(in groups: Set<UInt64>, of count: Int) throws(UserError) -> [String] {
    try storage {
      try store.read { transaction in
        var names: [String] = []
        try transaction.standingState { line in
          guard names.count < Self.namedLimit,
            groups.contains(Sums.group(of: line) % UInt64(count))
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
              names.append("document \(document.path)")
            }
          case let kind: names.append(parts.count > 1 ? "\(kind) \(parts[1])" : "\(kind)")
          }
        }
        return names
      }
    }
  }
}
