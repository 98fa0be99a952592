package import Glibc

/// Calls into the file system, each with an error that names the path.
package enum FileSystem {
  /// The status of a path, following links; nil when there is nothing at it, which is so for every
  /// path with a NUL: the system would read it to there, as another one.
  package static func status(of path: String) throws(UserError) -> stat? {
    if path.hasNUL { return nil }
    var status = stat()
    if stat(path, &status) == 0 { return status }
    if errno == ENOENT || errno == ENOTDIR { return nil }
    throw systemError("stat", path)
  }

  /// The error that `errno` stands for, with what was tried.
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

  /// Says that nothing is at a path; where its name may be no UTF-8, that names must be.
  package static func noSuchFile(_ path: String) -> UserError {
    UserError(
      .notFound, "no such file: \(path)",
      hint: path.unicodeScalars.contains("\u{FFFD}")
        ? "the names of files must be UTF-8; rename it" : nil)
  }

  /// Makes a folder and those above it. Nothing happens when it is there.
  package static func makeFolder(_ path: String) throws(UserError) {
    do { try makeFolders(path) } catch {
      throw systemError("make the folder", path, number: error.number)
    }
  }

  /// The same for callers with words of their own.
  package static func makeFolders(_ path: String) throws(SystemFailure) {
    if path.isEmpty || mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, path.parentFolder != "/" else { throw SystemFailure() }
    try makeFolders(path.parentFolder)
    if mkdir(path, 0o700) != 0 && errno != EEXIST { throw SystemFailure() }
  }

  /// Gives the names in a folder but `.` and `..`, in no order.
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

  /// A path without symbolic links; nil, with the reason in `errno`, where nothing is.
  package static func resolved(_ path: String) -> String? {
    guard !path.utf8.contains(0) else {
      errno = ENOENT
      return nil
    }
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// The folder that relative paths start from.
  package static var currentFolder: String {
    guard let buffer = getcwd(nil, 0) else { return "/" }
    defer { free(buffer) }
    return String(cString: buffer)
  }

  /// An absolute path without `.`, `..` and doubled slashes. Links are left as they are: a person
  /// knows a file by the name that they gave.
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
    return "/" + components.joined(separator: "/")
  }
}

extension stat {
  /// Whether it is a folder's.
  package var isFolder: Bool { st_mode & S_IFMT == S_IFDIR }
}
