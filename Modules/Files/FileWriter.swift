import Glibc
package import Model
package import SystemSupport

/// Replaces a document's file as a whole, unless another process changed it meanwhile.
///
/// The new content is written to a copy beside the file, synced, and renamed to the file. Mode,
/// owner and extended attributes are kept as far as the system permits. Another name of the file (a
/// hard link) keeps the old content.
package final class FileWriter {
  private let path: String
  private let old: [UInt8]
  private let new: ContentDigest
  private let replacement: AtomicReplacement

  /// Writes the new content beside the file.
  ///
  /// - Parameters:
  ///   - old: the bytes that the new ones are based on.
  ///   - copy: the path of the copy; nil for a new name.
  ///   - links: how a symbolic link at the path is handled.
  /// - Throws: `conflict` if the file has other bytes by now, or cannot be written.
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

  /// Renames the copy to the file. Call `makeDurable` so that the name survives a power cut.
  ///
  /// - Parameter keepingOld: whether `revert` must be possible, until `discardOld`.
  /// - Returns: the status of the file now.
  /// - Throws: `conflict` if another process changed the file in the meantime, or if it cannot be
  ///   written; the file is unchanged then. `unconfirmed` if the file was written, but its status
  ///   cannot be read.
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
    var reason = "it was deleted"
    do {
      if let status = try FileSystem.status(of: path) {
        return FileStamp(status, checked: FileStamp.currentTime)
      }
    } catch { reason = error.message }
    // The file was replaced, but its status cannot be read. The old content is restored, or the
    // error reports that the file was written.
    if keepingOld, replacement.revert() {
      throw UserError(
        .conflict, "the status of \(path) cannot be read: \(reason); its old content was restored")
    }
    replacement.keepOld()
    throw UserError(
      .unconfirmed, "\(path) was written, but its status cannot be read: \(reason)",
      hint: "look at the file before you try it again")
  }

  /// Deletes the old content that `commit` kept.
  package func discardOld() { replacement.discardOld() }

  /// Restores the old content of the file after `commit(keepingOld: true)`.
  ///
  /// - Returns: false if the file doesn't have the new content, or cannot be written.
  package func revert() -> Bool {
    if replacement.revert() { return true }
    // On a file system that cannot exchange names, only the old bytes were kept, so write them
    // again.
    guard let bytes = try? SourceFile.content(of: path).0 else { return false }
    if bytes == old { return true }
    guard ContentDigest(sha256: bytes) == new,
      let again = try? FileWriter(replacing: path, bytes, with: old, links: .followed),
      (try? again.commit()) != nil
    else { return false }
    replacement.discardOld()
    return true
  }

  /// Returns an unused absolute path beside a file for its new content; nil if the file doesn't
  /// exist.
  package static func copyName(for path: String) -> String? {
    guard let target = FileSystem.resolved(path) else { return nil }
    let digits = String(UInt64.random(in: 0 ... .max), radix: 16)
    return target.parentFolder.appending(".diple-\(digits).new")
  }

  /// Deletes the copy that a killed process left.
  ///
  /// If the file has the new content already, the copy usually contains the old content. If another
  /// process wrote the file at the moment of the exchange, the copy contains what that process
  /// wrote, and is renamed to the file.
  ///
  /// - Parameters:
  ///   - before: the hash of the file's old content.
  ///   - after: the hash of its new content.
  ///   - keepingOld: whether the old content is kept for `restoreContent`.
  /// - Returns: whether there was a copy that isn't the old content.
  @discardableResult
  package static func sweep(
    _ copy: String, of path: String, before: ContentDigest, after: ContentDigest,
    keepingOld: Bool = false
  ) -> Bool {
    var status = stat()
    guard lstat(copy, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
    let content = try? SourceFile(reading: copy).digest
    if let target = FileSystem.resolved(path), target.parentFolder == copy.parentFolder,
      let content, content != before, content != after,
      (try? SourceFile(reading: target))?.digest == after
    {
      rename(copy, target)
    } else if !keepingOld || content != before {
      unlink(copy)
    }
    return content != before
  }

  /// Restores the old content of a file from the copy that a killed process left. Needs no disk
  /// space.
  ///
  /// - Returns: false if the copy isn't the old content, or the file doesn't have the new one.
  package static func restoreContent(
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

  /// Whether a path is a regular file, not a link, whose content has a hash.
  private static func holds(_ path: String, _ digest: ContentDigest) -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
    return (try? SourceFile(reading: path))?.digest == digest
  }

  /// Makes the new names of files durable. Each folder is synced once.
  package static func makeDurable(_ writers: [FileWriter]) {
    AtomicReplacement.makeDurable(writers.map(\.replacement.target))
  }

  /// Returns whether a path is a regular file, not a link, with the given bytes.
  ///
  /// - Throws: `UserError` if it cannot be read.
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
      .conflict, "\(path) was changed meanwhile; nothing was written", hint: "try again")
  }

  /// Returns the error for `errno`. A file that cannot be written is not reported as missing.
  private static func failure(_ path: String, _ number: Int32 = errno) -> UserError {
    var error = FileSystem.systemError("write", path, number: number)
    if number != ENOENT, number != ENOTDIR { error.code = .conflict }
    return error
  }
}
