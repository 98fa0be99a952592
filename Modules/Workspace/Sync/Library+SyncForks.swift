import Files
import FoundationEssentials
import Model
import Storage
import Sync
import SystemSupport

/// Two copies of one device, such as a disk that was cloned or a backup that was restored: each notices
/// the other by what it put, and goes on under a name of its own.
extension Library {
  /// How far the history of another copy of this device is the same as this one's.
  private struct Fork {
    /// What both say.
    var common: ReplicaProgress
    /// Whether both sent something after that, and what the other copy sent keeps the name of both. Both
    /// copies come to the same answer.
    var isLost = false
    /// Whether they part there; what follows in the same history is longer only.
    var isEnd = false
  }

  /// Notices that a copy of this copy of the library goes on under its name, and goes on under a new
  /// one itself. Where both have sent something since they parted, one of them sends that again under its
  /// new name, so that nothing of either is lost.
  func heal(_ session: inout SyncSession, _ report: inout SyncReport) async throws(UserError)
    -> Bool
  {
    let known = try storage { try store.read { try $0.syncStates(withPrefix: "own/") } }
    let sent = try storage { try store.read { try $0.progress() } }[session.replica]
    var isForeign = false
    var fork: Fork?
    // What the other copy has sent of what this one has, too.
    var same = sent
    let listed = session.segments(of: session.replica)
    let whole = Self.end(of: listed.map(\.range))
    for (name, range) in listed where known[name.file] == nil {
      guard let (segment, isSame) = try await copiedSegment(name, session) else { continue }
      let reach = same?.sequence ?? 0
      if isSame {
        if range.lowerBound <= reach + 1, range.upperBound > reach {
          same = ReplicaProgress(sequence: range.upperBound, chain: segment.after.bytes)
        }
        continue
      }
      // What is before it has not arrived: how far both are the same is not known.
      if range.lowerBound > whole, range.lowerBound > reach + 1 { continue }
      isForeign = true
      guard fork?.isEnd != true,
        let found = try common(in: segment, sent?.sequence ?? 0, session)
      else { continue }
      fork = found
    }
    guard isForeign else { return false }
    let old = session.replica
    let new = ReplicaID.random()
    // What only this copy sent under the old name, and sends again under the new one.
    let isLoser = fork?.isLost ?? false
    let first = (fork?.common.sequence ?? 0) + 1
    let shed =
      isLoser
      ? session.segments(of: old).filter {
        known[$0.name.file] != nil && $0.range.upperBound >= first
      }.map(\.name) + session.snapshots(of: old).filter { known[$0.file] != nil } : []
    // Where a segment begins with what both say, that stays.
    for name in shed {
      if let part = try await beginning(of: name, before: first, session) {
        try await session.put([part])
        session.listing[part.name] = part.bytes.count
      }
    }
    let secrets = SyncSecrets(device: .random(), vault: session.keys)
    try secrets.write(new, at: location)
    // What the other copy has sent of what this one had not is sent, too.
    var start = same
    if let fork, isLoser || fork.common.sequence > same?.sequence ?? 0 { start = fork.common }
    let shared = start
    try storage {
      try store.write { transaction in
        try transaction.require(
          old, sent ?? ReplicaProgress(sequence: 0, chain: []), of: old)
        if let shared { try transaction.setProgress(shared, of: old) }
        try transaction.renewIdentity(as: new, after: shared)
        for name in known.keys { try transaction.setSyncState("own/\(name)", nil) }
        for name in shed { try transaction.setSyncState("shed/\(name.file)", []) }
        if isLoser {
          try Self.markFork(of: old, after: first - 1, to: new, in: transaction)
        }
      }
    }
    try SyncSecrets.remove(old, at: location)
    session.replica = new
    session.secrets = secrets
    for name in shed { session.listing[name] = nil }
    // Others read them no more once they are gone; that they stay for a while does no harm here.
    if !shed.isEmpty { try? await session.connection.delete(shed) }
    report.notices.append(
      "this library was copied, or restored from a backup: it is a new device now"
        + (isLoser ? ", and sends again what the other copy did not have" : ""))
    return true
  }

  /// The operations of an own segment before one of them, as a segment; nil where there are none.
  private func beginning(of name: ObjectName, before first: Int64, _ session: SyncSession)
    async throws(UserError) -> TransportObject?
  {
    guard case .segment(let range)? = name.syncFile?.kind, range.lowerBound < first,
      let bytes = try await session.get(name),
      let segment = try? SegmentFile.open(
        bytes, named: name, keys: session.keys, signer: session.secrets.device.publicKeys),
      let sealed = try? SegmentFile.seal(
        SegmentContent(
          operations: segment.content.operations.filter { $0.dot.sequence < first },
          texts: segment.content.texts),
        vault: session.vault, after: segment.before, keys: session.keys,
        device: session.secrets.device)
    else { return nil }
    return TransportObject(sealed.object, sealed.bytes)
  }

  /// A segment under this device's name that was made with its keys by another copy of it. What only
  /// says so in its name is nobody's, and what this device wrote once is no other's.
  ///
  /// - Returns: the segment, and whether it says what this copy has itself.
  private func copiedSegment(_ name: ObjectName, _ session: SyncSession) async throws(UserError)
    -> (segment: OpenedSegment, isSame: Bool)?
  {
    guard let bytes = try await session.get(name),
      let segment = try? SegmentFile.open(
        bytes, named: name, keys: session.keys, signer: session.secrets.device.publicKeys)
    else { return nil }
    let own = try ownOperations(of: segment, session)
    return (segment, segment.content.operations.elementsEqual(own, by: Self.isSame))
  }

  private func ownOperations(of segment: OpenedSegment, _ session: SyncSession)
    throws(UserError) -> [Operation]
  {
    let range = segment.header.sequences
    return try storage {
      try store.read {
        try $0.operations(of: session.replica, after: range.lowerBound - 1, limit: range.count)
      }
    }
  }

  /// What a record said is forgotten when it is removed for good.
  private static func isSame(_ said: Operation, _ here: Operation) -> Bool {
    said.dot == here.dot && said.time == here.time && said.record == here.record
      && said.field == here.field
  }

  /// How far a segment of another copy says what this one says; nil where this one says nothing there.
  private func common(in segment: OpenedSegment, _ sent: Int64, _ session: SyncSession)
    throws(UserError) -> Fork?
  {
    let said = segment.content.operations
    let own = try ownOperations(of: segment, session)
    guard !own.isEmpty else { return nil }
    let same = zip(said, own).prefix { Self.isSame($0, $1) }.count
    var fork = Fork(
      common: ReplicaProgress(
        sequence: segment.header.sequences.lowerBound - 1 + Int64(same),
        chain: segment.before.adding(said.prefix(same)).bytes))
    guard same < said.count, same < own.count else { return fork }
    fork.isEnd = true
    fork.isLost = own[same].dot.sequence <= sent && !Self.precedes(own[same], said[same])
    return fork
  }

  /// The order of two operations of one number, of which one history keeps the name: the same wherever
  /// it is asked for.
  private static func precedes(_ a: Operation, _ b: Operation) -> Bool {
    (a.time, a.field.rawValue, "\(a.record)") < (b.time, b.field.rawValue, "\(b.record)")
  }

  /// What a new device says, as it is known here under the name of another.
  struct FormerName {
    var replica: ReplicaID
    /// The last operation under that name before those that the new device says.
    var last: Int64
    /// How many of these are known.
    var count: Int
  }

  /// Finds what a new device says to be what is known here under another name: of two copies of one
  /// device that both sent, one says again under a new name what it had sent. O(operations).
  ///
  /// - Returns: nil for any other device.
  func formerName(of segment: OpenedSegment) throws(UserError) -> FormerName? {
    let said = segment.content.operations
    guard let first = said.first, first.dot.sequence == 1 else { return nil }
    let (new, own) = (first.dot.replica, try ownReplica())
    return try storage {
      try store.read { transaction in
        let looked = try transaction.syncState(Self.lookedName(new))
        if try looked == Self.known(before: said, in: transaction) { return nil }
        let progress = try transaction.progress()
        // Of what came in a snapshot, only what still holds is on record: perhaps not the first.
        for operation in said.prefix(Self.formerLimit) {
          for candidate in try transaction.operations(at: operation.time) {
            let former = candidate.dot.replica
            let last = candidate.dot.sequence - operation.dot.sequence
            guard former != new, former != own, last >= 0, let reach = progress[former] else {
              continue
            }
            let known = try transaction.operations(of: former, after: last, limit: said.count + 1)
            let renamed = known.map { $0.renamed(former, after: last, to: new) }
            let count = Int(clamping: max(0, reach.sequence - last))
            guard count <= said.count,
              renamed.allSatisfy({ Self.isSame(said[Int($0.dot.sequence) - 1], $0) }),
              known.filter({ $0.dot.sequence > reach.floor }).count
                == max(0, Int(clamping: reach.sequence - max(last, reach.floor)))
            else { continue }
            return FormerName(replica: former, last: last, count: count)
          }
        }
        return nil
      }
    }
  }

  /// Remembers that a new device has no former name by what is known here, so that it is not looked for
  /// again while the device is held and nothing else comes.
  func noteNoFormerName(of segment: OpenedSegment) throws(UserError) {
    let said = segment.content.operations
    guard let first = said.first else { return }
    try storage {
      let known = try store.read { try Self.known(before: said, in: $0) }
      try store.writeCache {
        try $0.setSyncState(Self.lookedName(first.dot.replica), known)
      }
    }
  }

  private static func lookedName(_ replica: ReplicaID) -> String { "former/\(replica)" }

  /// How many operations of a new device are looked for under another name.
  private static let formerLimit = 16

  /// What a search for a former name depends on: what the new device says, and how far the others are
  /// known.
  private static func known(before said: [Operation], in transaction: ReadTransaction) throws
    -> [UInt8]
  {
    let own = try transaction.replica()
    let others = try transaction.progress().filter { $0.key != own }
      .map { "\($0.key) \($0.value.sequence)" }.sorted()
    let line = "\(said.first?.time.packed ?? 0) \(said.count) " + others.joined(separator: " ")
    return ContentDigest(sha256: Array(line.utf8)).bytes
  }

  /// Whether operations of a segment are those that are on record here. Their chain hash is another one
  /// where a copy of their device had removed a record for good, and forgot what it said, before it sent
  /// them.
  func isKnown(_ said: [Operation]) throws(UserError) -> Bool {
    guard let first = said.first?.dot else { return false }
    return try storage {
      try store.read { transaction in
        let here = try transaction.operations(
          of: first.replica, after: first.sequence - 1, limit: said.count)
        return here.elementsEqual(said, by: Self.isSame)
      }
    }
  }

  /// Under names that begin so is kept which part of a replica's history has another name, and which.
  private static let forkPrefix = "forked/"

  /// The part of a replica's history that one copy of it said, and says again under another name.
  struct RenamedPart: Codable {
    /// The last operation before that part.
    var last: Int64
    /// The other name.
    var new: String
  }

  private static func markFork(
    of old: ReplicaID, after last: Int64, to new: ReplicaID, in transaction: WriteTransaction
  ) throws {
    try transaction.setSyncState(
      forkPrefix + "\(old)",
      Array(try JSONEncoder.ordered().encode(RenamedPart(last: last, new: "\(new)"))))
  }

  /// The parts of histories that have another name now, by replica.
  static func renamedParts(_ transaction: ReadTransaction) throws -> [ReplicaID: RenamedPart] {
    var parts: [ReplicaID: RenamedPart] = [:]
    for (name, bytes) in try transaction.syncStates(withPrefix: forkPrefix) {
      guard let replica = ReplicaID(name) else { continue }
      parts[replica] = try? JSONDecoder().decode(RenamedPart.self, from: Data(bytes))
    }
    return parts
  }

  /// How far a snapshot says what is known here under the same names: where its writer did not know that
  /// a part of a history has another name, not beyond the part before.
  static func common(_ vector: [ReplicaID: Int64], _ parts: [ReplicaID: RenamedPart])
    -> [ReplicaID: Int64]
  {
    var common = vector
    for (replica, part) in parts {
      guard let reach = vector[replica], let new = ReplicaID(part.new), vector[new] == nil else {
        continue
      }
      common[replica] = min(reach, part.last)
    }
    return common
  }

  /// A replica of which a snapshot says another history than the one that is known here; nil for none.
  ///
  /// - Parameter said: operations in the snapshot that are known here by their names.
  static func contradiction(in said: [Operation], _ transaction: ReadTransaction) throws
    -> ReplicaID?
  {
    let progress = try transaction.progress()
    for (replica, operations) in Dictionary(grouping: said, by: \.dot.replica) {
      guard let known = progress[replica] else { continue }
      // Histories part near their ends.
      let last = operations.filter { $0.dot.sequence > known.floor }
        .sorted { $0.dot.sequence > $1.dot.sequence }.prefix(contradictionLimit)
      for operation in last {
        let here = try transaction.operations(
          of: replica, after: operation.dot.sequence - 1, limit: 1
        ).first
        if let here, here.dot == operation.dot, !isSame(operation, here) { return replica }
      }
    }
    return nil
  }

  /// How many of a replica's operations are compared with a snapshot's.
  private static let contradictionLimit = 1_000

  /// Under names that begin so are kept this device's operations that are to be taken back.
  private static let takeBackPrefix = "take-back/"

  /// Gives what is known here under the former name of a new device the new one, and says again of the
  /// new names what this device said of the old ones.
  ///
  /// - Returns: how far the new device is known then.
  func takeNewName(in segment: OpenedSegment, _ former: FormerName, _ session: SyncSession)
    throws(UserError) -> ReplicaProgress
  {
    let known = Array(segment.content.operations.prefix(former.count))
    let (new, count) = (segment.header.replica, Int64(known.count))
    let progress = ReplicaProgress(
      sequence: count, chain: segment.before.adding(known).bytes)
    return try storage {
      try store.write { transaction in
        try transaction.require(session.replica)
        // No person did it, so there is nothing for undo.
        transaction.journal(JournalStep(nil))
        let mistaken = try transaction.follow(
          former.replica, after: former.last, to: new, saying: known)
        for operation in mistaken {
          try transaction.setSyncState(
            Self.takeBackPrefix + "\(operation.dot)",
            Array(try JSONEncoder.ordered().encode(operation)))
        }
        try Self.markFork(of: former.replica, after: former.last, to: new, in: transaction)
        // A snapshot of this device says the old names.
        if !session.snapshots(of: session.replica).isEmpty {
          try transaction.setSyncState("resum", [])
        }
        // What the operations before add up to is not known for each of them.
        try transaction.setProgress(
          ReplicaProgress(
            sequence: former.last, chain: [],
            floor: min(former.last, transaction.progress()[former.replica]?.floor ?? 0)),
          of: former.replica)
        try transaction.setProgress(progress, of: new)
        return progress
      }
    }
  }

  /// Takes back what this device said of records of a copy under the names that are those of the other
  /// copy's records, once these are known.
  func takeBackMistaken(_ session: SyncSession) throws(UserError) {
    let stored = try storage {
      try store.read { try $0.syncStates(withPrefix: Self.takeBackPrefix) }
    }
    guard !stored.isEmpty else { return }
    try storage {
      try store.write { transaction in
        try transaction.require(session.replica)
        transaction.journal(JournalStep(nil))
        let progress = try transaction.progress()
        for (name, bytes) in stored.sorted(by: { $0.key < $1.key }) {
          if let operation = try? JSONDecoder().decode(Operation.self, from: Data(bytes)) {
            let record = operation.record.dot
            guard record.sequence <= progress[record.replica]?.sequence ?? 0 else { continue }
            try transaction.takeBack(operation)
          }
          try transaction.setSyncState(Self.takeBackPrefix + name, nil)
        }
      }
    }
  }
}
