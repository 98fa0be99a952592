package import FoundationEssentials
package import LibrarySync
import Model
import Sync
import SystemSupport
package import Workspace

/// Sends and receives changes.
package struct SyncNow: Action {
  package static let name = "sync.now"
  package static let summary = "Sends changes to other devices, and receives theirs."
  package static let effect = ActionEffect.administers
  package static let parameters = [
    ActionParameter("acceptClock", .flag, "Applies changes of devices whose clock is ahead."),
    ActionParameter(
      "acceptRemovals", .flag, "Applies changes that remove a large part of the library."),
    ActionParameter("upload", .flag, "Sends everything again, to a target that lost it."),
  ]
  package static let examples = [SyncNow(acceptClock: true, acceptRemovals: true, upload: true)]

  package var acceptClock: Bool?
  package var acceptRemovals: Bool?
  package var upload: Bool?

  package init(acceptClock: Bool? = nil, acceptRemovals: Bool? = nil, upload: Bool? = nil) {
    (self.acceptClock, self.acceptRemovals, self.upload) = (acceptClock, acceptRemovals, upload)
  }

  package func run(in session: ActionSession) async throws -> SyncOutcome {
    var options = try session.syncOptions()
    options.clock = acceptClock ?? false
    options.removals = acceptRemovals ?? false
    options.upload = upload ?? false
    return SyncOutcome(report: try await session.library.sync(options))
  }
}

/// The result of a sync.
package struct SyncOutcome: ActionOutcome {
  package var report: SyncReport
  /// The folder of the library if it was just set up; otherwise nil.
  package var folder: String?
  /// The advice on the passphrase, in the words of the front-end, which sets it.
  package var advice: String?

  package init(report: SyncReport, folder: String? = nil) {
    (self.report, self.folder) = (report, folder)
  }

  /// The record `diple.sync/1`.
  private struct Record: Encodable {
    struct Match: Encodable {
      var document: Document.ID
      var title: String
      var path: String
      var ground: String

      init(_ match: DocumentMatch) {
        document = match.remote.id
        title = match.remote.title
        path = match.path.string
        ground = match.ground.rawValue
      }
    }

    var received: Int
    var sent: Int
    var linked: [Match]
    var suggested: [Match]
    var held: [HeldRecord]
    var conflicts: Int
    var notices: [String]
    @Nullable var library: String?

    init(_ report: SyncReport, of folder: String?, _ advice: String?) {
      library = folder
      received = report.received
      sent = report.sent
      linked = report.linked.map(Match.init)
      suggested = report.suggested.map(Match.init)
      held = report.held.map { HeldRecord($0.device, $0.reason) }
      conflicts = report.conflicts
      notices = report.notices + (advice.map { [$0] } ?? [])
    }
  }

  package var json: String { JSON.line("diple.sync/1", Record(report, of: folder, advice)) }
}

/// The reason why changes of a device are held, a part of several records.
package struct HeldRecord: Encodable, Sendable {
  var device: String
  var kind: String
  var detail: String
  var since: Date
  var tries: Int

  init(_ device: String, _ reason: HeldReason) {
    self.device = device
    kind = reason.kind.rawValue
    detail = reason.detail
    since = Date(timeIntervalSince1970: Double(reason.since) / 1000)
    tries = reason.tries
  }
}

/// Shows the state of syncing, without connecting to the target.
package struct ShowSync: Action {
  package static let name = "sync.status"
  package static let summary = "Shows the target, the last sync, and changes that are waiting."
  package static let effect = ActionEffect.administers
  package static let opening = Library.Opening.readOnly
  package static let parameters: [ActionParameter] = []
  package static let examples = [ShowSync()]

  package init() {}

  package struct Outcome: ActionOutcome {
    package var status: SyncStatus

    /// The record `diple.sync-status/1`.
    private struct Record: Encodable {
      var transport: String
      var address: String
      var vault: String
      var device: String
      @Nullable var last: Date?
      @Nullable var problem: String?
      var unsent: Int64
      var conflicts: Int
      var elsewhere: Int
      @Nullable var passphrase: String?
      var devices: [SyncDeviceRecord]

      init(_ status: SyncStatus) {
        transport = status.place.transport
        address = status.place.address
        vault = status.place.vault
        device = status.place.device
        last = status.last
        problem = status.problem
        unsent = status.unsent
        conflicts = status.conflicts
        elsewhere = status.elsewhere
        passphrase = status.passphrase?.rawValue
        devices = status.devices.map(SyncDeviceRecord.init)
      }
    }

    package var json: String { JSON.line("diple.sync-status/1", Record(status)) }
  }

  package func run(in session: ActionSession) async throws -> Outcome {
    Outcome(status: try await session.library.syncStatus())
  }
}

/// Lists the devices that the library is synced with.
package struct ListSyncDevices: Action {
  package static let name = "sync.devices"
  package static let summary = "Lists the devices that the library is synced with."
  package static let effect = ActionEffect.administers
  package static let opening = Library.Opening.readOnly
  package static let parameters: [ActionParameter] = []
  package static let examples = [ListSyncDevices()]

  package init() {}

  package struct Outcome: ActionOutcome {
    package var devices: [SyncDeviceRecord]

    package var json: String { JSON.line("diple.sync-devices/1", devices) }
  }

  package func run(in session: ActionSession) async throws -> Outcome {
    Outcome(devices: try await session.library.syncDevices().map(SyncDeviceRecord.init))
  }
}

/// A device, a record of the schema `diple.sync-device/1` and an element of `diple.sync-devices/1`.
package struct SyncDeviceRecord: Encodable, Sendable {
  package var id: String
  package var name: String
  package var isOwn: Bool
  package var isRevoked: Bool
  package var hasLeft: Bool
  package var joined: Date
  package var changes: Int64
  @Nullable package var held: HeldRecord?

  package init(_ device: SyncDevice) {
    id = device.replica.description
    name = device.name
    isOwn = device.isOwn
    isRevoked = device.isRevoked
    hasLeft = device.hasLeft
    joined = device.joined
    changes = device.known
    held = device.held.map { HeldRecord(device.name, $0) }
  }
}

/// Lists the notes that were changed on several devices at once.
package struct ListNoteChoices: Action {
  package static let name = "sync.conflicts"
  package static let summary = "Lists notes that were changed on two devices at once."
  package static let effect = ActionEffect.reads
  package static let opening = Library.Opening.existing
  package static let parameters = [
    ActionParameter("record", .text, "The highlight or document; all when omitted.")
  ]
  package static let examples = [ListNoteChoices(record: "4-7f3a0c5d9e1b2846")]

  package var record: String?

  package init(record: String? = nil) { self.record = record }

  package func run(in session: ActionSession) async throws -> NoteChoicesOutcome {
    if let record { return NoteChoicesOutcome(choices: [try await session.noteChoice(record)]) }
    return NoteChoicesOutcome(choices: try await session.library.noteChoices())
  }
}

/// Chooses a version of a note that was changed on several devices at once.
package struct SettleNote: Action {
  package static let name = "sync.settle"
  package static let summary = "Chooses a version of a note, joins all of them, or replaces them."
  package static let effect = ActionEffect.writes
  package static let parameters = [
    ActionParameter("record", .text, "The highlight or document.", isRequired: true),
    ActionParameter("keep", .integer, "The number of the version to keep, from 1."),
    ActionParameter("both", .flag, "Joins all versions, one after the other."),
    ActionParameter("note", .text, "The note that replaces all versions."),
  ]
  package static let examples = [
    SettleNote(record: "4-7f3a0c5d9e1b2846", keep: 2, both: false, note: "Why?")
  ]

  package var record: String
  package var keep: Int?
  package var both: Bool?
  package var note: String?

  package init(record: String, keep: Int? = nil, both: Bool? = nil, note: String? = nil) {
    (self.record, self.keep, self.both, self.note) = (record, keep, both, note)
  }

  package func run(in session: ActionSession) async throws -> NoteChoicesOutcome {
    guard [keep != nil, both == true, note != nil].count(where: { $0 }) == 1 else {
      throw UserError(.usage, "one of 'keep', 'both' and 'note' is needed")
    }
    let choice = try await session.noteChoice(record)
    let text: String
    if let note {
      text = note
    } else if let keep {
      guard choice.notes.indices.contains(keep - 1) else {
        throw UserError(.usage, "the versions have the numbers 1 to \(choice.notes.count)")
          .about("keep")
      }
      text = choice.notes[keep - 1].text
    } else {
      text = choice.notes.map(\.text).joined(separator: "\n\n")
    }
    try await session.library.settle(choice, as: text)
    return NoteChoicesOutcome(choices: [choice], settled: text)
  }
}

/// Notes with several versions.
package struct NoteChoicesOutcome: ActionOutcome {
  package var choices: [NoteChoice]
  /// The note that was chosen; nil if none was.
  package var settled: String?

  /// An element of `diple.sync-conflicts/1`.
  private struct Record: Encodable {
    struct Note: Encodable {
      var number: Int
      var date: Date
      var device: String
      var text: String
    }
    var kind: String
    var id: String
    var notes: [Note]

    init(_ choice: NoteChoice) {
      kind = choice.kind
      id = choice.id
      notes = choice.notes.enumerated().map {
        Note(
          number: $0.offset + 1, date: $0.element.date, device: $0.element.device,
          text: $0.element.text)
      }
    }
  }

  package var json: String { JSON.line("diple.sync-conflicts/1", choices.map(Record.init)) }
}

extension NoteChoice {
  /// The kind of the record: `document` or `highlight`.
  package var kind: String { isDocument ? "document" : "highlight" }
}

extension ActionSession {
  /// Returns the versions of a record's note.
  ///
  /// - Throws: `notFound` if no such note has several versions; `ambiguous` if several do.
  fileprivate func noteChoice(_ record: String) async throws -> NoteChoice {
    let choices = try await library.noteChoices(of: record)
    guard choices.count == 1 else {
      throw UserError(
        choices.isEmpty ? .notFound : .ambiguous,
        choices.isEmpty
          ? "no note of '\(record)' has several versions"
          : "'\(record)' matches \(choices.count.counted("note"))",
        candidates: choices.map { "\($0.id)  \($0.words.oneLine)" }
      ).about("record")
    }
    return choices[0]
  }
}
