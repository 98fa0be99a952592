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
    do { try write(to: path, replacing: replacing) { try $0(bytes) } } catch let error as UserError
    {
      throw error
    } catch { preconditionFailure("nothing else is thrown") }
  }

  /// The same for what is made piece by piece.
  ///
  /// - Parameter body: is given what takes each piece. What it throws leaves the file as it was.
  package static func write(
    to path: String, replacing: Bool, _ body: (([UInt8]) throws -> Void) throws -> Void
  ) throws {
    let status = try FileSystem.status(of: path)
    if let status {
      if status.isFolder { throw UserError(.conflict, "\(path) is a folder") }
      if status.st_mode & S_IFMT != S_IFREG { return try writeStream(path, body) }
      guard replacing else { throw exists(path) }
    }
    let target = resolved(path)
    var template = Array("\(target.parentFolder)/.diple-output-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw failure(path) }
    // It has another name by then, or is to go.
    defer { unlink(template) }
    let mode = status.map { $0.st_mode & 0o7777 } ?? newFileMode
    do {
      defer { close(descriptor) }
      try body { bytes in
        guard Descriptor.write(bytes, to: descriptor) else { throw failure(path) }
      }
      guard fchmod(descriptor, mode) == 0, fsync(descriptor) == 0 else { throw failure(path) }
    }
    if replacing {
      guard rename(template, target) == 0 else { throw failure(path) }
    } else {
      // A link is made only where nothing is: nobody's file is lost that came meanwhile.
      guard link(template, target) == 0 else {
        throw errno == EEXIST ? exists(path) : failure(path)
      }
    }
  }

  private static func writeStream(
    _ path: String, _ body: (([UInt8]) throws -> Void) throws -> Void
  ) throws {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    try body { bytes in
      guard Descriptor.write(bytes, to: descriptor) else { throw failure(path) }
    }
  }

  private static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return FileSystem.absolute(path) }
    defer { free(real) }
    return String(cString: real)
  }

  /// What `open` would give a new file.
  private static var newFileMode: mode_t {
    let mask = umask(0)
    umask(mask)
    return 0o666 & ~mask
  }

  private static func exists(_ path: String) -> UserError {
    UserError(.conflict, "\(path) exists", hint: "--force replaces it")
  }

  private static func failure(_ path: String) -> UserError {
    let reason = String(cString: strerror(errno))
    return UserError(
      .conflict, "cannot write \(path): \(reason)", hint: "check the folder and its space")
  }
}
