import Glibc
package import SystemSupport

/// Writes the output file of a command.
package enum OutputFile {
  /// Replaces or creates a file atomically. A link is followed only within its folder. A device or
  /// a pipe is written directly.
  ///
  /// - Parameter replacing: whether an existing file may be replaced.
  /// - Throws: `conflict` if a file exists and must not be replaced, or cannot be written.
  package static func write(_ bytes: [UInt8], to path: String, replacing: Bool) throws(UserError) {
    do { try write(to: path, replacing: replacing) { try $0(bytes) } } catch let error as UserError
    {
      throw error
    } catch { preconditionFailure("nothing else is thrown") }
  }

  /// Replaces or creates a file whose content is made piece by piece.
  ///
  /// - Parameter body: calls its argument with each piece. If it throws, the file is unchanged.
  /// - Throws: the errors of `write(_:to:replacing:)`, and those of `body`.
  package static func write(
    to path: String, replacing: Bool, _ body: (([UInt8]) throws -> Void) throws -> Void
  ) throws {
    if try requirePlace(path, replacing: replacing) == .stream {
      return try writeStream(path, body)
    }
    let target = try target(of: path)
    var refusal: (any Error)?
    do {
      let replacement = try AtomicReplacement(of: target) { (descriptor) throws(SystemCallError) in
        do { try body { try write($0, to: descriptor) } } catch let error as SystemCallError {
          throw error
        } catch {
          refusal = error
          throw SystemCallError(ECANCELED)
        }
      }
      if replacing { try replacement.commit() } else { try replacement.commitNew() }
    } catch {
      throw refusal ?? (error.number == EEXIST ? exists(path) : failure(path, error))
    }
    AtomicReplacement.finish([target])
  }

  /// Returns the path to write to, after following the links in a path that the user named.
  ///
  /// - Throws: `conflict` for a link to another folder, or to a hidden or missing file, and for a
  ///   path in a missing folder.
  package static func target(of path: String) throws(UserError) -> String {
    try requireFolder(of: path)
    do { return try LinkPolicy.followedInFolder.target(of: path) } catch {
      guard error.number == ELOOP else { throw failure(path, error) }
      throw UserError(
        .conflict, "\(path) is a link out of its folder, or to a hidden or missing file",
        hint: "name the file itself, or another one")
    }
  }

  /// The kind of an output file: not existing, a regular file, or a device or pipe.
  package enum Place { case new, file, stream }

  /// Returns what exists at a path before it is written.
  ///
  /// - Throws: `conflict` for a folder, for a file in a missing folder, and for a file that must not
  ///   be replaced.
  @discardableResult
  package static func requirePlace(_ path: String, replacing: Bool) throws(UserError) -> Place {
    let target = try target(of: path)
    guard let status = try FileSystem.status(of: target) else { return .new }
    if status.isFolder { throw UserError(.conflict, "\(path) is a folder") }
    if status.st_mode & S_IFMT != S_IFREG { return .stream }
    guard replacing else { throw exists(path) }
    return .file
  }

  /// Checks that a path names a file in an existing folder.
  ///
  /// - Throws: `conflict` if it ends with a slash, or if the folder is missing or a file.
  private static func requireFolder(of path: String) throws(UserError) {
    if path.hasSuffix("/") {
      throw UserError(
        .conflict, "cannot write \(path): this names a folder", hint: "add the name of a file")
    }
    let folder = FileSystem.absolute(path).parentFolder
    let status = try FileSystem.status(of: folder)
    if status?.isFolder == true { return }
    let name = FileSystem.shown(folder)
    throw UserError(
      .conflict,
      "cannot write \(path): "
        + (status == nil ? "there is no folder \(name)" : "\(name) is not a folder"),
      hint: status == nil ? "make the folder, or choose another one" : "choose another folder")
  }

  private static func writeStream(
    _ path: String, _ body: (([UInt8]) throws -> Void) throws -> Void
  ) throws {
    let descriptor = open(try target(of: path), O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path, SystemCallError()) }
    defer { close(descriptor) }
    do { try body { try write($0, to: descriptor) } } catch let error as SystemCallError {
      throw failure(path, error)
    }
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) throws(SystemCallError) {
    guard Descriptor.write(bytes, to: descriptor) else { throw SystemCallError() }
  }

  private static func exists(_ path: String) -> UserError {
    UserError(.conflict, "\(path) exists", hint: "--force replaces it")
  }

  private static func failure(_ path: String, _ reason: SystemCallError) -> UserError {
    UserError(
      .conflict, "cannot write \(path): \(reason.description)",
      hint: "check the folder's permissions and free space")
  }
}
