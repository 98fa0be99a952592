import Files
import Glibc
import Model
import Storage
package import SystemSupport

/// What stands below a folder in a library, or what was moved from there.
package struct FolderContents: Hashable, Sendable {
  /// How many documents.
  package var documents = 0
  /// How many live highlights in them.
  package var highlights = 0
}

extension Library {
  /// What this library has below another one's folder.
  package func contents(below other: LibraryLocation) throws(UserError) -> FolderContents {
    let counts = try highlightCounts()
    let documents = try documents(belowFolderOf: other)
    return FolderContents(
      documents: documents.count,
      highlights: documents.reduce(0) { $0 + (counts[$1.id]?.values.reduce(0, +) ?? 0) })
  }

  private func documents(belowFolderOf other: LibraryLocation) throws(UserError) -> [Document] {
    guard let root = other.root else { return [] }
    let prefix = root == "/" ? root : root + "/"
    return try documents().filter { location.absolute($0.path).hasPrefix(prefix) }
  }

  /// Moves the documents below another library's folder there, with their highlights, notes, tags
  /// and the labels of their colours. Each library has its part as one step that can be undone.
  ///
  /// The other library has everything, in one transaction, before anything goes here: whoever is
  /// killed between has it twice, and moving again makes nothing twice. Highlights in the trash stay
  /// in this library's trash.
  ///
  /// - Throws: `nothing` when there is nothing below the folder, `conflict` when something was
  ///   changed here meanwhile; then it stays here too.
  package func moveDocuments(into other: Library) async throws -> FolderContents {
    let documents = try documents(belowFolderOf: other.location)
    guard !documents.isEmpty else {
      throw UserError(.nothing, "\(location.folder) has no documents below this folder")
    }
    let (copies, labels) = try storage {
      try store.read { (try $0.copies(of: documents), try $0.labels()) }
    }
    let label = "moved \(documents.count.counted("document"))"
    let paths = copies.map { location.absolute($0.document.path) }
    try await other.adopt(
      Array(zip(copies, paths)), labels, label: "\(label) from \(location.folder)")
    try storage {
      try store.write { transaction in
        transaction.journal(JournalStep(label: "\(label) to \(other.location.folder)"))
        for copy in copies {
          let now = try transaction.highlights(HighlightFilter(documents: [copy.document.id]))
          guard now.map(\.id) == copy.highlights.map(\.id),
            now.map(\.updated) == copy.highlights.map(\.updated)
          else {
            throw UserError(
              .conflict, "\(copy.document.path.string) was changed meanwhile", hint: "try it again")
          }
          _ = try transaction.setTrashed(true, of: copy.document.id)
        }
      }
    }
    return FolderContents(
      documents: copies.count, highlights: copies.reduce(0) { $0 + $1.highlights.count })
  }

  private func adopt(
    _ copies: [(DocumentCopy, String)], _ labels: [HighlightColor: String], label: String
  ) throws(UserError) {
    try storage {
      try store.write { transaction in
        transaction.journal(JournalStep(label: label))
        for (copy, path) in copies {
          _ = try transaction.adopt(copy, at: self.location.documentPath(path))
        }
        let present = try transaction.labels()
        for (color, name) in labels where present[color] == nil {
          _ = try transaction.setLabel(name, of: color)
        }
      }
    }
  }
}

extension LibraryLocation {
  private var ignoreFile: String { folder + "/.gitignore" }

  /// Keeps a library that is about to be made out of the person's version control: all below its folder
  /// is ignored, from its first byte on. A file that is there stays.
  package func ignoreInVersionControl() throws(UserError) {
    if try FileSystem.status(of: ignoreFile) != nil { return }
    try FileSystem.makeFolder(folder)
    try OutputFile.write(Array("*\n".utf8), to: ignoreFile, replacing: false)
  }

  /// Takes that file away with its folder where no library came of it.
  package func forgetVersionControl() {
    unlink(ignoreFile)
    rmdir(folder)
  }
}
