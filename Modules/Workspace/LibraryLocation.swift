import Files
import Glibc
package import Model
package import SystemSupport

/// Where a library lies, and from which folder its relative paths count.
package struct LibraryLocation: Hashable, Sendable {
  /// The folder that holds the database.
  package var folder: String
  /// The folder whose files have relative paths: the one that holds `.diple`. Nil for a library
  /// that belongs to no folder; there, all paths are absolute.
  package var root: String?
  /// The person's home folder, which is never looked through or watched with all below it only
  /// because a document lies in it.
  package var home: String?
  /// Diple's folder among what programs remember for this person; nil without a home.
  package var state: String?
  /// The folder for sockets and locks; nil where there is no place for one.
  package var runtime: String?
  /// What the person allows libraries that others may have made.
  package var trust = LibraryTrust()

  /// The name of a folder's own library inside it.
  package static let folderName = ".diple"

  /// Names the library in `folder`; one that is called `.diple` belongs to the folder around it.
  package init(folder: String) {
    let path = FileSystem.absolute(folder)
    self.folder = path
    if path.lastComponent == Self.folderName { root = path.parentFolder }
  }

  /// The library that a command means: the one that is named, that of `DIPLE_LIBRARY`, the nearest
  /// `.diple` upwards from the current folder, or the person's own in the XDG data folder.
  ///
  /// - Parameter trust: what the person allows.
  /// - Throws: `usage` when none is named and there is no home folder to keep one in, and
  ///   `conflict` when the one that was found is another's.
  package static func find(
    named folder: String?, environment: [String: String], trust: LibraryTrust = LibraryTrust()
  ) throws(UserError) -> LibraryLocation {
    var location = try place(named: folder, environment: environment, trust)
    location.trust = trust
    location.usePersonalFolders(of: environment)
    return location
  }

  /// Takes the folders for what this machine alone needs to know of the library.
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
    if let own = own(environment: environment) { return own }
    throw UserError(
      .usage, "no place for a library: HOME is not set", hint: "name one with --library DIR")
  }

  /// The library that was meant in this one's folder before there was this one: the nearest above,
  /// or the person's own. Nil for a library that belongs to no folder, where there is none, or where
  /// it is another's.
  package func outer(environment: [String: String]) -> LibraryLocation? {
    guard let root else { return nil }
    let above = root == "/" ? nil : Self.nearest(from: root.parentFolder)
    guard var found = above ?? Self.own(environment: environment), found.folder != folder,
      found.exists, (try? trust.check(found)) != nil
    else { return nil }
    found.trust = trust
    found.usePersonalFolders(of: environment)
    return found
  }

  /// The person's own library; nil when there is no home folder.
  private static func own(environment: [String: String]) -> LibraryLocation? {
    StandardFolders(environment: environment).data.map { LibraryLocation(folder: $0 + "/diple") }
  }

  /// The nearest folder's library from `start` upwards.
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

  /// The database file.
  package var database: String { folder + "/library.sqlite" }

  /// Whether there is a library by now.
  package var exists: Bool { ((try? FileSystem.status(of: database)) ?? nil) != nil }

  /// The stored form of a file's path.
  func documentPath(_ path: String) -> DocumentPath {
    let absolute = FileSystem.absolute(path)
    guard let root else { return DocumentPath(absolute) }
    let prefix = root == "/" ? "/" : root + "/"
    return DocumentPath(
      absolute.hasPrefix(prefix) ? String(absolute.dropFirst(prefix.count)) : absolute)
  }

  /// The absolute path of a stored one, to be shown or compared. What is read or written is
  /// `file(of:)`.
  package func absolute(_ path: DocumentPath) -> String {
    path.isAbsolute ? path.string : FileSystem.absolute(path.string, from: root ?? "/")
  }

  /// A name for the library among the person's own files: 16 digits of a hash of its path, so short
  /// because the address of a socket has room for 107 bytes.
  package var key: String {
    let path = FileSystem.resolved(folder) ?? folder
    return String(ContentDigest(sha256: Array(path.utf8)).description.prefix(16))
  }
}
