import Files
import Glibc
import Model
import SystemSupport

/// Which folders must be watched so that nothing that happens to a library's documents is missed.
package struct WatchPlan: Hashable, Sendable {
  /// Folders that are watched with all below them, so that a file that moves is followed.
  package var trees: Set<String> = []
  /// Further folders that hold documents, hidden or ignored ones for example.
  package var folders: Set<String> = []
  /// The documents' files that are hidden, or whose names do not end as Markdown's do.
  package var unusualFiles: Set<String> = []
  /// For a file to which documents are symbolic links, their paths.
  package var links: [String: Set<String>] = [:]
  /// The library's own folder, whose files change with every write.
  package var ownFolder: String
  /// How many documents there are.
  package var documents = 0

  /// Plans for documents at absolute paths.
  ///
  /// The folder of the library is watched with all below it. So is each further folder that holds
  /// documents, except the root of all and the person's home, below which there is too much that
  /// has nothing to do with them.
  ///
  /// - Parameters:
  ///   - ownFolder: the library's own folder.
  ///   - root: the folder that the library belongs to; nil when it belongs to none.
  ///   - home: the person's home folder.
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

  /// Where a symbolic link leads; nil for what is none, or leads nowhere.
  private static func target(ofLink path: String) -> String? {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return nil }
    return FileSystem.resolved(path)
  }
}
