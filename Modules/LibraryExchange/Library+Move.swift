import Files
import Glibc
import Model
import Storage
package import SystemSupport
package import Workspace

/// The content of a library below a folder, or the content that was moved from that folder.
package struct FolderContents: Hashable, Sendable {
  /// The number of documents.
  package var documents = 0
  /// The number of their highlights that are not in the trash.
  package var highlights = 0
}

extension Library {
  /// Counts the documents and highlights of this library below another library's folder.
  ///
  /// - Throws: `damaged` or `conflict` if this library cannot be read.
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

  /// Moves the documents below another library's folder to that library, with their highlights,
  /// notes, tags and colour labels. The change is one undoable step in each library.
  ///
  /// The other library stores everything, in one transaction, before anything is removed from this
  /// library. If the process is killed in between, both libraries have the documents; moving them
  /// again creates no duplicates. Highlights in the trash stay in this library's trash.
  ///
  /// - Returns: the numbers of moved documents and highlights.
  /// - Throws: `nothing` if there are no documents below the folder; `conflict` if a highlight was
  ///   changed in this library meanwhile, in which case nothing is removed from it.
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
              .conflict, "\(copy.document.shownPath) was changed meanwhile", hint: "try again")
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

  /// Creates a `.gitignore` file that excludes the folder of a new library from version control. An
  /// existing file is kept.
  ///
  /// - Throws: the error of the system if the folder or the file cannot be created.
  package func ignoreInVersionControl() throws(UserError) {
    if try FileSystem.status(of: ignoreFile) != nil { return }
    try FileSystem.makeFolder(folder)
    try OutputFile.write(Array("*\n".utf8), to: ignoreFile, replacing: false)
  }

  /// Deletes the `.gitignore` file and the folder of a library that was not created after all. A
  /// folder with other files is kept.
  package func forgetVersionControl() {
    unlink(ignoreFile)
    rmdir(folder)
  }
}
