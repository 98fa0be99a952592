package import Anchoring
import Files
package import FoundationEssentials
import Glibc
package import Logging
import MarkdownParse
package import Model
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
  /// The unfinished steps that were begun on another device, or of which this device has no record.
  /// They are not changed.
  package internal(set) var foreignSteps: [Int64] = []
  /// The steps that this process has begun and not yet finished.
  var ownIntents: [Int64: StepIntent] = [:]
  /// Messages about settled steps that were not yet returned by `drainSettledSteps`.
  var settledSteps: [String] = []
  /// The reports of missing documents whose files were found by the names that a user gave them.
  /// They were not yet returned by `drainFoundDocuments`.
  var foundDocuments: [RefreshReport] = []
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
            nothing was changed; \(tool: .repairLibrary) saves the readable data, \
            \(tool: .restoreBackup) restores a backup
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

/// The folder of a library and the folder to which its relative paths refer.
///
/// ```swift
/// let location = LibraryLocation(folder: "/home/ann/notes/.diple")
/// location.root      // "/home/ann/notes"
/// location.database  // "/home/ann/notes/.diple/library.sqlite"
/// ```
package struct LibraryLocation: Hashable, Sendable {
  /// The absolute path of the folder that contains the database.
  package var folder: String
  /// The folder that contains `.diple`; paths of files in it are stored relative to it. Nil for a
  /// library that belongs to no folder; all paths in it are absolute.
  package var root: String?
  /// The user's home folder. It is not searched or watched as a whole, even if a document is
  /// directly in it.
  package var home: String?
  /// Diple's folder in the user's XDG state folder; nil if the user has no home folder.
  package var state: String?
  /// The folder for sockets and locks; nil if the user has no such folder.
  package var runtime: String?
  /// The user's settings for libraries that other users may have made.
  package var trust = LibraryTrust()

  /// The name of the folder that contains the library of the folder around it.
  package static let folderName = ".diple"

  /// Creates the location of the library in `folder`. If the folder is named `.diple`, the library
  /// belongs to the folder around it.
  package init(folder: String) {
    let path = FileSystem.absolute(folder)
    self.folder = path
    if path.lastComponent == Self.folderName { root = path.parentFolder }
  }

  /// Finds the library that a command uses. It is the first that applies of:
  ///
  /// 1. the folder that the user named
  /// 2. the folder in `DIPLE_LIBRARY`
  /// 3. the nearest `.diple` in the current folder or above it
  /// 4. the user's own library in the XDG data folder.
  ///
  /// - Parameter trust: the user's settings for libraries of other users.
  /// - Throws: `usage` if no library is named and there is no home folder; `conflict` if the
  ///   library found belongs to another user.
  package static func find(
    named folder: String?, environment: [String: String], trust: LibraryTrust = LibraryTrust()
  ) throws(UserError) -> LibraryLocation {
    var location = try place(named: folder, environment: environment, trust)
    location.trust = trust
    location.usePersonalFolders(of: environment)
    return location
  }

  /// Sets the home, state and runtime folders from the environment.
  package mutating func usePersonalFolders(of environment: [String: String]) {
    let folders = StandardFolders(environment: environment)
    home = folders.home
    state = folders.state.map { $0 + "/diple" }
    runtime = folders.privateRuntime.map { $0 + "/diple" } ?? state.map { $0 + "/run" }
  }

  private static func place(
    named folder: String?, environment: [String: String], _ trust: LibraryTrust
  ) throws(UserError) -> LibraryLocation {
    if let folder { return LibraryLocation(folder: folder) }
    if let folder = environment["DIPLE_LIBRARY"], !folder.isEmpty {
      return LibraryLocation(folder: folder)
    }
    if let nearest = nearest(from: FileSystem.currentFolder) {
      try trust.check(nearest)
      return nearest
    }
    if let personal = personal(environment: environment) { return personal }
    throw UserError(
      .usage, "no place for a library: HOME is not set", hint: "name one with --library DIR")
  }

  /// Returns the library that commands in this library's folder used before this library was
  /// created: the nearest library above the folder, or the user's own. Nil if this library belongs
  /// to no folder, or if the earlier one does not exist or is not trusted.
  package func outer(environment: [String: String]) -> LibraryLocation? {
    guard let root else { return nil }
    let above = root == "/" ? nil : Self.nearest(from: root.parentFolder)
    guard var found = above ?? Self.personal(environment: environment), found.folder != folder,
      found.exists, (try? trust.check(found)) != nil
    else { return nil }
    found.trust = trust
    found.usePersonalFolders(of: environment)
    return found
  }

  /// Returns the user's own library, in the XDG data folder; nil if there is no home folder.
  private static func personal(environment: [String: String]) -> LibraryLocation? {
    StandardFolders(environment: environment).data.map { LibraryLocation(folder: $0 + "/diple") }
  }

  /// Returns the library of the nearest folder that has one, from `start` upwards; nil if no folder
  /// has a library.
  static func nearest(from start: String) -> LibraryLocation? {
    var folder = start
    while true {
      let candidate = folder.appending(folderName)
      if let status = try? FileSystem.status(of: candidate), status.isFolder {
        return LibraryLocation(folder: candidate)
      }
      guard folder != "/" else { return nil }
      folder = folder.parentFolder
    }
  }

  /// The path of the database file.
  package var database: String { folder + "/library.sqlite" }

  /// Whether the database file exists at present.
  package var exists: Bool { ((try? FileSystem.status(of: database)) ?? nil) != nil }

  /// Returns the form in which a file's path is stored: relative to the root if it is below it,
  /// otherwise absolute.
  package func documentPath(_ path: String) -> DocumentPath {
    let absolute = FileSystem.absolute(path)
    guard let root else { return DocumentPath(absolute) }
    let prefix = root == "/" ? "/" : root + "/"
    return DocumentPath(
      absolute.hasPrefix(prefix) ? String(absolute.dropFirst(prefix.count)) : absolute)
  }

  /// Returns the stored path of the file to which a symbolic link leads, also if the link is a
  /// folder of the path. Nil if the path has no link, or the file is not below the root.
  func documentPath(ofLink path: String) -> DocumentPath? {
    guard let target = FileSystem.resolved(FileSystem.absolute(path)) else { return nil }
    // The root itself may be below a link.
    guard let root, let realRoot = FileSystem.resolved(root) else {
      return root == nil && target != FileSystem.absolute(path) ? DocumentPath(target) : nil
    }
    let prefix = realRoot == "/" ? "/" : realRoot + "/"
    guard target.hasPrefix(prefix) else { return nil }
    let found = DocumentPath(String(target.dropFirst(prefix.count)))
    return found == documentPath(path) ? nil : found
  }

  /// Returns the absolute path of a stored one, for display and comparison. To read or write the
  /// file, use `file(of:)`.
  package func absolute(_ path: DocumentPath) -> String {
    path.isAbsolute ? path.string : FileSystem.absolute(path.string, from: root ?? "/")
  }

  /// A name for the library in the user's own folders: the first 16 hexadecimal digits of the
  /// SHA-256 digest of its path. It is short because the address of a socket is limited to 107
  /// bytes.
  package var key: String {
    let path = FileSystem.resolved(folder) ?? folder
    return String(ContentDigest(sha256: Array(path.utf8)).description.prefix(16))
  }
}
