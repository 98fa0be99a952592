package import Anchoring
import Files
package import FoundationEssentials
import Glibc
package import Logging
import MarkdownParse
import Model
package import Storage
package import Sync
package import Synchronization
package import SystemSupport

/// A library of documents and highlights. Every front end works through this actor.
///
/// ```swift
/// let location = try LibraryLocation.find(
///   named: nil, environment: ProcessInfo.processInfo.environment)
/// let library = try Library(at: location, plugins: .builtIn, opening: .create)
/// let report = try await library.add(["notes"])
/// ```
///
/// Most functions only read documents' files. Replacing, formatting and undoing them write whole
/// files (see `rewrite`). Each change by the user is stored with its operations in one transaction,
/// before the call returns.
///
/// Any function that uses the database throws `damaged` if the database is damaged, and `conflict`
/// if it is locked, read-only or full, or cannot be read.
package actor Library {
  /// The library's folder and the folders that belong to it.
  package nonisolated let location: LibraryLocation
  /// Chooses the dialect of each document.
  package nonisolated let dialects: Dialects
  /// The strategies that this library uses, from the program and its plugins.
  package nonisolated let plugins: PluginSet
  /// A PEM file with the root certificates for servers of sync targets; nil to use the system's.
  /// The daemon changes it when the settings change.
  package nonisolated let certificates: Mutex<String?>
  /// Whether nothing can be stored, because the disk is read-only or the library does not exist.
  package nonisolated let isReadOnly: Bool

  /// Whether the library does not exist, so that an empty one is used in its place.
  package nonisolated let isAbsent: Bool

  /// Messages about interrupted steps found on opening, one line each.
  package nonisolated let notices: [String]

  package let store: Store
  /// The wall clock, for the times of operations and synced files.
  package let now: @Sendable () -> Date
  let logger: Logger
  /// New anchors in a read-only library, which could not be stored.
  var unsaved: [Highlight.ID: Anchor] = [:]
  /// The document that was parsed last, by the digest of its bytes. A command that first checks a
  /// file and then reads its text parses it only once.
  var lastParsed: (digest: ContentDigest, document: ParsedDocument)?
  /// The objects that the last sync listed; nil if it failed, or the next one has to list all.
  package var knownListing: KnownListing?
  /// The number of files that were parsed.
  var parseCount = 0
  /// The unfinished steps that were begun on another device, or of which this device has no
  /// record.
  /// They are not changed.
  package internal(set) var foreignSteps: [Int64] = []
  /// The steps that this process has begun and not yet finished.
  var ownIntents: [Int64: StepIntent] = [:]
  /// Messages about settled steps that were not yet returned by `drainSettledSteps`.
  var settledSteps: [String] = []
  /// The search data of all documents; nil until it is needed.
  var searchCatalog: SearchCatalog?
  /// The size in bytes from which the parsed document is released before its changed source is
  /// parsed, so that memory never holds both.
  package var longSource = Rewrite.longSource
  /// Whether the library was searched before. The first search does not load the search data of all
  /// documents, because a single search is faster without it.
  var hasSearched = false

  /// What opening a library may do.
  package enum Opening: Sendable {
    /// Creates the library if it does not exist. Fails if it cannot be written.
    case create
    /// Fails if the library does not exist or cannot be written.
    case existing
    /// Fails if the library does not exist. It may be read-only.
    case readOnly
    /// Uses an empty library if it does not exist. Nothing is created. An existing library may be
    /// read-only.
    case readOnlyOrEmpty
    /// Fails if the library does not exist. It may be read-only. Unlike `readOnly`, interrupted
    /// steps are reported but not settled.
    case inspect
  }

  /// Opens a library.
  ///
  /// - Throws: `notFound` if it does not exist and is not to be created; `damaged` if the database
  ///   is corrupt, belongs to another program or was written by a newer version of Diple;
  ///   `conflict` if it is locked or cannot be written.
  package init(
    at location: LibraryLocation, plugins: PluginSet, opening: Opening = .existing,
    dialects rules: DialectRules = DialectRules(), certificates: String? = nil,
    logger: Logger = Logger(label: "diple", factory: { _ in SwiftLogNoOpLogHandler() }),
    now: @escaping @Sendable () -> Date = { Date() }
  ) throws(UserError) {
    self.now = now
    self.location = location
    self.plugins = plugins
    dialects = Dialects(root: location.root, home: location.home, rules: rules)
    self.certificates = Mutex(certificates)
    self.logger = logger
    try location.secureDatabase()
    let exists = try FileSystem.status(of: location.database) != nil
    isAbsent = !exists && opening == .readOnlyOrEmpty
    switch (exists, opening) {
    case (true, _):
      do {
        store = try Store(at: location.database, now: now)
        isReadOnly = false
      } catch {
        // A read-only or full disk does not prevent reading. On a full disk, a library can be
        // opened for writing only if another process has it open.
        guard error.preventsOnlyWriting, ![.create, .existing].contains(opening) else {
          throw UserError(error)
        }
        do { store = try Store(at: location.database, access: .readOnly) } catch {
          throw UserError(error)
        }
        isReadOnly = true
      }
    case (false, .create):
      let hadFolder = try FileSystem.status(of: location.folder) != nil
      try FileSystem.makeFolder(location.folder)
      do { store = try Store(at: location.database, now: now) } catch {
        // If the database could not be created, the new folder is removed.
        if !hadFolder { rmdir(location.folder) }
        throw UserError(error)
      }
      isReadOnly = false
    case (false, .existing), (false, .readOnly), (false, .inspect):
      throw .noLibrary(at: location.folder)
    case (false, .readOnlyOrEmpty):
      do { store = try Store.inMemory() } catch { throw UserError(error) }
      isReadOnly = true
    }
    notices =
      exists
      ? Self.unfinished(store, location, settling: !isReadOnly && opening != .inspect)
      : []
  }

  /// Returns messages about interrupted steps, one line each.
  ///
  /// They are settled whenever the library can be written, just as a database rolls back the
  /// transaction of a killed process when it is next opened. Otherwise the user could read
  /// documents of which only some were changed. If it cannot be written, the steps are only
  /// reported.
  private static func unfinished(
    _ store: Store, _ location: LibraryLocation, settling: Bool
  ) -> [String] {
    if settling, let done = try? settleJournal(of: store, at: location) {
      return done.settled.map(\.description)
    }
    return (try? interruptedSteps(of: store, at: location)) ?? []
  }

  /// Checks the database and returns its defects; an empty array if it is sound.
  ///
  /// - Throws: `damaged` or `conflict` if the database cannot be opened or read. Defects that the
  ///   check finds are returned, not thrown.
  package func integrityProblems() throws(UserError) -> [String] {
    try storage { try store.integrityProblems { ContentDigest(sha256: $0) } }
  }

  /// Returns the damaged rows that were omitted from results since the last call, one line each.
  /// Each row is reported only once.
  package func takeProblems() -> [String] { store.takeProblems().map(\.description) }

  /// An anchorer that uses the library's strategies.
  package var anchorer: Anchorer { Anchorer(plugins.anchoring) }

  /// Runs a call of the store and converts its errors. Errors of the store become `damaged`,
  /// `conflict` or `unconfirmed`; a `UserError` is thrown unchanged.
  package func storage<T>(_ body: () throws -> T) throws(UserError) -> T { try Self.storage(body) }

  /// Runs a call of a store and converts its errors, as the method of the same name does.
  ///
  /// - Throws: `UserError`; other errors become `conflict`.
  package static func storage<T>(_ body: () throws -> T) throws(UserError) -> T {
    do { return try body() } catch let error as UserError { throw error } catch let error
      as StoreError
    { throw UserError(error) } catch {
      throw UserError(.conflict, "the library could not be used: \(error)")
    }
  }
}

extension UserError {
  /// Creates an error for the user from an error of the store.
  package init(_ error: StoreError) {
    let message = error.description
    self =
      switch error {
      case .damaged:
        UserError(
          .damaged, message,
          hint: """
            nothing was changed; \(command: "doctor", "--repair") saves the readable data, \
            \(command: "restore", "FILE") restores a backup
            """)
      case .foreign, .newer, .older: UserError(.damaged, message)
      case .readOnly, .full, .inputOutput, .busy: UserError(.conflict, message)
      case .moved:
        UserError(.conflict, message, hint: "restart this program")
      case .unconfirmed: UserError(.unconfirmed, message)
      default: UserError(.conflict, message)
      }
  }
}
