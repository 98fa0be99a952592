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
    for (name, _) in session.segments(of: session.replica) where known[name.file] == nil {
      guard let segment = try await foreignSegment(name, session) else { continue }
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
        known[$0.name.file] != nil && $0.range.lowerBound >= first
      }.map(\.name) : []
    let secrets = SyncSecrets(device: .random(), vault: session.keys)
    try secrets.write(new, at: location)
    // What the other copy has sent of what this one had not is sent, too.
    var start = sent
    if let fork, isLoser || fork.common.sequence > sent?.sequence ?? 0 { start = fork.common }
    let shared = start
    try storage {
      try store.write { transaction in
        try transaction.require(
          old, sent ?? ReplicaProgress(sequence: 0, chain: []), of: old)
        if let shared { try transaction.setProgress(shared, of: old) }
        try transaction.renewIdentity(as: new, after: shared)
        for name in known.keys { try transaction.setSyncState("own/\(name)", nil) }
        for name in shed { try transaction.setSyncState("shed/\(name.file)", []) }
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

  /// A segment under this device's name that was made with its keys by another copy of it. What only
  /// says so in its name is nobody's, and what this device wrote once is no other's.
  private func foreignSegment(_ name: ObjectName, _ session: SyncSession) async throws(UserError)
    -> OpenedSegment?
  {
    guard let bytes = try await session.get(name),
      let segment = try? SegmentFile.open(
        bytes, named: name, keys: session.keys, signer: session.secrets.device.publicKeys)
    else { return nil }
    let own = try ownOperations(of: segment, session)
    let isSame = segment.content.operations.elementsEqual(own, by: Self.isSame)
    return isSame ? nil : segment
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
        for candidate in try transaction.operations(at: first.time) {
          let (former, last) = (candidate.dot.replica, candidate.dot.sequence - 1)
          guard former != new, former != own else { continue }
          let known = try transaction.operations(of: former, after: last, limit: said.count + 1)
          let renamed = known.map { $0.renamed(former, after: last, to: new) }
          if known.count <= said.count, zip(said, renamed).allSatisfy(Self.isSame) {
            return FormerName(replica: former, last: last, count: known.count)
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
        // What the operations before add up to is not known for each of them.
        try transaction.setProgress(
          ReplicaProgress(sequence: former.last, chain: []), of: former.replica)
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
