package import Model
import Storage
package import SystemSupport

/// The user's libraries to which links were created. A `diple:` link can only open a library in
/// this list.
///
/// The list is the file `diple/libraries` in the XDG state folder. Each line contains the identity
/// of a library and its folder. Only a file that belongs to the user is read.
package struct KnownLibraries: Sendable {
  package struct Entry: Hashable, Sendable {
    package var library: ReplicaID
    /// The absolute path of the library's folder.
    package var folder: String
  }

  /// The maximum number of libraries that are stored. Older ones are dropped.
  private static let most = 200

  private let file: String?

  /// Creates the list of the user to whom an environment belongs.
  package init(environment: [String: String]) {
    file = StandardFolders(environment: environment).state.map { $0 + "/diple/libraries" }
  }

  /// The libraries, newest first; empty if the file does not exist or cannot be read.
  package var entries: [Entry] {
    guard let file, let bytes = try? PrivateFile.content(of: file) else { return [] }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").suffix(Self.most)
      .reversed().compactMap { line in
        let parts = line.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let library = ReplicaID(String(parts[0])), parts[1].hasPrefix("/")
        else { return nil }
        return Entry(library: library, folder: String(parts[1]))
      }
  }

  /// Adds a library to the list, as the newest. A folder whose path contains a line break is not
  /// added.
  ///
  /// - Throws: `conflict` if the file cannot be written.
  package func remember(_ library: ReplicaID, in folder: String) throws(UserError) {
    let entry = Entry(library: library, folder: folder)
    var known = entries
    guard let file, known.first != entry, !folder.contains(where: \.isNewline) else { return }
    known.removeAll { $0.folder == folder }
    known.insert(entry, at: 0)
    let text = known.prefix(Self.most).reversed().map { "\($0.library) \($0.folder)\n" }.joined()
    do throws(SystemCallError) {
      try FileSystem.makeFolders(file.parentFolder)
      try AtomicReplacement.write(Array(text.utf8), to: file, mode: 0o600)
    } catch { throw UserError(.conflict, "cannot write \(file): \(error)") }
  }
}

extension Library {
  /// Returns the identity of this copy of the library.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func identity() throws(UserError) -> ReplicaID {
    try storage { try store.read { try $0.replica() } }
  }

  /// Returns whether the library contains the target of a link.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func holds(_ target: LibraryAddress.Target) throws(UserError) -> Bool {
    try storage {
      try store.read { transaction in
        switch target {
        case .highlight(let id): try transaction.highlight(id) != nil
        case .document(let id): try transaction.document(id) != nil
        }
      }
    }
  }
}
