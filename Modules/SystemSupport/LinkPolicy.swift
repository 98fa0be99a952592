import Glibc

/// How a write treats a symbolic link at its path.
///
/// A link in a cloned folder was made by the author of the folder: following it would write the
/// file that the author chose, such as `~/.bashrc`. Links in the folders above the file are
/// followed.
package enum LinkPolicy: Sendable {
  /// The write fails.
  case refused
  /// The link's target is written if it exists, is below the folder of the link, and
  /// neither it nor a folder on the way is hidden: `.git/hooks` and `.envrc` contain programs.
  case followedInFolder
  /// The link's target is written; the caller has checked it.
  case followed

  /// Returns the absolute path to write, without links.
  ///
  /// - Throws: `ELOOP` for a link that must not be followed.
  package func target(of path: String) throws(SystemCallError) -> String {
    let absolute = FileSystem.absolute(path)
    guard !path.hasNUL else { throw SystemCallError(ENOENT) }
    guard absolute != "/" else { return absolute }
    let folder = FileSystem.resolved(absolute.parentFolder) ?? absolute.parentFolder
    let linkPath = folder.appending(String(absolute.lastComponent))
    var status = stat()
    guard lstat(linkPath, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return linkPath }
    guard self != .refused else { throw SystemCallError(ELOOP) }
    // The system's own links lead to descriptors and devices: /dev/stdout, /dev/fd/63. A pipe there
    // has no path. Users can write below /dev, in /dev/shm.
    if folder == "/dev" || folder.isBelow("/proc") {
      return FileSystem.resolved(linkPath) ?? linkPath
    }
    guard let target = FileSystem.resolved(linkPath) else { throw SystemCallError(ELOOP) }
    if self == .followed { return target }
    guard target.isBelow(folder) else { throw SystemCallError(ELOOP) }
    let steps = target.dropFirst(folder.utf8.count).split(separator: "/")
    guard steps.allSatisfy({ !$0.hasPrefix(".") }) else { throw SystemCallError(ELOOP) }
    return target
  }
}
