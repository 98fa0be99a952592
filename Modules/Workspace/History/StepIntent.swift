import FoundationEssentials
import Glibc
import Model
import Storage
import SystemSupport

/// What this machine is about to write into files for one step of the journal.
///
/// The journal travels with a library: with a cloned repository, a copied folder, a disk that is
/// synchronized. What it says was begun is only finished or reverted where it was begun, and that
/// is on record in this person's own state folder.
struct StepIntent: Codable, Hashable {
  /// One file of the step.
  struct File: Codable, Hashable {
    var document: String
    /// The hashes of its bytes before and afterwards.
    var before: String
    var after: String
    /// Where its new bytes are written first.
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

  /// The record of an edit; nil when it is another one than was begun here.
  func file(of edit: FileEdit) -> File? {
    files.first {
      $0.document == edit.document.description && $0.before == edit.before.description
        && $0.after == edit.after.description
    }
  }
}

/// The records of one library: a file for each step that is being written.
struct StepIntents {
  /// More is no record that Diple wrote, in bytes.
  private static let limit = 64 << 20

  private let folder: String
  private let prefix: String

  /// Nil where the person has no state folder.
  init?(_ location: LibraryLocation) {
    guard let state = location.state else { return nil }
    folder = state + "/steps"
    prefix = folder + "/" + location.key + "-"
  }

  private func path(_ entry: Int64) -> String { "\(prefix)\(entry).json" }

  /// Keeps a step that is being written from being settled by others, as long as it lives.
  final class Hold: Sendable {
    private let descriptor: Int32
    fileprivate init(_ descriptor: Int32) { self.descriptor = descriptor }
    deinit { close(descriptor) }
  }

  /// Puts a step on record, durably. Nil where records cannot be locked.
  @discardableResult
  func record(_ intent: StepIntent, of entry: Int64) throws(UserError) -> Hold? {
    do throws(SystemFailure) {
      guard let bytes = try? JSONEncoder.ordered().encode(intent) else {
        throw SystemFailure(EINVAL)
      }
      try PrivateFile.makeFolder(folder)
      try AtomicReplacement.write(Array(bytes), to: path(entry), mode: 0o600)
    } catch {
      throw UserError(
        .conflict, "cannot note what is about to be written in \(folder): \(error)",
        hint: "no file was changed; check the folder and its space")
    }
    guard let descriptor = try? PrivateFile.open(path(entry), O_RDWR) else { return nil }
    let hold = Hold(descriptor)
    return flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? hold : nil
  }

  /// Removes what killed processes left that were about to put a step on record.
  func sweepCopies() { AtomicReplacement.sweep(folder) }

  /// Whether a process that lives is just writing a step.
  func isHeld(_ entry: Int64) -> Bool {
    guard let descriptor = try? PrivateFile.open(path(entry), O_RDWR) else { return false }
    defer { close(descriptor) }
    return flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }

  /// The steps of this library that have a record.
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

  /// The record of a step that was begun here.
  func intent(of entry: Int64) -> StepIntent? {
    guard let bytes = try? PrivateFile.content(of: path(entry), limit: Self.limit) else {
      return nil
    }
    return try? JSONDecoder().decode(StepIntent.self, from: Data(bytes))
  }

  /// Takes the record of a step away that is over.
  func forget(_ entry: Int64) { unlink(path(entry)) }
}
