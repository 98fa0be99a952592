import Glibc
package import Model
package import SystemSupport

/// Replaces a document's file as a whole, unless another process changed it meanwhile.
///
/// The new content is written beside the file, under a name that no person gives a file, made
/// durable, and takes the file's name. Links are followed; mode, owner and extended attributes are
/// kept as far as the system lets us. Another name of the file (a hard link) keeps the old content.
package final class FileWriter {
  private let path: String
  private let old: [UInt8]
  private let replacement: AtomicReplacement

  /// Writes the new content beside the file.
  ///
  /// - Parameters:
  ///   - old: the bytes that the new ones were made of.
  ///   - copy: where the new content lies until then; nil for a new name.
  /// - Throws: `conflict` when the file has other bytes by now, or cannot be written.
  package init(replacing path: String, _ old: [UInt8], with bytes: [UInt8], as copy: String? = nil)
    throws(UserError)
  {
    self.path = path
    self.old = old
    guard let target = FileSystem.resolved(path) else { throw Self.failure(path) }
    try Self.check(path, old)
    guard access(target, W_OK) == 0 else { throw Self.failure(path) }
    do { replacement = try AtomicReplacement(of: target, with: bytes, as: copy) } catch {
      throw Self.failure(path, error.number)
    }
  }

  /// Gives the new content the file's name; `makeDurable` has it survive a power cut.
  ///
  /// - Returns: what the system says of the file now.
  /// - Throws: `conflict` when another process changed the file meanwhile; it stays as it is then.
  package func commit() throws(UserError) -> FileStamp {
    try Self.check(path, old)
    let isReplaced: Bool
    do {
      isReplaced = try replacement.commit { Self.holds($0, old) }
    } catch { throw Self.failure(path, error.number) }
    guard isReplaced, let status = try FileSystem.status(of: path) else {
      throw Self.changed(path)
    }
    return FileStamp(status, checked: FileStamp.currentTime)
  }

  /// A name beside a file that nothing has, for its new content.
  ///
  /// - Returns: an absolute path; nil when there is no file.
  package static func copyName(for path: String) -> String? {
    guard let target = FileSystem.resolved(path) else { return nil }
    let digits = String(UInt64.random(in: 0 ... .max), radix: 16)
    return target.parentFolder.appending(".diple-\(digits).new")
  }

  /// Clears away what a process that was killed left under a copy's name.
  ///
  /// Where the file has the new content already, its old one lies there; unless somebody else wrote
  /// the file at that very moment: then that lies there, and gets the file's name back.
  ///
  /// - Parameters:
  ///   - before: the hash of the file's old content.
  ///   - after: that of its new content.
  package static func sweep(
    _ copy: String, of path: String, before: ContentDigest, after: ContentDigest
  ) {
    var status = stat()
    guard lstat(copy, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
    if let target = FileSystem.resolved(path), target.parentFolder == copy.parentFolder,
      (try? SourceFile(reading: target))?.digest == after,
      let theirs = try? SourceFile(reading: copy), theirs.digest != before, theirs.digest != after
    {
      rename(copy, target)
    } else {
      unlink(copy)
    }
  }

  /// Makes the new names of files durable. Each folder is asked once.
  package static func makeDurable(_ writers: [FileWriter]) {
    AtomicReplacement.makeDurable(writers.map(\.replacement.target))
  }

  /// Whether a path leads to a regular file with some bytes, and to no link.
  private static func holds(_ path: String, _ bytes: [UInt8]) -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
    return (try? SourceFile.content(of: path).0) == bytes
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
