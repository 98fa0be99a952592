import Glibc
package import Model
package import SystemSupport

/// Replaces a document's file as a whole, unless somebody else changed it meanwhile.
///
/// The new content is written beside the file, under the name `.NAME.diple-new`, made durable, and
/// takes the file's name. Links are followed; mode, owner and extended attributes are kept as far as
/// the system lets us. Another name of the file (a hard link) keeps the old content. Callers hold the
/// library's write lock, so that a copy which is found there was left by a process that was killed.
package final class FileWriter {
  private let path: String
  private let old: [UInt8]
  private let replacement: AtomicReplacement

  /// Writes the new content beside the file.
  ///
  /// - Parameter old: the bytes that the new ones were made of.
  /// - Throws: `conflict` when the file has other bytes by now, or cannot be written.
  package init(replacing path: String, _ old: [UInt8], with bytes: [UInt8]) throws(UserError) {
    self.path = path
    self.old = old
    guard let target = FileSystem.resolved(path) else { throw Self.failure(path) }
    try Self.check(path, old)
    guard access(target, W_OK) == 0 else { throw Self.failure(path) }
    let copy = Self.copy(of: target)
    unlink(copy)
    do { replacement = try AtomicReplacement(of: target, with: bytes, as: copy) } catch {
      throw Self.failure(path, error.number)
    }
  }

  /// Gives the new content the file's name; `makeDurable` has it survive a power cut.
  ///
  /// - Returns: what the system says of the file now.
  /// - Throws: `conflict` when somebody changed the file meanwhile; it is as they left it.
  package func commit() throws(UserError) -> FileStamp {
    try Self.check(path, old)
    do { try replacement.commit() } catch { throw Self.failure(path, error.number) }
    guard let status = try FileSystem.status(of: path) else { throw Self.changed(path) }
    return FileStamp(status, checked: FileStamp.currentTime)
  }

  /// The name under which the new content of a file is written.
  private static func copy(of target: String) -> String {
    target.parentFolder.appending(".\(target.lastComponent).diple-new")
  }

  /// Removes what a process that was killed left beside a file.
  package static func removeCopy(of path: String) {
    if let target = FileSystem.resolved(path) { unlink(copy(of: target)) }
  }

  /// Makes the new names of files durable. Each folder is asked once.
  package static func makeDurable(_ writers: [FileWriter]) {
    AtomicReplacement.makeDurable(writers.map(\.replacement.target))
  }

  private static func check(_ path: String, _ old: [UInt8]) throws(UserError) {
    guard try SourceFile.content(of: path).0 == old else { throw changed(path) }
  }

  private static func changed(_ path: String) -> UserError {
    UserError(
      .conflict, "\(path) was changed meanwhile; nothing was written", hint: "try it again")
  }

  /// The error that `errno` stands for. A file that cannot be written is no missing one.
  private static func failure(_ path: String, _ number: Int32 = errno) -> UserError {
    var error = FileSystem.systemError("write", path, number: number)
    if number != ENOENT, number != ENOTDIR { error.code = .conflict }
    return error
  }
}
