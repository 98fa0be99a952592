import Files
import Glibc
package import Model
package import SystemSupport

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
  /// The folder that contains `.diple`; paths of files in it are stored relative to it. nil for a
  /// library without a folder, in which all paths are absolute.
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
  /// to no folder, or if the other does not exist or is not trusted.
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
