import Glibc
package import Model
package import SystemSupport

/// Replaces a document's file as a whole, unless another process changed it meanwhile.
///
/// The new content is written beside the file, under a name that no person gives a file, made
/// durable, and takes the file's name. Mode, owner and extended attributes are kept as far as the
/// system lets us. Another name of the file (a hard link) keeps the old content.
package final class FileWriter {
  private let path: String
  private let old: [UInt8]
  private let new: ContentDigest
  private let replacement: AtomicReplacement

  /// Writes the new content beside the file.
  ///
  /// - Parameters:
  ///   - old: the bytes that the new ones were made of.
  ///   - copy: where the new content lies until then; nil for a new name.
  ///   - links: what a symbolic link at the path means.
  /// - Throws: `conflict` when the file has other bytes by now, or cannot be written.
  package init(
    replacing path: String, _ old: [UInt8], with bytes: [UInt8], as copy: String? = nil,
    links: LinkPolicy = .refused
  ) throws(UserError) {
    self.path = path
    self.old = old
    new = ContentDigest(sha256: bytes)
    let target: String
    do { target = try links.target(of: path) } catch { throw Self.failure(path, error.number) }
    try Self.check(path, old)
    guard access(target, W_OK) == 0 else { throw Self.failure(path) }
    do { replacement = try AtomicReplacement(of: target, with: bytes, as: copy) } catch {
      throw Self.failure(path, error.number)
    }
  }

  /// Gives the new content the file's name; `makeDurable` has it survive a power cut.
  ///
  /// - Parameter keepingOld: whether `revert` must be possible, until `discardOld`.
  /// - Returns: what the system says of the file now.
  /// - Throws: `conflict` when another process changed the file meanwhile; it stays as it is then.
  package func commit(keepingOld: Bool = false) throws(UserError) -> FileStamp {
    try Self.check(path, old)
    let isReplaced: Bool
    var unread: UserError?
    do {
      isReplaced = try replacement.commit(keepingOld: keepingOld) {
        do throws(UserError) { return try Self.holds($0, old) } catch {
          unread = error
          return false
        }
      }
    } catch { throw Self.failure(path, error.number) }
    if let unread {
      throw UserError(.conflict, unread.message + "; nothing was written", hint: unread.hint)
    }
    guard isReplaced else { throw Self.changed(path) }
    var reason = "it is gone"
    do {
      if let status = try FileSystem.status(of: path) {
        return FileStamp(status, checked: FileStamp.currentTime)
      }
    } catch { reason = error.message }
    // The file was replaced, and its status cannot be told: nothing is changed, or it is said.
    if keepingOld, replacement.revert() {
      throw UserError(
        .conflict, "the status of \(path) cannot be read: \(reason); the file was put back")
    }
    replacement.keepOld()
    throw UserError(
      .unconfirmed, "\(path) was written, but its status cannot be read: \(reason)",
      hint: "look at the file before you try it again")
  }

  /// Lets go of the old content that `commit` kept.
  package func discardOld() { replacement.discardOld() }

  /// Gives the file its old content again, after `commit(keepingOld: true)`.
  ///
  /// - Returns: false when it has another content than the new one, or cannot be written.
  package func revert() -> Bool {
    if replacement.revert() { return true }
    // Where names cannot be exchanged nothing was kept but the bytes.
    guard let bytes = try? SourceFile.content(of: path).0 else { return false }
    if bytes == old { return true }
    guard ContentDigest(sha256: bytes) == new,
      let again = try? FileWriter(replacing: path, bytes, with: old, links: .followed),
      (try? again.commit()) != nil
    else { return false }
    replacement.discardOld()
    return true
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
  ///   - keepingOld: whether its old content stays there, for `putBack`.
  package static func sweep(
    _ copy: String, of path: String, before: ContentDigest, after: ContentDigest,
    keepingOld: Bool = false
  ) {
    var status = stat()
    guard lstat(copy, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
    if let target = FileSystem.resolved(path), target.parentFolder == copy.parentFolder,
      (try? SourceFile(reading: target))?.digest == after,
      let theirs = try? SourceFile(reading: copy), theirs.digest != before, theirs.digest != after
    {
      rename(copy, target)
    } else if !keepingOld || (try? SourceFile(reading: copy))?.digest != before {
      unlink(copy)
    }
  }

  /// Gives a file its old content again that a process which was killed left under a copy's name.
  /// No space is needed for it.
  ///
  /// - Returns: false when that does not lie there, or the file has not its new content.
  package static func putBack(
    _ copy: String, to path: String, before: ContentDigest, after: ContentDigest
  ) -> Bool {
    guard let target = FileSystem.resolved(path), target.parentFolder == copy.parentFolder,
      holds(copy, before), holds(target, after), AtomicReplacement.exchange(copy, target)
    else { return false }
    guard holds(target, before) else {
      _ = AtomicReplacement.exchange(copy, target)
      return false
    }
    if holds(copy, after) { unlink(copy) }
    AtomicReplacement.makeDurable([target])
    return true
  }

  /// The same for a content of which the hash is known.
  private static func holds(_ path: String, _ digest: ContentDigest) -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
    return (try? SourceFile(reading: path))?.digest == digest
  }

  /// Makes the new names of files durable. Each folder is asked once.
  package static func makeDurable(_ writers: [FileWriter]) {
    AtomicReplacement.makeDurable(writers.map(\.replacement.target))
  }

  /// Whether a path leads to a regular file with some bytes, and to no link.
  ///
  /// - Throws: when it cannot be read.
  private static func holds(_ path: String, _ bytes: [UInt8]) throws(UserError) -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
    return try SourceFile.content(of: path).0 == bytes
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
