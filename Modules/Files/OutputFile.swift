import Glibc
package import SystemSupport

/// A file that a person names for a command's answer.
package enum OutputFile {
  /// Writes a file as a whole: whoever reads it sees what was there before, or all of the new bytes.
  /// Links are followed; a device or pipe is written as it is.
  ///
  /// - Parameter replacing: whether a file that is there is replaced.
  /// - Throws: `conflict` when there is a file that must not be replaced, or it cannot be written.
  package static func write(_ bytes: [UInt8], to path: String, replacing: Bool) throws(UserError) {
    let status = try FileSystem.status(of: path)
    if let status {
      if status.isFolder { throw UserError(.conflict, "\(path) is a folder") }
      if status.st_mode & S_IFMT != S_IFREG { return try writeStream(bytes, path) }
      guard replacing else { throw exists(path) }
    }
    let target = FileSystem.resolved(path) ?? FileSystem.absolute(path)
    do {
      let replacement = try AtomicReplacement(of: target, with: bytes)
      if replacing { try replacement.commit() } else { try replacement.commitNew() }
    } catch {
      throw error.number == EEXIST ? exists(path) : failure(path, error)
    }
    AtomicReplacement.makeDurable([target])
  }

  private static func writeStream(_ bytes: [UInt8], _ path: String) throws(UserError) {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path, SystemFailure()) }
    defer { close(descriptor) }
    guard Descriptor.write(bytes, to: descriptor) else {
      throw failure(path, SystemFailure())
    }
  }

  private static func exists(_ path: String) -> UserError {
    UserError(.conflict, "\(path) exists", hint: "--force replaces it")
  }

  private static func failure(_ path: String, _ reason: SystemFailure) -> UserError {
    UserError(
      .conflict, "cannot write \(path): \(reason.description)", hint: "check the folder and its space")
  }
}
