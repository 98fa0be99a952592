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

  /// Puts a step on record, durably.
  func record(_ intent: StepIntent, of entry: Int64) throws(UserError) {
    do throws(SystemFailure) {
      guard let bytes = try? JSONEncoder().encode(intent) else { throw SystemFailure(EINVAL) }
      try PrivateFile.makeFolder(folder)
      try AtomicReplacement.write(Array(bytes), to: path(entry), mode: 0o600)
    } catch {
      throw UserError(
        .conflict, "cannot note what is about to be written in \(folder): \(error)",
        hint: "no file was changed; check the folder and its space")
    }
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
