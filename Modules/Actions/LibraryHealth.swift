import FoundationEssentials
import LibrarySync
package import Model
import Sync
package import SystemSupport
package import Workspace

/// The state of a library's daemon, as far as a front-end knows it.
package struct DaemonState: Sendable {
  /// `none`, `foreign` for a daemon of another version of Diple, or the state of the running
  /// daemon.
  package var state: String
  /// Problems and possible improvements with their solutions.
  package var advice: [Hint]

  package init(state: String, advice: [Hint] = []) { (self.state, self.advice) = (state, advice) }
}

/// Counts the documents and highlights of the library, and shows what needs attention.
package struct ShowStatus: Action {
  package static let name = "library.status"
  package static let summary = "Counts documents and highlights, and shows what needs attention."
  // The outcome has the folder of the library and the address of the sync target.
  package static let effect = ActionEffect.administers
  package static let opening = Library.Opening.readOnlyOrEmpty
  package static let parameters: [ActionParameter] = []
  package static let examples = [ShowStatus()]

  package init() {}

  /// The record `diple.status/1`.
  package struct Outcome: ActionOutcome, Encodable {
    package struct Sync: Encodable, Sendable {
      package var target: String
      package var unsent: Int64
      package var held: Int
      package var conflicts: Int
      @Nullable package var passphrase: String?
      @Nullable package var problem: String?

      fileprivate init(_ status: SyncStatus) {
        target = "\(status.place.transport) \(status.place.address)"
        unsent = status.unsent
        held = status.devices.count { $0.held != nil }
        conflicts = status.conflicts
        passphrase = status.passphrase?.rawValue
        problem = status.problem
      }
    }

    package var folder: String
    package var documents: Int
    package var missing: Int
    package var highlights: Int
    package var doubtful: Int
    package var orphaned: Int
    @Nullable package var daemon: String?
    /// Nil if the library is not synced.
    @Nullable package var sync: Sync?
    /// What the user can do next, in the words of the front-end, which sets it.
    package var next: [String] = []
    /// The first document in the list; nil if there is none.
    package var first: Document?
    /// The document with a missing file; nil unless there is exactly one.
    package var onlyMissing: Document?
    /// Whether there is no library yet.
    package var isAbsent: Bool
    /// The reports of the files that changed.
    package var reports: [RefreshReport]

    private enum CodingKeys: CodingKey {
      case folder, documents, missing, highlights, doubtful, orphaned, daemon, sync, next
    }

    package var json: String { JSON.line("diple.status/1", self) }
  }

  package func run(in session: ActionSession) async throws -> Outcome {
    let library = session.library
    let reports = try await session.refreshAll()
    let documents = try await library.documents()
    let counts = try await library.highlightCounts()
    var states: [AnchorState: Int] = [:]
    for document in documents { states.merge(counts[document.id] ?? [:]) { $0 + $1 } }
    let missing = documents.filter { $0.state == .missing }
    return Outcome(
      folder: library.location.folder, documents: documents.count, missing: missing.count,
      highlights: states.values.reduce(0, +), doubtful: states[.doubtful] ?? 0,
      orphaned: states[.orphaned] ?? 0, daemon: await session.daemon()?.state,
      sync: try await library.syncPlace() == nil ? nil : Outcome.Sync(library.syncStatus()),
      first: documents.first, onlyMissing: missing.count == 1 ? missing[0] : nil,
      isAbsent: library.isAbsent, reports: reports)
  }
}

/// Checks the library's database: its structure, its values and the search index.
package struct CheckLibrary: Action {
  package static let name = "library.check"
  package static let summary = "Checks the library's database and its daemon."
  package static let effect = ActionEffect.administers
  package static let opening = Library.Opening.inspect
  package static let parameters: [ActionParameter] = []
  package static let examples = [CheckLibrary()]

  package init() {}

  package struct Outcome: ActionOutcome {
    package var folder: String
    package var documents: Int
    package var highlights: Int
    /// The number of texts in the search index.
    package var indexed: Int
    package var problems: [String]
    /// The steps that were interrupted, one line each.
    package var unfinished: [String]
    /// The last backup, which the daemon or the user made; nil if none is known.
    package var backup: BackupFolder.Copy?
    package var daemon: DaemonState?

    /// The record `diple.doctor/1`.
    private struct Record: Encodable {
      struct Daemon: Encodable {
        var state: String
        var advice: [String]
      }

      var folder: String
      var documents: Int
      var highlights: Int
      var indexed: Int
      var problems: [String]
      @Nullable var backup: Date?
      @Nullable var backupFile: String?
      @Nullable var daemon: Daemon?
    }

    package var json: String {
      JSON.line(
        "diple.doctor/1",
        Record(
          folder: folder, documents: documents, highlights: highlights, indexed: indexed,
          problems: problems, backup: backup?.date, backupFile: backup?.path,
          daemon: daemon.map {
            Record.Daemon(state: $0.state, advice: $0.advice.map { $0.text(in: .plain) })
          }))
    }
  }

  package func run(in session: ActionSession) async throws -> Outcome {
    let library = session.library
    let problems = try await library.integrityProblems()
    let daemon = await session.daemon()
    let counts = try await library.liveCounts()
    return Outcome(
      folder: library.location.folder, documents: counts.documents, highlights: counts.highlights,
      indexed: try await library.indexedCount(), problems: problems,
      unfinished: try await library.interruptedSteps(),
      backup: Self.lastBackup(of: library.location), daemon: daemon)
  }

  private static func lastBackup(of location: LibraryLocation) -> BackupFolder.Copy? {
    guard let folder = BackupFolder(of: location) else { return nil }
    let automatic = folder.entries().first.map {
      BackupFolder.Copy(path: $0.path, date: $0.date)
    }
    return [automatic, folder.latestCopy].compactMap(\.self).max { $0.date < $1.date }
  }
}

/// Rebuilds the search index.
package struct RebuildIndex: Action {
  package static let name = "library.reindex"
  package static let summary = "Rebuilds the search index."
  package static let effect = ActionEffect.administers
  package static let parameters: [ActionParameter] = []
  package static let examples = [RebuildIndex()]

  package init() {}

  package func run(in session: ActionSession) async throws -> CheckLibrary.Outcome {
    try await session.library.rebuildIndex()
    return try await CheckLibrary().run(in: session)
  }
}

/// Writes a compressed copy of the library to a file.
package struct BackUpLibrary: Action {
  package static let name = "library.backup"
  package static let summary = "Writes a compressed copy of the library to a file."
  package static let effect = ActionEffect.administers
  package static let opening = Library.Opening.readOnly
  package static let parameters = [
    ActionParameter("file", .text, "The path of the file.", isRequired: true),
    ActionParameter("replace", .flag, "Replaces the file if it exists."),
  ]
  package static let examples = [BackUpLibrary(file: "/mnt/disk/library.zst", replace: true)]

  package var file: String
  package var replace: Bool?

  package init(file: String, replace: Bool? = nil) { (self.file, self.replace) = (file, replace) }

  /// The record `diple.backup/1`.
  package struct Outcome: ActionOutcome, Encodable {
    /// The absolute path of the file.
    package var file: String
    /// The size of the file.
    package var bytes: Int

    package var json: String { JSON.line("diple.backup/1", self) }
  }

  package func run(in session: ActionSession) async throws -> Outcome {
    try await session.library.requireForeign(file)
    let outcome = Outcome(
      file: FileSystem.absolute(file),
      bytes: try session.library.backUp(to: file, replacing: replace ?? false))
    BackupFolder(of: session.library.location)?.record(
      BackupFolder.Copy(path: outcome.file, date: .now))
    return outcome
  }
}
