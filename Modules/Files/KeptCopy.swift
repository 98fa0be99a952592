import Glibc
import Model
import SystemSupport

/// The copy of a file's old content beside it: `notes.md~`, or `notes.md.~1~` where another file
/// has that name.
///
/// A copy only replaces a copy that Diple itself wrote there before. Diple's copies are recorded in
/// `diple/copies` in the XDG state folder, one a line: the SHA-256 of the content and the path. The
/// content must still match, so an editor's backup of the same name is not changed.
package struct KeptCopy: Sendable {
  private let record: String?

  /// The maximum number of recorded copies; older records are dropped.
  private static let most = 500
  /// The maximum number of names that are tried.
  private static let names = 100

  /// - Parameter environment: the variables that name the user's state folder. If they name none,
  ///   existing copies are never replaced.
  package init(environment: [String: String]) {
    record = StandardFolders(environment: environment).state.map { $0 + "/diple/copies" }
  }

  /// Writes a copy of a file's content beside it.
  ///
  /// - Parameters:
  ///   - path: the file, without links.
  ///   - mode: the mode of the copy.
  ///   - isAllowed: throws if the copy must not be written at a path.
  /// - Returns: the path of the copy.
  /// - Throws: `conflict` if the copy cannot be written, or the error of `isAllowed`.
  package func write(
    _ bytes: [UInt8], of path: String, mode: UInt32,
    isAllowed: (String) async throws -> Void
  ) async throws -> String {
    for number in 0..<Self.names {
      let place = number == 0 ? path + "~" : path + ".~\(number)~"
      let digests = ownDigests(at: place)
      let isThere = Self.isThere(place)
      guard !isThere || Self.content(of: place, isIn: digests) else { continue }
      try await isAllowed(place)
      do throws(SystemCallError) {
        try remember(ContentDigest(sha256: bytes), place)
        let copy = try AtomicReplacement(of: place, with: bytes, mode: mode)
        if isThere {
          guard try copy.commit(where: { Self.content(of: $0, isIn: digests) }) else { continue }
        } else {
          try copy.commitNew()
        }
        return place
      } catch {
        if error.number == EEXIST { continue }
        throw UserError(.conflict, "cannot write \(place): \(error)")
      }
    }
    throw UserError(
      .conflict,
      "no free name for a copy of \(path): \(path)~ to \(path).~\(Self.names - 1)~ exist",
      hint: "remove old copies")
  }

  private static func isThere(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// Whether a path is a regular file of this user with one of the given contents.
  private static func content(of path: String, isIn digests: [ContentDigest]) -> Bool {
    guard !digests.isEmpty, let file = try? PrivateFile.open(path, O_RDONLY) else { return false }
    defer { close(file) }
    guard let bytes = try? Descriptor.content(of: file, limit: Int(SourceFile.sizeLimit)) else {
      return false
    }
    return digests.contains(ContentDigest(sha256: bytes))
  }

  // MARK: - The record

  private func ownDigests(at path: String) -> [ContentDigest] {
    lines.filter { $0.path == path }.map(\.digest)
  }

  private var lines: [(digest: ContentDigest, path: String)] {
    guard let record, let bytes = try? PrivateFile.content(of: record) else { return [] }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
      let parts = line.split(separator: " ", maxSplits: 1)
      guard parts.count == 2, let digest = ContentDigest(String(parts[0])) else { return nil }
      return (digest, String(parts[1]))
    }
  }

  /// Records a copy before it is written. The record of the previous copy is kept, because that
  /// copy still exists if the process is killed.
  private func remember(_ digest: ContentDigest, _ path: String) throws(SystemCallError) {
    guard let record, !path.contains(where: \.isNewline) else { return }
    var lines = lines
    let before = lines.last { $0.path == path }
    if let before, before.digest == digest { return }
    lines.removeAll { $0.path == path }
    lines += [before, (digest, path)].compactMap { $0 }
    let text = lines.suffix(Self.most).map { "\($0.digest) \($0.path)\n" }.joined()
    try FileSystem.makeFolders(record.parentFolder)
    try AtomicReplacement.write(text.utf8, to: record, mode: 0o600)
  }
}
