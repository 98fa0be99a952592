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
}

/// Notes of which one is to be chosen.
package struct NoteChoice: Sendable {
  /// The highlight's or document's id.
  package var id: String
  /// Whether it is the note of a document.
  package var isDocument: Bool
  /// The notes with their times; the first is the one that is shown.
  package var notes: [(date: Date, text: String)]
  let record: RecordReference
}

extension Library {
  /// Reads and checks every file of the vault. O(all that is there).
  package func verifySync() async throws(UserError) -> SyncVerification {
    var session = try await openSession(try requireSyncPlace())
    var result = SyncVerification()
    try await closing(session.connection) { () async throws(UserError) in
      try await readMembers(&session)
      for replica in session.replicas.sorted() {
        try await verify(replica, session, &result)
      }
    }
    result.digest = try standingDigest()
    return result
  }

  private func verify(
    _ replica: ReplicaID, _ session: SyncSession, _ result: inout SyncVerification
  ) async throws(UserError) {
    let name = session.deviceName(replica)
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
          _ = try SegmentFile.open(bytes, named: object, keys: session.keys, signer: signer)
          ranges.append(range)
        case .snapshot:
          let opened = try SnapshotFile.open(
            bytes, named: object, keys: session.keys, signer: signer)
          for index in 0..<opened.partCount { _ = try opened.part(index) }
        case .device: _ = try DeviceRecord.open(bytes, named: object, keys: session.keys)
        case .epoch: _ = try EpochRecord(bytes, named: object)
        // Sealed to others.
        case .request, .grant: break
        }
      } catch { result.problems.append("\(file) of \(name): \(error)") }
    }
    let reached = try storage { try store.read { try $0.progress()[replica]?.sequence ?? 0 } }
    let last = max(reached, ranges.map(\.upperBound).max() ?? 0)
    let end = Self.end(of: ranges)
    if end < last {
      result.problems.append("\(name): changes \(end + 1) to \(last) are missing")
    }
  }

  /// The notes of which one is to be chosen, by record.
  package func noteChoices() throws(UserError) -> [NoteChoice] {
    try noteConflicts().map { conflict in
      let isDocument = if case .document = conflict.record { true } else { false }
      let id =
        switch conflict.record {
        case .document(let id): id.description
        case .highlight(let id): id.description
        case .library, .other: ""
        }
      return NoteChoice(
        id: id, isDocument: isDocument,
        notes: ([conflict.current] + conflict.others).map {
          ($0.date, isDocument ? Self.markdown($0.text) : $0.text)
        },
        record: conflict.record)
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

  /// The note of a document as Markdown.
  private static func markdown(_ stored: String) -> String {
    guard let note = try? AttributedText(json: Array(stored.utf8)) else { return stored }
    let lines = MarkdownConversion(note).markdown
    return String(lines.drop(while: \.isNewline).reversed().drop(while: \.isNewline).reversed())
  }
}
