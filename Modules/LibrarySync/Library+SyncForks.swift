import Files
import FoundationEssentials
import Model
import Storage
import Sync
import SystemSupport
import Workspace

/// Prevents and resolves forks: two copies of a library that write as the same device.
///
/// A library whose folder was copied usually detects this before its first change, and gets a new
/// name when it syncs. Otherwise, for example if a disk was cloned or a backup restored, each copy
/// finds the objects that the other one uploaded, and continues under a new name.
extension Library {
  /// The result of comparing the history of another copy of this device with the local history.
  private struct Fork {
    /// The progress up to the last operation that both histories share.
    var common: ReplicaProgress
    /// Whether both copies sent operations after `common`, and this copy must reissue its own. The
    /// other copy's operations then keep the old name. Both copies compute the same result.
    var isLost = false
    /// Whether the histories differ after `common`. If false, one of them only continues the other.
    var isEnd = false
  }

  /// Returns whether this library was copied and still has the name of the other copy.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be written.
  func noticeCopy() throws(UserError) -> Bool {
    // The first write transaction of a process compares the place of the library with the stored
    // one.
    try storage { try store.write { try $0.lastCopiedSequence() != nil } }
  }

  /// Detects another copy of this library that uploads under the same name, and continues under a
  /// new name.
  ///
  /// If both copies have sent operations since they separated, one of them reissues its operations
  /// under its new name, so that no operation is lost.
  ///
  /// - Returns: whether another copy was detected.
  /// - Throws: `damaged` or `conflict` if the library cannot be read or written; the error of the
  ///   transport if the target fails.
  func resolveForks(_ session: inout SyncSession, _ report: inout SyncReport)
    async throws(UserError)
    -> Bool
  {
    try declareRenamed()
    var isForeign = try noticeCopy()
    let (known, sent, named) = try storage {
      try store.read { transaction in
        try (
          transaction.syncStates(withPrefix: "own/"), transaction.progress()[session.replica],
          transaction.namedProgress()
        )
      }
    }
    var fork: Fork?
    // The progress up to the last operation that both copies have, counting only operations that
    // one of them has sent or can still send.
    var same = named
    let listed = isForeign ? [] : session.segments(of: session.replica)
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
      // An earlier segment has not arrived, so the end of the shared history is unknown.
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
    // The segments and snapshots that only this copy sent under the old name. It will send their
    // operations again under the new one.
    let isLoser = fork?.isLost ?? false
    let first = (fork?.common.sequence ?? 0) + 1
    let superseded =
      isLoser
      ? session.segments(of: old).filter {
        known[$0.name.file] != nil && $0.range.upperBound >= first
      }.map(\.name) + session.snapshots(of: old).filter { known[$0.file] != nil } : []
    // If a segment begins with shared operations, these keep the old name.
    for name in superseded {
      if let part = try await beginning(of: name, before: first, session) {
        try await session.put([part])
        session.listing[part.name] = part.bytes.count
      }
    }
    let secrets = SyncSecrets(device: .random(), vault: session.keys)
    try secrets.write(new, at: location)
    // Operations of this copy count as sent if the other copy has sent them.
    var start = same
    if let fork, isLoser || fork.common.sequence > same?.sequence ?? 0 { start = fork.common }
    let shared = start
    let renamed =
      isLoser
      ? RenamedHistory(
        last: first - 1, hashes: try await hashes(of: superseded, after: first - 1, session)) : nil
    try storage {
      try store.write { transaction in
        try transaction.require(
          old, sent ?? ReplicaProgress(sequence: 0, chain: []), of: old)
        if let shared { try transaction.setProgress(shared, of: old) }
        try transaction.renewIdentity(as: new, after: shared)
        for name in known.keys { try transaction.setSyncState("own/\(name)", nil) }
        for name in superseded { try transaction.setSyncState("shed/\(name.file)", []) }
        if isLoser {
          try Self.markFork(of: old, after: first - 1, to: new, in: transaction)
        }
        if let renamed {
          try transaction.setSyncState(
            Self.undeclaredPrefix + PropertyName.renamed(old, as: new).rawValue,
            Array(try JSONEncoder.ordered().encode(renamed)))
        }
      }
    }
    try declareRenamed()
    // The keys of the old name stay: the other copy may be on this machine.
    session.replica = new
    session.secrets = secrets
    for name in superseded { session.listing[name] = nil }
    // Other devices stop reading these objects once they are deleted. On this device, the stored
    // marks `shed/…` exclude them, so a failure to delete them does no harm.
    if !superseded.isEmpty { try? await session.connection.delete(superseded) }
    report.notices.append(
      "this library was copied, or restored from a backup: it is a new device now"
        + (isLoser ? ", and sends the changes again that the other copy did not have" : ""))
    return true
  }

  /// The maximum number of hashes in a renamed part.
  private static let hashLimit = 4_096
  /// The prefix of the keys under which renamed parts are stored until they are operations.
  private static let undeclaredPrefix = "undeclared/"

  /// Returns the chain hash at each operation of segments after `last`, in order: its first 8
  /// bytes, in hexadecimal digits. The text is empty if the operation cannot be read.
  private func hashes(of names: [ObjectName], after last: Int64, _ session: SyncSession)
    async throws(UserError) -> [String]
  {
    var found: [Int64: String] = [:]
    for name in names {
      guard case .segment? = name.syncFile?.kind, let bytes = try await session.get(name),
        let segment = try? SegmentFile.open(
          bytes, named: name, keys: session.keys, signer: session.secrets.device.publicKeys)
      else { continue }
      var chain = segment.before
      for operation in segment.content.operations {
        chain = chain.adding(operation)
        let place = operation.dot.sequence - last
        if place > 0, place <= Self.hashLimit {
          found[place] = hexadecimal(chain.bytes.prefix(8))
        }
      }
    }
    return (1...Int64(max(1, found.count))).map { found[$0] ?? "" }
  }

  /// Stores the parts of histories that this copy reissued, as properties of the library. Other
  /// devices receive these properties.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be written.
  private func declareRenamed() throws(UserError) {
    let undeclared = try storage {
      try store.read { try $0.syncStates(withPrefix: Self.undeclaredPrefix) }
    }
    guard !undeclared.isEmpty else { return }
    try storage {
      try store.write { transaction in
        // This is not a user action, so there is nothing to undo.
        transaction.journal(JournalStep(nil))
        for (name, bytes) in undeclared {
          _ = try transaction.setProperty(
            PropertyName(rawValue: name), String(decoding: bytes, as: UTF8.self), of: .library)
          try transaction.setSyncState(Self.undeclaredPrefix + name, nil)
        }
      }
    }
  }

  /// Renames operations that this device received before their author reissued them under a new
  /// name. The author's declaration contains the chain hashes of the old history, so this does not
  /// depend on which of its operations are still stored in this library.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read or written.
  func followRenamed(_ session: SyncSession, _ outcome: inout PullOutcome) throws(UserError) {
    let (properties, progress) = try storage {
      try store.read { try ($0.properties(), $0.progress()) }
    }
    for (name, value) in properties.sorted(by: { $0.key < $1.key }) {
      guard let (old, new) = name.renamed, ![old, new].contains(session.replica),
        let history = try? JSONDecoder().decode(RenamedHistory.self, from: Data(value.utf8)),
        let known = progress[old], !known.chain.isEmpty, known.sequence > history.last,
        known.sequence - history.last <= history.hashes.count,
        history.hashes[Int(known.sequence - history.last) - 1]
          == hexadecimal(known.chain.prefix(8))
      else { continue }
      try storage {
        try store.write { transaction in
          try transaction.require(session.replica, known, of: old)
          let received = try transaction.operations(of: new, after: 0, limit: .max)
          try Self.follow(
            old, after: history.last, to: new, replacedBy: received, session, transaction)
        }
      }
      outcome.renamed.insert(old)
    }
  }

  /// Returns a new segment with the operations of the segment `name` before `first`. Nil if the
  /// segment has no such operations or cannot be read.
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

  /// Opens a segment under this device's name that this copy has not uploaded; nil if it cannot be
  /// read or was not signed with this device's keys. Without a valid signature, a name does not
  /// prove that there is another copy.
  ///
  /// - Returns: the segment, and whether this copy has the same operations.
  private func copiedSegment(_ name: ObjectName, _ session: SyncSession) async throws(UserError)
    -> (segment: OpenedSegment, isSame: Bool)?
  {
    guard let bytes = try await session.get(name),
      let segment = try? SegmentFile.open(
        bytes, named: name, keys: session.keys, signer: session.secrets.device.publicKeys)
    else { return nil }
    let stored = try ownOperations(of: segment, session)
    return (segment, segment.content.operations.elementsEqual(stored, by: Self.isSame))
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

  /// Returns whether two operations are equal, except for the values of a permanently removed
  /// record, which are deleted.
  static func isSame(_ received: Operation, _ here: Operation) -> Bool {
    received.dot == here.dot && received.time == here.time && received.record == here.record
      && received.field == here.field
      && (received.value == here.value || received.value == .none || here.value == .none)
  }

  /// Compares a segment of another copy with the local operations of the same sequence numbers; nil
  /// if this copy has no operations with these numbers.
  private func common(in segment: OpenedSegment, _ sent: Int64, _ session: SyncSession)
    throws(UserError) -> Fork?
  {
    let received = segment.content.operations
    let stored = try ownOperations(of: segment, session)
    guard !stored.isEmpty else { return nil }
    let equal = zip(received, stored).prefix { Self.isSame($0, $1) }.count
    let same = Self.shared(equal, in: received, stored)
    var fork = Fork(
      common: ReplicaProgress(
        sequence: segment.header.sequences.lowerBound - 1 + Int64(same),
        chain: segment.before.adding(received.prefix(same)).bytes))
    guard equal < received.count, equal < stored.count else { return fork }
    fork.isEnd = true
    fork.isLost =
      stored[same].dot.sequence <= sent && !Self.precedes(stored[equal], received[equal])
    return fork
  }

  /// Returns how many of the equal operations at the start of two histories were made before the
  /// copies separated.
  ///
  /// Copies that each create a record in the same millisecond begin with equal operations. If the
  /// histories then differ in that record and that millisecond, each copy has created a separate
  /// record.
  private static func shared(_ equal: Int, in received: [Operation], _ stored: [Operation]) -> Int {
    guard equal < received.count, equal < stored.count,
      received[equal].record == stored[equal].record,
      let birth = stored[..<equal].lastIndex(where: { $0.field == .created }),
      stored[birth].record == stored[equal].record,
      [stored[equal], received[equal]].allSatisfy({
        $0.time.milliseconds == stored[birth].time.milliseconds
      })
    else { return equal }
    return birth
  }

  /// Returns whether `a` precedes `b`, two different operations with the same dot. The history with
  /// the preceding operation keeps the name. All devices compute the same order.
  private static func precedes(_ a: Operation, _ b: Operation) -> Bool {
    (a.time, a.field.rawValue, "\(a.record) \(a.value)")
      < (b.time, b.field.rawValue, "\(b.record) \(b.value)")
  }

  /// The former name of operations that are known on this device and that a new device has
  /// reissued.
  struct FormerName {
    var replica: ReplicaID
    /// The sequence number of the last operation before the reissued ones.
    var last: Int64
    /// The number of the reissued operations that are known on this device.
    var count: Int
  }

  /// Returns the former name of a new device whose operations are already known on this device; nil
  /// if they are new. This happens if two copies of a device both sent operations, and one copy
  /// reissued its own under a new name. O(operations).
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  func formerName(of segment: OpenedSegment) throws(UserError) -> FormerName? {
    let received = segment.content.operations
    guard let first = received.first, first.dot.sequence == 1 else { return nil }
    let (new, current) = (first.dot.replica, try ownReplica())
    return try storage {
      try store.read { transaction in
        let stored = try transaction.syncState(Self.formerStateName(new))
        if try stored == Self.known(before: received, in: transaction) { return nil }
        let progress = try transaction.progress()
        // After a snapshot, only the current operations are stored, so the first one may be
        // missing.
        let beginning = received.prefix(Self.formerLimit)
        let atSameTimes = Dictionary(
          grouping: try transaction.operations(at: Set(beginning.map(\.time))), by: \.time)
        for operation in beginning {
          for candidate in atSameTimes[operation.time] ?? [] {
            let former = candidate.dot.replica
            let last = candidate.dot.sequence - operation.dot.sequence
            guard former != new, former != current, last >= 0, let reach = progress[former] else {
              continue
            }
            let known = try transaction.operations(
              of: former, after: last, limit: received.count + 1)
            let renamed = known.map { $0.renamed(former, after: last, to: new) }
            let count = Int(clamping: max(0, reach.sequence - last))
            guard count <= received.count,
              renamed.allSatisfy({ Self.isSame(received[Int($0.dot.sequence) - 1], $0) }),
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

  /// Stores that the search for a former name found nothing, with a hash of its inputs. Until the
  /// inputs change, the search is not repeated, even while the device's operations are held.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be written.
  func noteNoFormerName(of segment: OpenedSegment) throws(UserError) {
    let received = segment.content.operations
    guard let first = received.first else { return }
    try storage {
      let known = try store.read { try Self.known(before: received, in: $0) }
      try store.writeCache {
        try $0.setSyncState(Self.formerStateName(first.dot.replica), known)
      }
    }
  }

  private static func formerStateName(_ replica: ReplicaID) -> String { "former/\(replica)" }

  /// The maximum number of a new device's operations whose times are searched for.
  private static let formerLimit = 16

  /// Returns a hash of the inputs of the search for a former name: the new device's operations and
  /// the progress of the other devices.
  private static func known(before received: [Operation], in transaction: ReadTransaction) throws
    -> [UInt8]
  {
    let ownReplica = try transaction.replica()
    let others = try transaction.progress().filter { $0.key != ownReplica }
      .map { "\($0.key) \($0.value.sequence)" }.sorted()
    let line =
      "\(received.first?.time.packed ?? 0) \(received.count) " + others.joined(separator: " ")
    return ContentDigest(sha256: Array(line.utf8)).bytes
  }

  /// Returns whether the operations of a segment are stored in this library. Their chain hash can
  /// still differ: if a copy of the device removed a record permanently before it sent the
  /// operations, their values were deleted.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  func isKnown(_ received: [Operation]) throws(UserError) -> Bool {
    guard let first = received.first?.dot else { return false }
    return try storage {
      try store.read { transaction in
        let here = try transaction.operations(
          of: first.replica, after: first.sequence - 1, limit: received.count)
        return here.elementsEqual(received, by: Self.isSame)
      }
    }
  }

  /// The prefix of the keys under which renamed parts of histories are stored, by replica.
  private static let forkPrefix = "forked/"

  /// A part of a replica's history that one of its copies sent and then reissued under another
  /// name.
  struct RenamedPart: Codable {
    /// The sequence number of the last operation before that part.
    var last: Int64
    /// The new name of the part's operations.
    var new: String
  }

  private static func markFork(
    of old: ReplicaID, after last: Int64, to new: ReplicaID, in transaction: WriteTransaction
  ) throws {
    try transaction.setSyncState(
      forkPrefix + "\(old)",
      Array(try JSONEncoder.ordered().encode(RenamedPart(last: last, new: "\(new)"))))
  }

  /// Returns the renamed parts of histories, by their former replica.
  ///
  /// - Throws: `StoreError` if the library cannot be read.
  static func renamedParts(_ transaction: ReadTransaction) throws -> [ReplicaID: RenamedPart] {
    var parts: [ReplicaID: RenamedPart] = [:]
    for (name, bytes) in try transaction.syncStates(withPrefix: forkPrefix) {
      guard let replica = ReplicaID(name) else { continue }
      parts[replica] = try? JSONDecoder().decode(RenamedPart.self, from: Data(bytes))
    }
    return parts
  }

  /// Returns the progress of a snapshot, limited to operations that have the same name in this
  /// library. If the writer of the snapshot did not know that a part of a history was renamed, the
  /// progress of that replica ends before the part.
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

  /// Returns a replica whose history in a snapshot differs from the local one; nil if there is
  /// none.
  ///
  /// - Parameter received: the last operations of each replica in the snapshot that are stored in
  ///   this library.
  /// - Throws: `StoreError` if the library cannot be read.
  static func contradiction(in received: [ReplicaID: [Operation]], _ transaction: ReadTransaction)
    throws
    -> ReplicaID?
  {
    for (replica, operations) in received {
      let last = operations.sorted { $0.dot.sequence > $1.dot.sequence }
      for operation in last.prefix(contradictionLimit) {
        let here = try transaction.operations(
          of: replica, after: operation.dot.sequence - 1, limit: 1
        ).first
        if let here, here.dot == operation.dot, !isSame(operation, here) { return replica }
      }
    }
    return nil
  }

  /// Adds an operation to those of its replica to compare. Histories usually separate near their
  /// ends, so only the last operations are kept.
  static func keepLast(_ operation: Operation, in operations: inout [Operation]) {
    operations.append(operation)
    guard operations.count >= 2 * contradictionLimit else { return }
    operations.sort { $0.dot.sequence > $1.dot.sequence }
    operations.removeSubrange(contradictionLimit...)
  }

  /// The maximum number of operations of a replica that are compared with those in a snapshot.
  private static let contradictionLimit = 1_000

  /// The prefix of the keys under which this device's operations to revert are stored.
  private static let takeBackPrefix = "take-back/"

  /// Renames operations that are known under a former name to the name of a new device. This
  /// device's own operations on the renamed records are repeated under the new names.
  ///
  /// - Returns: the progress of the new device.
  /// - Throws: `damaged` or `conflict` if the library cannot be written; `changedDuringSync` if
  ///   this copy has another identity.
  func adoptNewName(in segment: OpenedSegment, _ former: FormerName, _ session: SyncSession)
    throws(UserError) -> ReplicaProgress
  {
    let known = Array(segment.content.operations.prefix(former.count))
    let (new, count) = (segment.header.replica, Int64(known.count))
    let progress = ReplicaProgress(
      sequence: count, chain: segment.before.adding(known).bytes)
    return try storage {
      try store.write { transaction in
        try transaction.require(session.replica)
        try Self.follow(
          former.replica, after: former.last, to: new, replacedBy: known, session, transaction)
        try transaction.setProgress(progress, of: new)
        return progress
      }
    }
  }

  /// Renames the operations of `old` after `last`. The operations in `received` are already known
  /// under the new name.
  ///
  /// - Throws: `StoreError` if the library cannot be written.
  private static func follow(
    _ old: ReplicaID, after last: Int64, to new: ReplicaID, replacedBy received: [Operation],
    _ session: SyncSession, _ transaction: WriteTransaction
  ) throws {
    // This is not a user action, so there is nothing to undo.
    transaction.journal(JournalStep(nil))
    for operation in try deferredOperations(transaction)
    where operation.dot.replica == old && operation.dot.sequence > last {
      try removeDeferred(operation, in: transaction)
    }
    let mistaken = try transaction.follow(old, after: last, to: new, replacedBy: received)
    for operation in mistaken {
      try transaction.setSyncState(
        takeBackPrefix + "\(operation.dot)", Array(try JSONEncoder.ordered().encode(operation)))
    }
    try markFork(of: old, after: last, to: new, in: transaction)
    // A snapshot of this device contains the old names, so it must be written again.
    if !session.snapshots(of: session.replica).isEmpty {
      try transaction.setSyncState("resum", [])
    }
    // The chain hash of the last operation that keeps its name is unknown.
    try transaction.setProgress(
      ReplicaProgress(
        sequence: last, chain: [], floor: min(last, transaction.progress()[old]?.floor ?? 0)),
      of: old)
  }

  /// Reverts this device's operations on a renamed record, because the old name now refers to a
  /// record of the other copy. An operation is reverted only once that record is known.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be written.
  func revertMistaken(_ session: SyncSession) throws(UserError) {
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
            try transaction.revert(operation)
          }
          try transaction.setSyncState(Self.takeBackPrefix + name, nil)
        }
      }
    }
  }
}
