package import FoundationEssentials
import MarkdownParse
import Model
import RichMarkdown
import RichText
import Storage
import Sync
package import SystemSupport
package import Workspace

/// The result of verifying all objects at a target.
package struct SyncVerification: Sendable {
  /// The hash of the library's state, in hexadecimal digits. It is equal on devices with the same
  /// operations.
  package var digest = ""
  /// The number of objects.
  package var files = 0
  /// The total size of the objects in bytes.
  package var bytes = 0
  /// The problems, one line each.
  package var problems: [String] = []
  /// The number of records removed from this library because other devices had removed them
  /// permanently.
  package var removed = 0
  /// The comparisons of the other devices' libraries with this one.
  package var devices: [SyncComparison] = []
}

/// A note that was changed on several devices at the same time, with all versions.
package struct NoteChoice: Sendable {
  /// The id of the highlight or document.
  package var id: String
  /// The name that the user types: a highlight's short id or a document's path.
  package var name: String
  /// The quote of the highlight; empty for a document.
  package var words: String
  /// Whether it is the note of a document.
  package var isDocument: Bool
  /// The versions, each with its time and the name of the device that wrote it, the current one
  /// first.
  package var notes: [(date: Date, device: String, text: String)]
  let record: RecordReference
}

extension Library {
  /// Verifies all objects of the vault. Removes records that other devices have removed
  /// permanently, but this device still has. Compares the library with the states that the other
  /// devices published.
  ///
  /// Other syncs can run while objects are read. O(all objects).
  ///
  /// - Throws: the errors of `sync`.
  package func verifySync(_ options: SyncOptions = SyncOptions()) async throws(UserError)
    -> SyncVerification
  {
    var lock = try await lockSync(within: options.lockTimeout)
    defer { lock.unlock() }
    var session = try await openSession(try requireSyncPlace())
    var result = SyncVerification()
    var sent: [ReplicaID: [ClosedRange<Int64>]] = [:]
    let held = try heldReasons()
    var missed = try storage { try store.read { try RemovalEvidence($0, held: held) } }
    try await closing(session.connection) { () async throws(UserError) in
      try await readMembers(&session)
      // Reading all objects takes long, so other syncs are allowed meanwhile.
      lock.unlock()
      for replica in session.replicas.sorted() {
        try await verify(replica, session, &missed, &sent, &result)
      }
      try noteMissing(sent, session, &result)
      for record in try lostRecords(session.vault, session.listing.keys) {
        let name = session.deviceName(record.name.replica)
        result.problems.append(
          """
          \(record.name.file) of \(name) is missing; it is sent again when \(name) syncs, or by \
          any device with: diple sync now --upload
          """)
      }
      lock = try await lockSync(within: options.lockTimeout)
      try apply(missed, session, options, &result)
      result.devices = try await compareStates(&session)
    }
    for comparison in result.devices where comparison.result == .different {
      let names = comparison.records
      result.problems.append(
        "the library of \(comparison.device) is different: "
          + (names.isEmpty
            ? "it has records that are not here" : names.joined(separator: ", "))
          + "; run diple sync verify there, too")
    }
    result.digest = try stateDigest()
    return result
  }

  /// Removes the records that other devices have removed. If removing them needs consent, adds a
  /// problem instead.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be written; `changedDuringSync` if
  ///   this copy has another identity.
  private func apply(
    _ missed: RemovalEvidence, _ session: SyncSession, _ options: SyncOptions,
    _ result: inout SyncVerification
  ) throws(UserError) {
    guard !missed.removed.isEmpty else { return }
    do {
      result.removed = try store.write { transaction in
        try transaction.require(session.replica)
        transaction.journal(JournalStep(nil))
        // Records that were removed in the meantime are skipped.
        let outcome = try transaction.purgeAbsent(
          try missed.records.filter { try !transaction.isPurged($0) })
        if !options.removals { try Self.checkRemovals(outcome, in: transaction) }
        return outcome.count
      }
    } catch let removals as TooManyRemovalsError {
      result.problems.append(
        """
        other devices have permanently removed \(removals.count.counted("record")) of this \
        library; to remove them here, too: diple sync verify --accept-removals
        """)
    } catch { return try storage { throw error } }
  }

  private func verify(
    _ replica: ReplicaID, _ session: SyncSession, _ missed: inout RemovalEvidence,
    _ sent: inout [ReplicaID: [ClosedRange<Int64>]], _ result: inout SyncVerification
  ) async throws(UserError) {
    let name = session.deviceName(replica)
    let remedy =
      replica == session.replica ? "; to send it again: diple sync now --upload" : ""
    let revokedAfter = session.epochs?.revoked[replica]?.last
    var ranges: [ClosedRange<Int64>] = []
    for (object, file) in session.objects(of: replica).sorted(by: { $0.name < $1.name }) {
      result.files += 1
      result.bytes += session.listing[object] ?? 0
      guard let bytes = try await session.get(object, limit: Wire.snapshotLimit) else {
        result.problems.append("\(file) of \(name) cannot be read\(remedy)")
        continue
      }
      guard let signer = session.devices[replica]?.publicKeys else {
        if file.kind != .request {
          result.problems.append("\(file): the keys of \(name) are missing")
        }
        continue
      }
      do {
        switch file.kind {
        case .segment(let range):
          let segment = try SegmentFile.open(
            bytes, named: object, keys: session.keys, signer: signer)
          ranges.append(range)
          missed.add(segment.content.operations, upTo: revokedAfter)
        case .snapshot:
          let opened = try SnapshotFile.open(
            bytes, named: object, keys: session.keys, signer: signer)
          var births: Set<Dot> = []
          for index in 0..<opened.partCount {
            for operation in try opened.part(index).operations where operation.field == .created {
              births.insert(operation.dot)
            }
          }
          if revokedAfter == nil {
            _ = missed.add(opened.vector, births: births)
            for (replica, reach) in opened.vector where reach.sequence > 0 {
              sent[replica, default: []].append(1...reach.sequence)
            }
          }
        case .device:
          let (record, _, _) = try DeviceRecord.open(bytes, named: object, keys: session.keys)
          if record.publicKeys != signer || record.name != name {
            result.problems.append(
              """
              \(file) of \(name) is refused: it is a second record, under the name \
              “\(record.name)”
              """
            )
          }
        case .epoch: _ = try EpochRecord(bytes, named: object)
        case .state:
          _ = try StateRecord.open(bytes, named: object, keys: session.keys, signer: signer)
        // Only the recipient can open a request or a grant.
        case .request, .grant: break
        }
      } catch {
        result.problems.append("\(file) of \(name): \(error)\(remedy)")
      }
    }
    sent[replica, default: []] += ranges
  }

  /// Adds a problem for each replica with operations that neither its segments nor a snapshot of a
  /// member contain.
  private func noteMissing(
    _ sent: [ReplicaID: [ClosedRange<Int64>]], _ session: SyncSession,
    _ result: inout SyncVerification
  ) throws(UserError) {
    let progress = try storage { try store.read { try $0.progress() } }
    for replica in session.replicas.sorted() {
      let ranges = sent[replica] ?? []
      let last = max(progress[replica]?.sequence ?? 0, ranges.map(\.upperBound).max() ?? 0)
      let end = Self.end(of: ranges)
      if end < last {
        let name = session.deviceName(replica)
        result.problems.append("\(name): changes \(end + 1) to \(last) are missing")
      }
    }
  }

  /// Returns the notes with several versions. Notes of permanently removed records are omitted.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func noteChoices() throws(UserError) -> [NoteChoice] {
    var choices: [NoteChoice] = []
    let conflicts = try noteConflicts()
    if conflicts.isEmpty { return [] }
    let (devices, own) = (try knownDevices(), try ownReplica())
    func name(_ replica: ReplicaID) -> String {
      if replica == own { return "this device" }
      return devices[replica]?.name ?? "device \(replica.description.prefix(8))"
    }
    for conflict in conflicts {
      var choice = NoteChoice(
        id: "", name: "", words: "", isDocument: false, notes: [], record: conflict.record)
      switch conflict.record {
      case .document(let id):
        (choice.id, choice.isDocument) = (id.description, true)
        // A permanently removed record has no note.
        guard let document = try storage({ try store.read { try $0.document(id) } }) else {
          continue
        }
        choice.name = document.path.string
      case .highlight(let id):
        guard let highlight = try storage({ try store.read { try $0.highlight(id) } }) else {
          continue
        }
        (choice.id, choice.name) = (id.description, highlight.shortID)
        choice.words = highlight.selector.exact
      case .library, .other: continue
      }
      choice.notes = ([conflict.current] + conflict.others).map {
        (
          $0.date, name($0.dot.replica),
          choice.isDocument ? Self.markdown(stored: $0.text) : $0.text
        )
      }
      choices.append(choice)
    }
    return choices
  }

  /// Returns the notes with several versions that `name` refers to: the id or short id of a
  /// highlight, or a name of a document. Exact matches take precedence.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func noteChoices(of name: String) throws(UserError) -> [NoteChoice] {
    let choices = try noteChoices()
    let exact = choices.filter { $0.id == name || $0.name == name }
    if !exact.isEmpty { return exact }
    let document = (try? document(name)).map { RecordReference.document($0.id) }
    return choices.filter { choice in
      choice.record == document || name.contains("-") && choice.id.hasPrefix(name)
    }
  }

  /// Resolves a conflict by setting the text of the note.
  ///
  /// - Parameter text: the text; Markdown for a document's note.
  /// - Throws: `nothing` if the note has no conflict; `usage` if the note cannot be stored.
  package func settle(_ choice: NoteChoice, as text: String) throws(UserError) {
    guard choice.isDocument, !text.isEmpty else {
      return try settleNote(of: choice.record, as: text)
    }
    let note = AttributedText(markdown: ParsedDocument(parsing: MarkdownSource(text)))
    guard let json = try? note.json() else {
      throw UserError(.usage, "the note cannot be stored")
    }
    try settleNote(of: choice.record, as: String(decoding: json, as: UTF8.self))
  }

  /// Returns the note of a document as Markdown, or the stored text if it cannot be parsed.
  private static func markdown(stored: String) -> String {
    (try? AttributedText(json: Array(stored.utf8))).map(\.markdown) ?? stored
  }
}
