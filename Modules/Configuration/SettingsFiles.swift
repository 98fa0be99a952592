import Glibc

/// Reads settings files, each again only after it changed.
package final class SettingsFiles {
  /// The device, inode, size and times of a file; empty if it does not exist. Another file, or a
  /// changed one, differs in one of them.
  private struct Stamp: Equatable {
    var numbers: [Int] = []

    /// Returns nil if the file cannot be reached.
    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else {
        if errno == ENOENT || errno == ENOTDIR { return }
        return nil
      }
      numbers = [
        Int(bitPattern: UInt(status.st_dev)), Int(bitPattern: UInt(status.st_ino)),
        Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
        status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
      ]
    }
  }

  private var known: [String: (stamp: Stamp, file: SettingsFile)] = [:]

  package init() {}

  /// Returns the settings in a file, which are none if the file does not exist.
  ///
  /// - Throws: the first error in the file. A file with an error is read again at the next call.
  func file(
    at path: String, _ owner: SettingsFile.Owner
  ) throws(SettingsError) -> SettingsFile {
    // The stamp is taken first: a change after it gives the next call another stamp.
    let stamp = Stamp(path)
    if let found = known[path], stamp == found.stamp { return found.file }
    known[path] = nil
    let file = try SettingsFile(path, owner)
    if let stamp { known[path] = (stamp, file) }
    return file
  }
}
