package import Model
import Storage
package import SystemSupport

/// The libraries of this person's in which addresses were written: an address leads into one of these
/// and nowhere else.
///
/// They stand in `diple/libraries` in the XDG state folder, one a line: the library's identity and its
/// folder. Nothing that is not this person's own file is read.
package struct KnownLibraries: Sendable {
  /// A library.
  package struct Entry: Hashable, Sendable {
    /// Its identity.
    package var library: ReplicaID
    /// Its folder.
    package var folder: String
  }

  /// The most that are remembered, the newest.
  private static let most = 200

  private let file: String?

  /// Those of the person that an environment means.
  package init(environment: [String: String]) {
    file = StandardFolders(environment: environment).state.map { $0 + "/diple/libraries" }
  }

  /// All of them, the newest first; none where nothing can be read.
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

  /// Remembers a library. One whose folder cannot stand on a line is not.
  ///
  /// - Throws: `conflict` when it cannot be written.
  package func remember(_ library: ReplicaID, in folder: String) throws(UserError) {
    let entry = Entry(library: library, folder: folder)
    var known = entries
    guard let file, known.first != entry, !folder.contains(where: \.isNewline) else { return }
    known.removeAll { $0.folder == folder }
    known.insert(entry, at: 0)
    let text = known.prefix(Self.most).reversed().map { "\($0.library) \($0.folder)\n" }.joined()
    do throws(SystemFailure) {
      try FileSystem.makeFolders(file.parentFolder)
      try AtomicReplacement.write(Array(text.utf8), to: file, mode: 0o600)
    } catch { throw UserError(.conflict, "cannot write \(file): \(error)") }
  }
}

extension Library {
  /// Its identity among its copies.
  package func identity() throws(UserError) -> ReplicaID {
    try storage { try store.read { try $0.replica() } }
  }

  /// Whether it holds what an address leads to.
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
