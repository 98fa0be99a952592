import Files
import FoundationEssentials
package import Model
package import Storage
import Sync
package import SystemSupport
package import Workspace

extension SyncFileName {
  /// The range of the writer's operations that the object contains, or that a snapshot summarises;
  /// nil for objects without operations.
  var ownOperations: ClosedRange<Int64>? {
    switch kind {
    case .segment(let range): range
    case .snapshot(let last) where last > 0: 1...last
    default: nil
    }
  }
}

extension Library {
  /// Sends the local operations and applies those of other devices.
  ///
  /// Local operations are durable before the sync and never lost by it. Received operations are
  /// applied one segment at a time, so an interrupted sync keeps the segments that were applied.
  ///
  /// - Returns: the report of the sync.
  /// - Throws: `nothing` if the library is not synced; `conflict` if the target cannot be reached,
  ///   belongs to another library or was emptied; ``UserError/syncIsRunning``.
  package func sync(_ options: SyncOptions = SyncOptions()) async throws(UserError)
    -> SyncReport
  {
    _ = try requireSyncPlace()
    let lock = try await lockSync(within: options.lockTimeout)
    defer { lock.unlock() }
    return try await sync(options, lock)
  }

  /// Syncs with the lock already acquired.
  ///
  /// - Throws: the errors of `sync(_:)` except those of the lock. The error is also stored for the
  ///   status.
  func sync(_ options: SyncOptions, _ lock: FileLock) async throws(UserError) -> SyncReport {
    let place = try requireSyncPlace()
    do {
      let report = try await exchange(place, options)
      try rememberSync(nil)
      return report
    } catch {
      try? rememberSync(error)
      throw error
    }
  }

  private func exchange(_ place: SyncPlace, _ options: SyncOptions) async throws(UserError)
    -> SyncReport
  {
    var place = place
    if options.upload { try await forgetSent(place) }
    if place.asked != nil { place = try await takeGrant(place) }
    var session = try await openSession(place, isRoutine: options.isRoutine)
    knownListing = nil
    var report = SyncReport()
    try await closing(session.connection) { () async throws(UserError) in
      try await readMembers(&session)
      if try await resolveForks(&session, &report) {
        place = session.place
      } else {
        try await settleRevocations(&session, &report)
      }
      report.passphrase = try notePassphrase(session)
      try await restoreRecords(&session, &report)
      try noteMissing(session, &report)
      let pulled = try await pull(session, options)
      report.received = pulled.merged.count
      report.notices += pulled.notices
      report.held = pulled.held.map { (session.deviceName($0.key), $0.value) }
        .sorted { $0.0 < $1.0 }
      try rememberDevices(session)
      try await noteEvidence()
      // Documents are linked before anything is sent: the other devices then receive a document
      // together with its link, and do not link it themselves.
      try placeReceived(pulled.merged.documents, &report)
      try await findDocuments(&report)
      report.sent = try await push(&session, texts: options.texts, &report)
      try await compact(&session, options, &report)
      if report.received == 0, report.sent == 0 {
        // No other change is in progress, so the devices should have the same state.
        report.notices += try await publishState(&session).map {
          "this library differs from the library of \($0); to find and repair the differences: "
            + "diple sync verify"
        }
      }
      report.conflicts = try storage { try store.read { try $0.noteConflicts().count } }
    }
    knownListing = KnownListing(session)
    return report
  }

  /// Stores the time of a successful sync, or the error of a failed one.
  private func rememberSync(_ problem: UserError?) throws(UserError) {
    let time = Array(String(now().milliseconds).utf8)
    try storage {
      try store.writeCache { transaction in
        try transaction.setSyncState("problem", problem.map { Array($0.message.utf8) })
        if problem == nil { try transaction.setSyncState("last", time) }
      }
    }
  }

  /// Resets the progress of sending if the target has lost some of this device's operations, so
  /// that the sync sends all of them again. Damaged objects of this device are deleted first.
  /// Missing records of any device are uploaded immediately.
  ///
  /// - Throws: `conflict` if the target contains only another library's vault.
  private func forgetSent(_ place: SyncPlace) async throws(UserError) {
    let replica = try ownReplica()
    guard let vault = VaultID(place.vault) else { return }
    let connection = try await connect(place)
    try await closing(connection) { () async throws(UserError) in
      let found: TransportListing
      do throws(TransportError) { found = try await connection.list(since: nil) } catch {
        throw UserError(error)
      }
      let names = found.entries.map(\.name)
      guard names.isEmpty || names.contains(where: { $0.vault == vault }) else {
        throw UserError(
          .conflict, "\(place.address) contains the vault of another library, not of this one",
          hint: "nothing was sent; use a separate place for each library")
      }
      let damaged = try await damagedObjects(
        names.filter { $0.vault == vault && $0.replica == replica }, connection)
      do throws(TransportError) { try await connection.delete(Array(damaged)) } catch {
        throw UserError(error)
      }
      try await forgetSent(
        vault, replica, names.filter { !damaged.contains($0) }, connection)
    }
  }

  /// Returns the objects whose bytes do not have the hash in their name, because they were
  /// changed at the target.
  private func damagedObjects(
    _ names: [ObjectName], _ connection: any TransportConnection
  ) async throws(UserError) -> Set<ObjectName> {
    var damaged: Set<ObjectName> = []
    for name in names {
      guard let file = name.syncFile else { continue }
      do throws(TransportError) {
        guard let bytes = try await connection.get(name, limit: file.sizeLimit) else {
          continue
        }
        if !file.matches(bytes) { damaged.insert(name) }
      } catch {
        // Bytes were added to the file.
        guard error.kind == .tooLarge else { throw UserError(error) }
        damaged.insert(name)
      }
    }
    return damaged
  }

  private func forgetSent(
    _ vault: VaultID, _ replica: ReplicaID, _ names: [ObjectName],
    _ connection: any TransportConnection
  ) async throws(UserError) {
    let start = ChainHash.start(vault: vault, replica: replica)
    // The other devices need the records of members before anything else.
    let lost = try lostRecords(vault, names)
    do throws(TransportError) { try await connection.put(lost) } catch { throw UserError(error) }
    let sent = try storage { try store.read { try $0.progress()[replica] } }
    let there = names.compactMap { name -> ClosedRange<Int64>? in
      guard name.vault == vault, name.replica == replica else { return nil }
      return name.syncFile?.ownOperations
    }
    if Self.end(of: there) >= sent?.sequence ?? 0 { return }
    // If a record was removed permanently since, the values of its operations were deleted. The
    // operations would then produce another chain hash than before, which the other devices would
    // reject. A snapshot is sent instead.
    if let sent, sent.sequence > 0 {
      let operations = try storage {
        try store.read {
          try $0.operations(of: replica, after: 0, limit: Int(clamping: sent.sequence))
        }
      }
      guard start.adding(operations).bytes == sent.chain else {
        return try storage { try store.writeCache { try $0.setSyncState("resum", []) } }
      }
    }
    try storage {
      try store.write { transaction in
        try transaction.require(replica)
        try transaction.setProgress(.start(of: replica, in: vault), of: replica)
      }
    }
  }

  /// Returns the last operation of the gapless sequence that begins with operation 1; 0 if
  /// operation 1 is missing.
  static func end(of ranges: [ClosedRange<Int64>]) -> Int64 {
    ranges.sorted { $0.lowerBound < $1.lowerBound }.reduce(0) { end, range in
      range.lowerBound <= end + 1 ? max(end, range.upperBound) : end
    }
  }

  /// Adds a notice to the report if the target has lost operations of this device.
  private func noteMissing(_ session: SyncSession, _ report: inout SyncReport) throws(UserError) {
    let sent = try storage { try store.read { try $0.progress() } }[session.replica]?.sequence ?? 0
    let end = Self.end(of: session.objects(of: session.replica).compactMap(\.file.ownOperations))
    guard end < sent else { return }
    // The loss is repaired by a snapshot during this sync.
    if try storage({ try store.read { try $0.syncState("resum") } }) != nil { return }
    report.notices.append(
      """
      changes \(end + 1) to \(sent) of this device are missing at the target; to send everything \
      again: diple sync now --upload
      """)
  }

  // MARK: - Status

  private func rememberDevices(_ session: SyncSession) throws(UserError) {
    let known = session.devices.values.sorted { $0.replica < $1.replica }.map { device in
      KnownDevice(
        replica: device.replica.description, name: device.name, created: device.created,
        keys: device.publicKeys.description,
        isRevoked: session.epochs?.revoked[device.replica] != nil, left: device.left)
    }
    try storage {
      let bytes = Array(try JSONEncoder.ordered().encode(known))
      if try store.read({ try $0.syncState("devices") }) != bytes {
        try store.writeCache { try $0.setSyncState("devices", bytes) }
      }
    }
  }

  /// A device as stored after the last sync.
  struct KnownDevice: Codable {
    var replica: String
    var name: String
    var created: Int64
    var keys: String
    var isRevoked: Bool
    /// The time at which it left, in milliseconds since 1970; nil if it has not left.
    var left: Int64?
  }

  /// Returns the devices that were known at the last sync, except those with invalid identifiers.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  func knownDevices() throws(UserError) -> [ReplicaID: KnownDevice] {
    let stored = try storage { try store.read { try $0.syncState("devices") } }
    let known =
      stored.flatMap { try? JSONDecoder().decode([KnownDevice].self, from: Data($0)) } ?? []
    return Dictionary(
      known.compactMap { device in ReplicaID(device.replica).map { ($0, device) } },
      uniquingKeysWith: { $1 })
  }

  /// Returns the devices of the vault as of the last sync, this one first, then by name. A
  /// device that left without changes is omitted if it has joined again under its name.
  ///
  /// - Throws: `nothing` if the library is not synced; `damaged` or `conflict` if the library
  ///   cannot be read.
  package func syncDevices() throws(UserError) -> [SyncDevice] {
    let place = try requireSyncPlace()
    let thisReplica = try ownReplica()
    let held = try heldReasons()
    let names = try knownDevices()
    let (progress, last) = try storage {
      try store.read { try ($0.progress(), $0.lastSequence()) }
    }
    var devices: [SyncDevice] = []
    for id in Set(names.keys).union(progress.keys).union([thisReplica]) {
      let device = names[id]
      devices.append(
        SyncDevice(
          replica: id,
          name: device?.name
            ?? (id == thisReplica ? place.device : "device \(id.description.prefix(8))"),
          isOwn: id == thisReplica, isRevoked: device?.isRevoked ?? false,
          hasLeft: id != thisReplica && device?.left != nil,
          joined: Date(
            timeIntervalSince1970: Double(device?.created ?? (id == thisReplica ? place.since : 0))
              / 1000),
          known: id == thisReplica ? last : progress[id]?.sequence ?? 0, held: held[id]))
    }
    let present = Set(devices.lazy.filter { !$0.hasLeft && !$0.isRevoked }.map(\.name))
    return devices.filter {
      !$0.hasLeft || $0.known > 0 || $0.held != nil || !present.contains($0.name)
    }.sorted {
      ($0.isOwn ? 0 : 1, $0.name, $0.replica) < ($1.isOwn ? 0 : 1, $1.name, $1.replica)
    }
  }

  /// Returns the status of syncing, without connecting to the target.
  ///
  /// - Throws: `nothing` if the library is not synced; `damaged` or `conflict` if the library
  ///   cannot be read.
  package func syncStatus() throws(UserError) -> SyncStatus {
    let place = try requireSyncPlace()
    let thisReplica = try ownReplica()
    let elsewhere = try documents().filter(\.path.isElsewhere).count
    let devices = try syncDevices()
    return try storage {
      try store.read { transaction in
        let last = try transaction.syncState("last").flatMap {
          Int64(String(decoding: $0, as: UTF8.self))
        }
        let sent = try transaction.progress()[thisReplica]?.sequence ?? 0
        return SyncStatus(
          place: place, last: last.map { Date(timeIntervalSince1970: Double($0) / 1000) },
          problem: try transaction.syncState("problem").map { String(decoding: $0, as: UTF8.self) },
          unsent: try transaction.lastSequence() - sent, devices: devices,
          conflicts: try transaction.noteConflicts().count, elsewhere: elsewhere,
          passphrase: try transaction.syncState("passphrase").flatMap {
            VaultPassphrase(rawValue: String(decoding: $0, as: UTF8.self))
          })
      }
    }
  }

  /// Returns whether there are unsent operations. Reads only the database.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func hasUnsent() throws(UserError) -> Bool {
    try storage {
      try store.read { transaction in
        try transaction.lastSequence()
          > transaction.progress()[try transaction.replica()]?.sequence ?? 0
      }
    }
  }

  /// Returns the hash of the library's state, in hexadecimal digits. It is equal on all devices
  /// that have the same operations. O(library).
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func stateDigest() throws(UserError) -> String {
    try storage {
      try store.read { transaction in
        var hash = ContentDigest(sha256: [])
        var block: [UInt8] = []
        func add() {
          hash = ContentDigest(sha256: hash.bytes + block)
          block = []
        }
        // Hashing each line separately would be slow. The blocks depend only on the lines, so that
        // all devices compute the same hash.
        var count = 0
        try transaction.stateLines { line in
          block += Array(line.utf8) + [10]
          count += 1
          if count % 1_000 == 0 { add() }
        }
        add()
        return hash.description
      }
    }
  }

  // MARK: - Notes

  /// Returns the highlights whose notes were changed on several devices at the same time.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func conflictingHighlights() throws(UserError) -> Set<Highlight.ID> {
    Set(
      try noteConflicts().compactMap {
        if case .highlight(let id) = $0.record { id } else { nil }
      })
  }

  /// Returns the notes that were changed on several devices at the same time, with all versions.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func noteConflicts() throws(UserError) -> [NoteConflict] {
    try storage { try store.read { try $0.noteConflicts() } }
  }

  /// Resolves a conflict between several versions of a note by setting its text.
  ///
  /// - Throws: `nothing` if the note has no conflict; `damaged` or `conflict` if the library cannot
  ///   be written.
  package func settleNote(of record: RecordReference, as text: String) throws(UserError) {
    let isSettled = try storage {
      try store.write { transaction -> Bool in
        transaction.journal(JournalStep(label: "chose a note"))
        return try transaction.settleNote(of: record, as: text)
      }
    }
    if !isSettled { throw UserError(.nothing, "that note has only one version") }
  }

  // MARK: - Export

  /// Calls `body` with each stored operation as one line of JSON, sorted by replica and sequence
  /// number.
  ///
  /// - Throws: the error of `body`; `damaged` or `conflict` if the library cannot be read.
  package func exportOperations(_ body: (String) throws -> Void) throws {
    let replicas = try storage {
      try store.read { Set(try $0.progress().keys).union([try $0.replica()]) }
    }
    for replica in replicas.sorted() {
      var last: Int64 = 0
      while true {
        let operations = try storage {
          try store.read { try $0.operations(of: replica, after: last, limit: 1_000) }
        }
        guard let end = operations.last else { break }
        for operation in operations { try body(OperationLine(operation).description) }
        last = end.dot.sequence
      }
    }
  }
}

extension UserError {
  /// The error if another sync of this library is running, in this process or another.
  package static let syncIsRunning = UserError(
    .conflict, "another sync of this library is running",
    hint: "nothing was changed here; try again when it has ended")

  /// The error if another process changed the sync setup or the stored progress during the sync.
  static let changedDuringSync = UserError(
    .conflict, "another command changed how this library is synced, so the sync was stopped",
    hint: "nothing is lost: sync again")
}

/// Prevents concurrent syncs. A sync reads the stored progress, exchanges data with the target, and
/// then stores the new progress.
extension Library {
  /// The default time to wait for another sync. Most syncs take less.
  package static let syncLockTimeout = Duration.seconds(30)

  /// Locks the library against other syncs by this user, and against changes of the sync setup,
  /// until the lock is released.
  ///
  /// - Throws: ``UserError/syncIsRunning`` if the lock is not free within `time`; `usage` if HOME
  ///   is not set; `conflict` if the lock file cannot be created.
  func lockSync(within time: Duration = syncLockTimeout) async throws(UserError) -> FileLock {
    guard let state = location.state else {
      throw UserError(
        .usage, "no folder for the state of syncing: HOME is not set",
        hint: "set HOME or XDG_STATE_HOME")
    }
    let path = "\(state)/sync/\(location.key).lock"
    let lock: FileLock?
    do throws(SystemCallError) {
      try PrivateFile.makeFolder(path.parentFolder)
      lock = try await FileLock.take(path, within: time)
    } catch { throw UserError(.conflict, "cannot lock \(path): \(error)") }
    guard let lock else { throw .syncIsRunning }
    return lock
  }
}

extension WriteTransaction {
  /// Requires that this copy of the library still has the identity with which the sync started. A
  /// program of another user does not use the lock and may have changed it.
  ///
  /// - Throws: `changedDuringSync` if it has another identity.
  func require(_ expected: ReplicaID) throws {
    guard try replica() == expected else { throw UserError.changedDuringSync }
  }

  /// Requires that this copy still has its identity, and that the stored progress of a replica has
  /// not changed since the sync read it.
  ///
  /// - Throws: `changedDuringSync` if either has changed.
  func require(_ expected: ReplicaID, _ read: ReplicaProgress, of replica: ReplicaID) throws {
    try require(expected)
    guard try progress()[replica].map({ $0 == read }) ?? (read.sequence == 0) else {
      throw UserError.changedDuringSync
    }
  }
}
