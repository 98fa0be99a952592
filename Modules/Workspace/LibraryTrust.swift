import Glibc
package import Model
package import SystemSupport

/// What a person allows libraries that another user may have made: one that came with a cloned
/// repository or lies in a shared folder. Only a person's own settings say it, never a library's.
package struct LibraryTrust: Hashable, Sendable {
  /// The folders of libraries that may be used although others own or can write them.
  package var safe: Set<String>
  /// The folders, besides a library's own, in which its documents may lie.
  package var outside: [String]

  /// Allows nothing, unless folders are named.
  package init(safe: Set<String> = [], outside: [String] = []) {
    (self.safe, self.outside) = (safe, outside)
  }

  /// The files of a library that mean something to Diple.
  static let fileNames = [
    "library.sqlite", "library.sqlite-wal", "library.sqlite-shm", "library.sqlite-journal",
    "config.toml", "library.ignore",
  ]

  /// Checks a library that nobody named: it must belong to this person as a whole, as git asks of a
  /// repository.
  ///
  /// - Throws: `conflict` with what is another's, and the command that allows it.
  func check(_ location: LibraryLocation) throws(UserError) {
    let folder = location.folder
    guard !safe.contains(folder), !safe.contains(FileSystem.resolved(folder) ?? folder) else {
      return
    }
    func refuse(_ path: String, _ reason: String) -> UserError {
      let known = safe.sorted() + [folder]
      return UserError(
        .conflict, "the library \(folder) is not used: \(path) \(reason)",
        hint:
          "if you trust it: \(typed: "config", "set", "library.safe", .word(known.joined(separator: ":")))"
      )
    }
    func check(_ path: String, isFolder: Bool) throws(UserError) {
      var status = stat()
      guard lstat(path, &status) == 0 else {
        if errno == ENOENT { return }
        throw FileSystem.systemError("stat", path)
      }
      let kind = status.st_mode & S_IFMT
      if kind == S_IFLNK { throw refuse(path, "is a symbolic link") }
      guard kind == (isFolder ? S_IFDIR : S_IFREG) else {
        throw refuse(path, isFolder ? "is not a folder" : "is not a regular file")
      }
      guard status.st_uid == geteuid() else { throw refuse(path, "belongs to another user") }
      if status.isWritableByOthers { throw refuse(path, "can be written by other users") }
    }
    try check(folder, isFolder: true)
    for name in Self.fileNames { try check(folder + "/" + name, isFolder: false) }
    // Whoever may rename in the folder around it can put another library in its place. In one with
    // the sticky bit only the owner of a thing can do that.
    guard let root = location.root, let status = try FileSystem.status(of: root) else { return }
    guard [geteuid(), 0].contains(status.st_uid) else {
      throw refuse(root, "belongs to another user")
    }
    if status.isWritableByOthers, status.st_mode & S_ISVTX == 0 {
      throw refuse(root, "can be written by other users")
    }
  }
}

extension LibraryLocation {
  /// Refuses a library that nobody named and that is not this person's own, as `LibraryTrust` says.
  ///
  /// - Throws: `conflict` with what is another's.
  package func requireOwn() throws(UserError) { try trust.check(self) }

  /// What belongs to programs that run what they find there: no document of a `.diple` lies below a
  /// folder of such a name.
  private static let controlFolders: Set<String> = [
    ".git", ".hg", ".svn", ".jj", ".bzr", "cvs", "_darcs", folderName,
  ]

  /// Whether a name is that of such a folder, also on a disk that ignores case, drops characters
  /// that are not seen, or has short names such as `GIT~1`. O(name).
  private static func isControlFolder(_ name: some StringProtocol) -> Bool {
    let seen = name.unicodeScalars.filter { !$0.properties.isDefaultIgnorableCodePoint }
    var folded = String(String.UnicodeScalarView(seen)).lowercased()
    while let last = folded.last, last == "." || last == " " { folded.removeLast() }
    if controlFolders.contains(folded) { return true }
    let parts = folded.split(separator: "~", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[1].isEmpty, parts[1].allSatisfy(\.isNumber) else { return false }
    return controlFolders.contains {
      $0.drop { $0 == "." }.hasPrefix(parts[0]) && parts[0].count > 1
    }
  }

  /// The file of a document: the one way from a path in the database to what is read or written.
  ///
  /// The documents of a `.diple` lie below the folder around it, or where the person's own settings
  /// allow it, whatever links stand on the way. A library that is called otherwise was named by the
  /// person, or is their own, and names files anywhere.
  ///
  /// - Returns: the path without symbolic links where there is a file; as it is said where there is
  ///   none.
  /// - Throws: `notFound` for a path that leads outside.
  package func file(of path: DocumentPath) throws(UserError) -> String {
    if path.isElsewhere {
      throw UserError(
        .notFound, "'\(path.string)' is on another machine and was not found on this one",
        hint: "\(command: "doc", "link", "DOC", "FILE") says which file it is here")
    }
    guard !path.string.isEmpty else {
      throw UserError(
        .notFound, "a document of the library has no path",
        hint: "\(command: "doc", "list") names it, and \(command: "doc", "remove") takes it out")
    }
    let stated = absolute(path)
    guard let root else { return stated }
    guard !path.string.hasNUL else { throw outside(stated, root) }
    if let real = FileSystem.resolved(stated) {
      guard holds(real, root) else { throw outside(stated, root) }
      return real
    }
    guard errno == ENOENT || errno == ENOTDIR else {
      throw FileSystem.systemError("stat", stated)
    }
    // Nothing is there: then the nearest folder that is says where it would be.
    var folder = stated
    repeat {
      folder = folder.parentFolder
    } while folder != "/" && FileSystem.resolved(folder) == nil
    let rest = stated.dropFirst(folder == "/" ? 0 : folder.utf8.count)
    let real = (FileSystem.resolved(folder) ?? "/") + (rest.hasPrefix("/") ? "" : "/") + rest
    guard holds(FileSystem.absolute(real), root) else { throw outside(stated, root) }
    return stated
  }

  /// Whether the file of a document is one that the library may not name.
  package func isOutside(_ path: DocumentPath) -> Bool {
    if path.isElsewhere { return false }
    do throws(UserError) { _ = try file(of: path) } catch { return error.code == .notFound }
    return false
  }

  /// The file that a link of a document leads to, without symbolic links. A document of a library that
  /// was found in a folder leads to no file outside of it; what is in no library, and what a person's own
  /// library holds, leads anywhere.
  ///
  /// - Throws: `notFound` for a file outside, and for none.
  package func file(linked path: String, from document: Document?) throws(UserError) -> String {
    let file = document == nil ? path : try self.file(of: documentPath(path))
    guard Library.isFile(file) else { throw FileSystem.noSuchFile(path) }
    return file
  }

  /// Refuses a folder below which no document can lie.
  ///
  /// - Throws: `notFound`, as for a file in it.
  func requireHeld(_ folder: String) throws(UserError) {
    guard let root, let real = FileSystem.resolved(folder) else { return }
    let base = FileSystem.resolved(root) ?? root
    // What lies around the library's folder, or around one that is allowed, has files of both kinds.
    let around = ([base] + trust.outside).contains { $0 == real || $0.isBelow(real) }
    guard around || holds(real, root) else { throw outside(folder, root) }
  }

  /// Whether a path without links is one of a document of this library.
  private func holds(_ real: String, _ root: String) -> Bool {
    let base = FileSystem.resolved(root) ?? root
    if real.isBelow(base) {
      let inner = real.dropFirst(base == "/" ? 0 : base.count)
      return !inner.split(separator: "/").contains(where: Self.isControlFolder)
    }
    return trust.outside.contains { folder in
      let allowed = FileSystem.resolved(folder) ?? folder
      return real == allowed || real.isBelow(allowed)
    }
  }

  private func outside(_ path: String, _ root: String) -> UserError {
    let known = trust.outside + [FileSystem.resolved(path)?.parentFolder ?? path.parentFolder]
    let inControl = path.split(separator: "/").contains(where: Self.isControlFolder)
    return UserError(
      .notFound,
      inControl && path.isBelow(root)
        ? "\(path) is not read: it belongs to a version control program or to Diple itself"
        : "\(path) is outside the library's folder \(root), and is neither read nor written",
      hint: inControl && path.isBelow(root)
        ? nil
        : """
        if you trust the library: \
        \(typed: "config", "set", "library.outside", .word(known.joined(separator: ":")))
        """)
  }

  // MARK: - The library's own files

  /// Sees to it that the database is a regular file which only its owner may read, as are the files
  /// that SQLite puts beside it, and that none is a link to another.
  ///
  /// - Throws: `damaged` for what is not a regular file.
  func secureDatabase() throws(UserError) {
    for suffix in ["", "-wal", "-shm", "-journal"] {
      let path = database + suffix
      var status = stat()
      guard lstat(path, &status) == 0 else { continue }
      guard status.st_mode & S_IFMT == S_IFREG else {
        throw UserError(
          .damaged, "\(path) is not a regular file; the library is not opened",
          hint: "a database is never a link")
      }
      // On a read-only disk, or in another's library, it stays as it is.
      if status.st_mode & 0o077 != 0, status.st_uid == geteuid() {
        chmod(path, status.st_mode & 0o700)
      }
    }
  }
}
