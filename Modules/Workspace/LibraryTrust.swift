import Glibc
package import Model
package import SystemSupport

/// The user's settings for libraries that another user may have made, for example one in a cloned
/// repository or a shared folder. They are read from the user's own configuration, never from a
/// library's.
///
/// ```swift
/// let trust = LibraryTrust(safe: ["/srv/notes/.diple"])
/// let location = try LibraryLocation.find(named: nil, environment: environment, trust: trust)
/// ```
package struct LibraryTrust: Hashable, Sendable {
  /// The folders of libraries that may be used although other users own or can write them.
  package var safe: Set<String>
  /// The folders, besides the library's own, that may contain its documents.
  package var outside: [String]

  /// Creates settings. Without arguments, nothing is allowed.
  package init(safe: Set<String> = [], outside: [String] = []) {
    (self.safe, self.outside) = (safe, outside)
  }

  /// The names of the files in a library's folder that Diple reads.
  static let fileNames = [
    "library.sqlite", "library.sqlite-wal", "library.sqlite-shm", "library.sqlite-journal",
    "config.toml", "library.ignore",
  ]

  /// Checks that a library that the user did not name belongs to the user entirely, as git does for
  /// repositories.
  ///
  /// - Throws: `conflict`, with the offending file and the command that allows the library, if a
  ///   file belongs to another user, can be written by others or is a symbolic link.
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
          """
          if you trust it: \(unquoted: "library.configure", [
            "key": .text("library.safe"), "value": .text(known.joined(separator: ":")),
          ])
          """
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
    // A user who may rename files in the folder around the library can replace the library. If that
    // folder has the sticky bit, only the owner of a file can do so.
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
  /// Checks that a library that the user did not name belongs to the user, by the rules of
  /// `LibraryTrust`.
  ///
  /// - Throws: `conflict` if it belongs to another user.
  package func requireOwn() throws(UserError) { try trust.check(self) }

  /// The names of folders in which other programs find files to execute, such as git hooks. A
  /// document of a `.diple` library must not be below such a folder.
  private static let controlFolders: Set<String> = [
    ".git", ".hg", ".svn", ".jj", ".bzr", "cvs", "_darcs", folderName,
  ]

  /// Returns whether a file system may resolve a name to one of the control folders. File systems
  /// can ignore case or invisible characters, or have short names such as `GIT~1`. O(name).
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

  /// Returns the file of a document. Every path from the database is checked here before the file
  /// is read or written.
  ///
  /// The documents of a `.diple` library must be below the folder around it or in a folder that the
  /// user's settings allow, after all symbolic links are resolved. Other libraries are the user's
  /// own or were named by the user; their documents may be anywhere.
  ///
  /// - Returns: the path without symbolic links if the file exists, else the stored path.
  /// - Throws: `notFound` if the path is empty, leads outside the permitted folders, or is known
  ///   only on another device.
  package func file(of path: DocumentPath) throws(UserError) -> String {
    if path.isElsewhere {
      throw UserError(
        .notFound, "'\(path.string)' is on another device and was not found on this one",
        hint: """
          \(action: "document.link", ["document": .asked("doc"), "path": .asked("file")]) links it \
          to the file on this machine
          """)
    }
    guard !path.string.isEmpty else {
      throw UserError(
        .notFound, "a document of the library has no path",
        hint: "\(action: "document.list") shows it, and \(action: "document.remove") removes it")
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
    // If the file does not exist, the nearest existing folder determines whether it would be
    // inside.
    var folder = stated
    repeat {
      folder = folder.parentFolder
    } while folder != "/" && FileSystem.resolved(folder) == nil
    let rest = stated.dropFirst(folder == "/" ? 0 : folder.utf8.count)
    let real = (FileSystem.resolved(folder) ?? "/") + (rest.hasPrefix("/") ? "" : "/") + rest
    guard holds(FileSystem.absolute(real), root) else { throw outside(stated, root) }
    return stated
  }

  /// Returns whether a document's path leads outside the permitted folders.
  package func isOutside(_ path: DocumentPath) -> Bool {
    if path.isElsewhere { return false }
    do throws(UserError) { _ = try file(of: path) } catch { return error.code == .notFound }
    return false
  }

  /// Returns the file that a link in a document leads to, without symbolic links. In a document of
  /// a `.diple` library, links to files outside the permitted folders are refused. Documents of
  /// other libraries, and texts that are not in a library, may link to any file.
  ///
  /// - Throws: `notFound` if the file is outside the permitted folders or does not exist.
  package func file(linked path: String, from document: Document?) throws(UserError) -> String {
    let file = document == nil ? path : try self.file(of: documentPath(path))
    guard Library.isFile(file) else { throw FileSystem.noSuchFile(path) }
    return file
  }

  /// Checks that a folder may contain documents.
  ///
  /// - Throws: `notFound` if it may not, for the same reasons as `file(of:)`.
  func requireHeld(_ folder: String) throws(UserError) {
    guard let root, let real = FileSystem.resolved(folder) else { return }
    let base = FileSystem.resolved(root) ?? root
    // A folder above a permitted folder is accepted, because some of its files may be documents.
    // `file(of:)` refuses the others.
    let around = ([base] + trust.outside).contains { $0 == real || $0.isBelow(real) }
    guard around || holds(real, root) else { throw outside(folder, root) }
  }

  /// Returns whether a path without symbolic links may be the path of a document.
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
    if inControl && path.isBelow(root) {
      return UserError(
        .notFound,
        "\(path) is not read: it is a file of a version control program or of Diple")
    }
    return UserError(
      .notFound,
      "this library accepts files below \(root) only; \(path) is elsewhere",
      hint: """
        copy it there, use another library (--library DIR), or allow its folder: \
        \(unquoted: "library.configure", [
          "key": .text("library.outside"), "value": .text(known.joined(separator: ":")),
        ])
        """, remedy: .setting("library.outside"))
  }

  // MARK: - The library's own files

  /// Ensures that the database and the files that SQLite creates beside it are regular files, not
  /// links, that only their owner can read.
  ///
  /// - Throws: `damaged` if one of them is not a regular file.
  package func secureDatabase() throws(UserError) {
    for suffix in ["", "-wal", "-shm", "-journal"] {
      let path = database + suffix
      var status = stat()
      guard lstat(path, &status) == 0 else { continue }
      guard status.st_mode & S_IFMT == S_IFREG else {
        throw UserError(
          .damaged, "\(path) is not a regular file; the library is not opened",
          hint: "the database must not be a link")
      }
      // On a read-only disk, or in another user's library, the permissions are not changed.
      if status.st_mode & 0o077 != 0, status.st_uid == geteuid() {
        chmod(path, status.st_mode & 0o700)
      }
    }
  }
}
