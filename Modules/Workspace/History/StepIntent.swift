import FoundationEssentials
import Glibc
import Model
import Storage
import SystemSupport

/// The files that this device is about to write for one step of the journal.
///
/// A library may be copied with its journal, for example in a cloned repository or on a
/// synchronized disk. An unfinished step must only be completed or reverted on the device that
/// began it. The intents are therefore stored in the user's state folder and not in the library.
struct StepIntent: Codable, Hashable {
  struct File: Codable, Hashable {
    var document: String
    /// The SHA-256 digests of the file's content before and after the step, in hexadecimal.
    var before: String
    var after: String
    /// The path of the temporary file that the new content is written to first; nil if the step has
    /// no such file.
    var copy: String?
  }

  var files: [File]

  init(_ files: [(edit: FileEdit, copy: String?)]) {
    self.files = files.map {
      File(
        document: $0.edit.document.description, before: $0.edit.before.description,
        after: $0.edit.after.description, copy: $0.copy)
    }
  }

  /// Returns the entry for an edit; nil if this device did not begin that edit.
  func file(of edit: FileEdit) -> File? {
    files.first {
      $0.document == edit.document.description && $0.before == edit.before.description
        && $0.after == edit.after.description
    }
  }
}

/// The stored intents of one library: a JSON file for each step that is being written.
struct StepIntents {
  /// The size in bytes of the largest file that is read as an intent.
  private static let limit = 64 << 20

  private let folder: String
  private let prefix: String

  /// Creates the intents of the library at a location; nil if the user has no state folder.
  init?(_ location: LibraryLocation) {
    guard let state = location.state else { return nil }
    folder = state + "/steps"
    prefix = folder + "/" + location.key + "-"
  }

  private func path(_ entry: Int64) -> String { "\(prefix)\(entry).json" }

  /// A lock on a step that is being written. While it exists, other processes do not settle the
  /// step.
  final class Hold: Sendable {
    private let descriptor: Int32
    fileprivate init(_ descriptor: Int32) { self.descriptor = descriptor }
    deinit { close(descriptor) }
  }

  /// Stores the intent of a step durably and locks it. Returns nil if the file cannot be locked.
  ///
  /// - Throws: `conflict` if the intent cannot be written.
  @discardableResult
  func record(_ intent: StepIntent, of entry: Int64) throws(UserError) -> Hold? {
    do throws(SystemCallError) {
      guard let bytes = try? JSONEncoder.ordered().encode(intent) else {
        throw SystemCallError(EINVAL)
      }
      try PrivateFile.makeFolder(folder)
      try AtomicReplacement.write(Array(bytes), to: path(entry), mode: 0o600)
    } catch {
      throw UserError(
        .conflict, "cannot record the planned changes in \(folder): \(error)",
        hint: "no file was changed; check the folder's permissions and free space")
    }
    guard let descriptor = try? PrivateFile.open(path(entry), O_RDWR) else { return nil }
    let hold = Hold(descriptor)
    return flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? hold : nil
  }

  /// Deletes the temporary files of processes that were killed while storing an intent.
  func sweepCopies() { AtomicReplacement.sweep(folder) }

  /// Returns whether a running process holds the lock of a step.
  func isHeld(_ entry: Int64) -> Bool {
    guard let descriptor = try? PrivateFile.open(path(entry), O_RDWR) else { return false }
    defer { close(descriptor) }
    return flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }

  /// The numbers of this library's steps that have a stored intent, in ascending order.
  var recorded: [Int64] {
    let start = prefix.dropFirst(folder.count + 1)
    var entries: [Int64] = []
    try? FileSystem.forEachName(in: folder) { name in
      guard name.hasPrefix(start), name.hasSuffix(".json"),
        let number = Int64(name.dropFirst(start.count).dropLast(5)), path(number).hasSuffix(name)
      else { return }
      entries.append(number)
    }
    return entries.sorted()
  }

  /// Returns the stored intent of a step; nil if this device has none or it cannot be decoded.
  func intent(of entry: Int64) -> StepIntent? {
    guard let bytes = try? PrivateFile.content(of: path(entry), limit: Self.limit) else {
      return nil
    }
    return try? JSONDecoder().decode(StepIntent.self, from: Data(bytes))
  }

  /// Deletes the intent of a step that is finished.
  func forget(_ entry: Int64) { unlink(path(entry)) }
}
