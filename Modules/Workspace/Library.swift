import Anchoring
import Files
package import FoundationEssentials
import Glibc
package import Logging
import MarkdownParse
import Model
import Storage
package import SystemSupport

/// A person's documents and highlights: the use cases that every front-end calls.
///
/// Files are only read, but for `replace`, `format` and what takes those back, which write them as a
/// whole (`rewrite`). What a person changes is stored, with its operations, in one transaction before
/// a call returns.
package actor Library {
  /// Where the library lies.
  package nonisolated let location: LibraryLocation
  /// Which dialect each document is in.
  package nonisolated let dialects: Dialects
  /// The strategies in use.
  package nonisolated let plugins: PluginSet
  /// Whether nothing can be stored: the disk is read-only or there is no library yet.
  package nonisolated let isReadOnly: Bool

  /// Whether there is no library yet, and this is an empty one in its place.
  package nonisolated let isAbsent: Bool

  /// What was found at the opening that a person should know, one line each.
  package nonisolated let notices: [String]

  let store: Store
  /// The wall clock, for operations and for what is synced.
  let now: @Sendable () -> Date
  let logger: Logger
  /// Places that were found for changed files but could not be stored, in a read-only library.
  var unsaved: [Highlight.ID: Anchor] = [:]
  /// The text that was parsed last, by the hash of its bytes, in its dialect: commands that look at a file and then
  /// at its text parse it once.
  var lastParsed: (digest: ContentDigest, document: ParsedDocument)?
  /// How many files were parsed.
  var parseCount = 0
  /// The steps that were begun in files elsewhere, or of which this machine has no record: they are
  /// left as they are.
  package internal(set) var foreignSteps: [Int64] = []
  /// What this process is about to write, by step.
  var ownIntents: [Int64: StepIntent] = [:]
  /// What is still to be said of steps that were settled.
  var settledSteps: [String] = []
  /// What searches know of the documents.
  var searchCatalog: SearchCatalog?
  /// Whether anything was looked for yet: who searches once need not know every document.
  var hasSearched = false

  /// What opening a library may do.
  package enum Opening: Sendable {
    /// Makes the library when there is none.
    case create
    /// Fails when there is none.
    case existing
    /// Fails when there is none; one that cannot be written is good enough.
    case readOnly
    /// Gives an empty one when there is none, and creates nothing.
    case readOnlyOrEmpty
    /// The same as `readOnly`, and leaves alone what the others do on their way: a step that a process
    /// did not finish is named, not settled.
    case inspect
  }

  /// Opens a library.
  ///
  /// - Throws: `notFound` when there is none and none may be made, `damaged` for a database that is
  ///   broken, another program's or a newer Diple's, `conflict` when it is locked or cannot be
  ///   written.
  package init(
    at location: LibraryLocation, plugins: PluginSet, opening: Opening = .existing,
    dialects rules: DialectRules = DialectRules(),
    logger: Logger = Logger(label: "diple", factory: { _ in SwiftLogNoOpLogHandler() }),
    now: @escaping @Sendable () -> Date = { Date() }
  ) throws(UserError) {
    self.now = now
    self.location = location
    self.plugins = plugins
    dialects = Dialects(root: location.root, home: location.home, rules: rules)
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
        // Looking at highlights needs no writing: a read-only disk is no reason to refuse it.
        // Neither is a full one, on which a library that nobody uses cannot be opened to write.
        guard error.leavesItReadable, ![.create, .existing].contains(opening) else {
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
        // A folder that nothing came into is not left behind.
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

  /// What is to be said of steps that a process did not finish, one line each. As a database takes back
  /// what a killed writer left at the next look, they are settled wherever the library can be written:
  /// nobody should read documents of which some have been changed. Else they are only named.
  private static func unfinished(
    _ store: Store, _ location: LibraryLocation, settling: Bool
  ) -> [String] {
    if settling, let done = try? settleJournal(of: store, at: location) {
      return done.settled.map(\.description)
    }
    return (try? interruptedSteps(of: store, at: location)) ?? []
  }

  /// What is wrong with the database; empty when it is sound.
  package func integrityProblems() throws(UserError) -> [String] {
    try storage { try store.integrityProblems { ContentDigest(sha256: Array($0)) } }
  }

  /// The damaged rows that lists have left out since the last call, one line each; each row is told of
  /// once.
  package func takeProblems() -> [String] { store.takeProblems().map(\.description) }

  /// Finds places by the strategies in use.
  var anchorer: Anchorer { Anchorer(plugins.anchoring) }

  /// Runs a call into the store and gives its errors their meaning for a person.
  func storage<T>(_ body: () throws -> T) throws(UserError) -> T { try Self.storage(body) }

  static func storage<T>(_ body: () throws -> T) throws(UserError) -> T {
    do { return try body() } catch let error as UserError { throw error } catch let error
      as StoreError
    { throw UserError(error) } catch {
      throw UserError(.conflict, "the library could not be used: \(error)")
    }
  }
}

extension UserError {
  /// Gives a store's error its code and hint.
  init(_ error: StoreError) {
    let message = error.description
    self =
      switch error {
      case .damaged:
        UserError(
          .damaged, message,
          hint: """
            nothing was changed; \(command: "doctor", "--repair") saves what can be read, \
            \(command: "restore", "FILE") puts back a backup
            """)
      case .foreign, .newer: UserError(.damaged, message)
      case .readOnly, .full, .inputOutput, .busy: UserError(.conflict, message)
      case .moved:
        UserError(.conflict, message, hint: "end this program and start it again")
      case .unconfirmed: UserError(.unconfirmed, message)
      default: UserError(.conflict, message)
      }
  }
}
