import Glibc

/// A folder of its own among the temporary ones, which only this person can enter, with a few files.
package final class TemporaryFolder: Sendable {
  /// Where it is.
  package let path: String

  /// Makes an empty folder; it is taken away with its files when this is no longer used.
  ///
  /// - Parameter name: what its name begins with.
  package init(_ name: String) throws(SystemFailure) {
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    var template = Array(
      "\(folder.isEmpty ? "/tmp" : folder)/diple-\(name)-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SystemFailure() }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    if let folder = opendir(path) {
      while let entry = readdir(folder) {
        unlinkat(dirfd(folder), &entry.pointee.d_name.0, 0)
      }
      closedir(folder)
    }
    rmdir(path)
  }

  /// Writes a new file.
  package func write(_ bytes: some Collection<UInt8>, to name: String) throws(SystemFailure) {
    try PrivateFile.make(path.appending(name), holding: bytes)
  }

  /// The content of a file; nil when it is not there.
  ///
  /// - Parameter limit: the most bytes; a longer file is `EFBIG`.
  package func content(of name: String, limit: Int) throws(SystemFailure) -> [UInt8]? {
    try PrivateFile.content(of: path.appending(name), limit: limit)
  }
}
