import Glibc

/// A new temporary folder that only the user can enter, for a few files.
package final class TemporaryFolder: Sendable {
  /// The absolute path.
  package let path: String

  /// Creates an empty folder. It is deleted with its files when the object is released.
  ///
  /// - Parameter name: the start of the folder's name, after `diple-`.
  /// - Throws: `SystemCallError` if the folder cannot be created.
  package init(_ name: String) throws(SystemCallError) {
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    var template = Array(
      "\(folder.isEmpty ? "/tmp" : folder)/diple-\(name)-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SystemCallError() }
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

  /// Creates a file in the folder.
  ///
  /// - Throws: `EEXIST` if the file exists.
  package func write(_ bytes: some Collection<UInt8>, to name: String) throws(SystemCallError) {
    try PrivateFile.make(path.appending(name), containing: bytes)
  }

  /// Reads a file of the folder; nil if it is missing.
  ///
  /// - Parameter limit: the maximum size in bytes.
  /// - Throws: `EFBIG` for a larger file.
  package func content(of name: String, limit: Int) throws(SystemCallError) -> [UInt8]? {
    try PrivateFile.content(of: path.appending(name), limit: limit)
  }
}
