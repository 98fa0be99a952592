import FoundationEssentials
import SystemSupport

/// A temporary folder that is deleted with everything that a program wrote into it.
final class ConversionFolder: Sendable {
  private let folder: TemporaryFolder

  init() throws(SystemCallError) { folder = try TemporaryFolder("convert") }

  deinit { try? FileManager.default.removeItem(atPath: folder.path) }

  var path: String { folder.path }

  /// Writes a file and creates the folders in its path.
  func write(_ bytes: [UInt8], to name: String) throws(SystemCallError) {
    try FileSystem.makeFolders(path.appending(name).parentFolder)
    try folder.write(bytes, to: name)
  }

  /// Returns the content of a file that a program wrote; nil if it doesn't exist.
  ///
  /// - Throws: `SystemCallError`; with `EFBIG` if the file is larger than `limit` bytes.
  func content(of name: String, limit: Int) throws(SystemCallError) -> [UInt8]? {
    try folder.content(of: name, limit: limit)
  }
}

extension Conversion {
  /// Whether the program exists in one of the folders of the search path.
  var isInstalled: Bool {
    let folders = searchPath ?? ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return folders.split(separator: ":").contains { folder in
      FileManager.default.isExecutableFile(atPath: "\(folder)/\(program)")
    }
  }
}
