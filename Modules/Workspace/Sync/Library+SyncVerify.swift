package import FoundationEssentials
import MarkdownParse
import Model
import RichMarkdown
import RichText
import Storage
import Sync
package import SystemSupport

/// What reading everything at a place found.
package struct SyncVerification: Sendable {
  /// The hash of what the library says.
  package var digest = ""
  /// How many files there are.
  package var files = 0
  /// How many bytes they have.
  package var bytes = 0
  /// What is wrong, one line each.
  package var problems: [String] = []
  /// How many records were removed here, because other devices had removed them for good.
  package var removed = 0
  /// How the libraries of the other devices compare with this one.
  package var devices: [SyncComparison] = []
}

/// Notes of which one is to be chosen.
package struct NoteChoice: Sendable {
  /// The highlight's or document's id.
  package var id: String
  /// What a person types: a highlight's short id, or a document's path.
  package var name: String
  /// The words of the highlight; empty for a document.
  package var words: String
  /// Whether it is the note of a document.
  package var isDocument: Bool
  /// The notes with their times; the first is the one that is shown.
  package var notes: [(date: Date, text: String)]
  let record: RecordReference
}

extension Library {
  /// Reads and checks every file of the vault, removes what other devices have removed for good and this
  /// one missed, and compares the library with the state that the other devices published.
  /// O(all that is there).
  ///
  /// - Throws: like `sync`.
  package func verifySync(_ allowance: SyncOptions = SyncOptions()) async throws(UserError)
    -> SyncVerification
  {
    var lock = try await lockSync(within: allowance.patience)
    defer { lock.unlock() }
    var session = try await openSession(try requireSyncPlace())
    var result = SyncVerification()
    var sent: [ReplicaID: [ClosedRange<Int64>]] = [:]
    let held = try heldReasons()
    var missed = try storage { try store.read { try RemovalEvidence($0, held: held) } }
    try await closing(session.connection) { () async throws(UserError) in
      try await readMembers(&session)
      // Reading everything takes long, and other syncs need not wait for it.
      lock.unlock()
      for replica in session.replicas.sorted() {
        try await verify(replica, session, &missed, &sent, &result)
      }
      try noteMissing(sent, session, &result)
      for record in try lostRecords(session.vault, session.listing.keys) {
        let name = session.deviceName(record.name.replica)
        result.problems.append(
          """
          \(record.name.file) of \(name) is missing; it sends it again when it syncs, any device does \
          with: diple sync now --upload
          """)
      }
      lock = try await lockSync(within: allowance.patience)
      try apply(missed, session, allowance, &result)
      result.devices = try await compareStates(&session)
    }
    for comparison in result.devices where comparison.result == .different {
      let names = comparison.records
      result.problems.append(
        "the library of \(comparison.device) is different: "
          + (names.isEmpty
            ? "it has records that are not here" : names.joined(separator: ", "))
          + "; run diple sync verify on it, too")
    }
    result.digest = try stateDigest()
    return result
  }

  /// Removes the records that this library should not have any more.
  private func apply(
    _ missed: RemovalEvidence, _ session: SyncSession, _ allowance: SyncOptions,
    _ result: inout SyncVerification
  ) throws(UserError) {
    guard !missed.removed.isEmpty else { return }
    do {
      result.removed = try store.write { transaction in
        try transaction.require(session.replica)
        transaction.journal(JournalStep(nil))
        // What was removed meanwhile needs nothing more.
        let outcome = try transaction.purgeAbsent(
          try missed.records.filter { try !transaction.isPurged($0) })
        if !allowance.removals { try Self.checkRemovals(outcome, in: transaction) }
        return outcome.count
      }
    } catch let removals as TooManyRemovalsError {
      result.problems.append(
        """
        other devices have removed \(removals.count.counted("record")) for good that are still here; to \
        remove them here, too: diple sync verify --accept-removals
        """)
    } catch { return try storage { throw error } }
  }

  private func verify(
    _ replica: ReplicaID, _ session: SyncSession, _ missed: inout RemovalEvidence,
    _ sent: inout [ReplicaID: [ClosedRange<Int64>]], _ result: inout SyncVerification
  ) async throws(UserError) {
    let name = session.deviceName(replica)
    let revokedAfter = session.epochs?.revoked[replica]?.last
    var ranges: [ClosedRange<Int64>] = []
    for (object, file) in session.objects(of: replica).sorted(by: { $0.name < $1.name }) {
      result.files += 1
      result.bytes += session.listing[object] ?? 0
      guard let bytes = try await session.get(object, limit: Wire.snapshotLimit) else {
        result.problems.append("\(file) of \(name) cannot be read")
        continue
      }
      guard let signer = session.devices[replica]?.publicKeys else {
        if file.kind != .request {
          result.problems.append("\(file): the keys of \(name) are not there")
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
        case .device: _ = try DeviceRecord.open(bytes, named: object, keys: session.keys)
        case .epoch: _ = try EpochRecord(bytes, named: object)
        case .state:
          _ = try StateRecord.open(bytes, named: object, keys: session.keys, signer: signer)
        // Sealed to others.
        case .request, .grant: break
        }
      } catch { result.problems.append("\(file) of \(name): \(error)") }
    }
    sent[replica, default: []] += ranges
  }

  /// Names the changes that neither a segment nor a snapshot of a member says.
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

  /// The notes of which one is to be chosen, by record.
  package func noteChoices() throws(UserError) -> [NoteChoice] {
    var choices: [NoteChoice] = []
    for conflict in try noteConflicts() {
      var choice = NoteChoice(
        id: "", name: "", words: "", isDocument: false, notes: [], record: conflict.record)
      switch conflict.record {
      case .document(let id):
        (choice.id, choice.isDocument) = (id.description, true)
        // What was removed for good needs no choice.
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
        ($0.date, choice.isDocument ? Self.markdown(stored: $0.text) : $0.text)
      }
      choices.append(choice)
    }
    return choices
  }

  /// Those of them that a person means by the id of a highlight, or a name of a document.
  package func noteChoices(of name: String) throws(UserError) -> [NoteChoice] {
    let choices = try noteChoices()
    let exact = choices.filter { $0.id == name || $0.name == name }
    if !exact.isEmpty { return exact }
    let document = (try? document(name)).map { RecordReference.document($0.id) }
    return choices.filter { choice in
      choice.record == document || !choice.isDocument && choice.id.hasPrefix(name + "-")
        || name.contains("-") && choice.id.hasPrefix(name)
    }
  }

  /// Says which note is right.
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

  /// The note of a document as Markdown; what cannot be read, as it is stored.
  private static func markdown(stored: String) -> String {
    (try? AttributedText(json: Array(stored.utf8))).map(markdown) ?? stored
  }
}
