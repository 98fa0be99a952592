import Files
import Glibc
import Model
import SystemSupport

/// The folders to watch so that every change of a library's documents is noticed.
package struct WatchPlan: Hashable, Sendable {
  /// The folders to watch with everything below them, so that moved files are found.
  package var trees: Set<String> = []
  /// The folders to watch without the folders below them: folders with documents outside `trees`,
  /// hidden or ignored folders with documents inside them, and the folders of the targets of links.
  package var folders: Set<String> = []
  /// The documents whose files are hidden or don't have a Markdown extension.
  package var unusualFiles: Set<String> = []
  /// The paths of documents that are symbolic links, by the path of their target.
  package var links: [String: Set<String>] = [:]
  /// The library's own folder, whose files change with every write.
  package var ownFolder: String
  /// The number of documents.
  package var documents = 0

  /// Creates the plan for documents at absolute paths.
  ///
  /// The library's root folder and all other folders that contain documents are watched with
  /// everything below them. Exceptions are `/` and the user's home folder: only the documents
  /// directly in them are watched, because most of their contents are unrelated.
  ///
  /// - Parameters:
  ///   - ownFolder: the library's own folder.
  ///   - root: the folder that the library belongs to, or nil.
  ///   - home: the user's home folder, or nil.
  package init(documents: [String], ownFolder: String, root: String?, home: String?) {
    self.ownFolder = ownFolder
    self.documents = documents.count
    let broad: Set<String> = ["/", home.map { FileSystem.absolute($0) } ?? "/"]
    if let root { trees.insert(root) }
    var holders: Set<String> = []
    for path in documents {
      holders.insert(path.parentFolder)
      if !FolderScan.isUsual(path) { unusualFiles.insert(path) }
      guard let target = Self.target(ofLink: path) else { continue }
      links[target, default: []].insert(path)
      folders.insert(target.parentFolder)
    }
    for folder in holders.sorted() {
      if broad.contains(folder) || isInTree(folder) {
        folders.insert(folder)
      } else {
        trees.insert(folder)
      }
    }
  }

  private func isInTree(_ folder: String) -> Bool {
    var current = folder
    while true {
      if trees.contains(current) { return true }
      if current == "/" { return false }
      current = current.parentFolder
    }
  }

  /// Returns the target of a symbolic link, or nil if the file isn't one or the target doesn't
  /// exist.
  private static func target(ofLink path: String) -> String? {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return nil }
    return FileSystem.resolved(path)
  }
}
