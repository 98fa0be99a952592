package import Glibc

/// File system calls whose errors name the path.
package enum FileSystem {
  /// Returns the status of a path, following symbolic links; nil if nothing exists there. A path
  /// that contains NUL doesn't exist: the system would stop reading at the NUL and find another
  /// file.
  ///
  /// - Throws: `UserError` for other failures of stat(2), such as missing permissions.
  package static func status(of path: String) throws(UserError) -> stat? {
    if path.hasNUL { return nil }
    var status = stat()
    if stat(path, &status) == 0 { return status }
    if errno == ENOENT || errno == ENOTDIR { return nil }
    throw systemError("stat", path)
  }

  /// Converts `errno` to an error that names the action and the path.
  package static func systemError(_ action: String, _ path: String, number: Int32 = errno)
    -> UserError
  {
    let reason = String(cString: strerror(number))
    return switch number {
    case ENOENT, ENOTDIR: noSuchFile(path)
    case EACCES, EPERM:
      UserError(
        .notFound, "cannot \(action) \(path): \(reason)",
        hint: "check the permissions of the file and its folders")
    case ENOSPC, EDQUOT:
      UserError(.conflict, "cannot \(action) \(path): \(reason)", hint: "free some space")
    case EIO:
      UserError(
        .notFound, "cannot \(action) \(path): \(reason)",
        hint: "the disk, or the connection to it, has a fault")
    case EROFS: UserError(.conflict, "cannot \(action) \(path): \(reason)")
    default: UserError(.notFound, "cannot \(action) \(path): \(reason)")
    }
  }

  /// An error for a missing path. If its name may be invalid UTF-8, the hint explains that names
  /// must be UTF-8.
  package static func noSuchFile(_ path: String) -> UserError {
    var status = stat()
    if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK {
      return UserError(.notFound, "\(path) is a link to a file that does not exist")
    }
    return UserError(
      .notFound, "no such file: \(shown(path))",
      hint: path.unicodeScalars.contains("\u{FFFD}")
        ? "the names of files must be UTF-8; rename it" : nil)
  }

  /// Creates a folder and its parents, if they are missing.
  ///
  /// - Throws: `UserError` if a folder cannot be created.
  package static func makeFolder(_ path: String) throws(UserError) {
    do { try makeFolders(path) } catch {
      throw systemError("make the folder", path, number: error.number)
    }
  }

  /// Creates a folder and its parents, for callers with their own error messages.
  ///
  /// - Throws: `SystemCallError` if a folder cannot be created. An existing folder is not an error.
  package static func makeFolders(_ path: String) throws(SystemCallError) {
    if path.isEmpty || mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, path.parentFolder != "/" else { throw SystemCallError() }
    try makeFolders(path.parentFolder)
    if mkdir(path, 0o700) != 0 && errno != EEXIST { throw SystemCallError() }
  }

  /// Calls `body` with each name in a folder except `.` and `..`, in no particular order.
  ///
  /// - Throws: `UserError` if the folder cannot be read.
  package static func forEachName(in folder: String, _ body: (String) -> Void) throws(UserError) {
    guard let stream = opendir(folder) else { throw systemError("read the folder", folder) }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { body(name) }
    }
  }

  /// Resolves all symbolic links of a path. Nil, with the reason in `errno`, if nothing exists
  /// there.
  package static func resolved(_ path: String) -> String? {
    guard !path.utf8.contains(0) else {
      errno = ENOENT
      return nil
    }
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// The current folder, or `/` if it was deleted.
  package static var currentFolder: String {
    guard let buffer = getcwd(nil, 0) else { return "/" }
    defer { free(buffer) }
    return String(cString: buffer)
  }

  /// Returns an absolute path as it is shown to people: relative to `folder` if it is below it;
  /// with `..`, such as `../notes/a.md`, if that is shorter; otherwise unchanged. Unchanged if
  /// `folder` is the root. No path begins with a hyphen, so that a program does not take it for an
  /// option.
  package static func shown(_ path: String, from folder: String = currentFolder) -> String {
    // A program without a current folder of its own, such as the daemon, runs in the root.
    guard folder != "/", path.hasPrefix("/"), path != folder else { return path }
    // Bytes are compared, because names that differ only in their normal form are of two files.
    let names = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    let parents = folder.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    let common = zip(names, parents).prefix { $0.elementsEqual($1) }.count
    let up = [Substring](repeating: "..", count: parents.count - common)
    let relative = String(joined(up + names[common...].map(Substring.init)).dropFirst())
    if !up.isEmpty { return relative.utf8.count < path.utf8.count ? relative : path }
    return relative.hasPrefix("-") ? "./" + relative : relative
  }

  /// Returns the components with a slash before each of them. For `joined(separator:)`, the runtime
  /// would search the conformances of all types in every command.
  private static func joined(_ components: [Substring]) -> String {
    var path = ""
    for component in components {
      path += "/"
      path.append(contentsOf: component)
    }
    return path
  }

  /// Makes a path absolute and removes `.`, `..` and repeated slashes. Symbolic links stay, because
  /// users know a file by the name that they typed.
  package static func absolute(_ path: String, from folder: String = currentFolder) -> String {
    let full = path.hasPrefix("/") ? path : folder + "/" + path
    var components: [Substring] = []
    for component in full.split(separator: "/") {
      switch component {
      case ".": continue
      case "..": _ = components.popLast()
      default: components.append(component)
      }
    }
    return components.isEmpty ? "/" : joined(components)
  }
}

extension stat {
  /// Whether this is the status of a folder.
  package var isFolder: Bool { st_mode & S_IFMT == S_IFDIR }
}
