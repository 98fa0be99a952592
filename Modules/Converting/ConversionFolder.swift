import FoundationEssentials
import SystemSupport

/// A temporary folder that goes with whatever a program left in it.
final class ConversionFolder: Sendable {
  private let folder: TemporaryFolder

  init() throws(SystemFailure) { folder = try TemporaryFolder("convert") }

  deinit { try? FileManager.default.removeItem(atPath: folder.path) }

  var path: String { folder.path }

  /// Writes a file; folders in its name are made.
  func write(_ bytes: [UInt8], to name: String) throws(SystemFailure) {
    try FileSystem.makeFolders(path.appending(name).parentFolder)
    try folder.write(bytes, to: name)
  }

  /// What a program wrote; nil when it is not there.
  func content(of name: String, limit: Int) throws(SystemFailure) -> [UInt8]? {
    try folder.content(of: name, limit: limit)
  }
}

extension Conversion {
  /// Whether there is such a program on the path.
  var isInstalled: Bool {
    let folders = searchPath ?? ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return folders.split(separator: ":").contains { folder in
      FileManager.default.isExecutableFile(atPath: "\(folder)/\(program)")
    }
  }
}
