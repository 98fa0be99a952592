import Glibc
import Model
package import SystemSupport

/// The Markdown files below a folder.
///
/// ```swift
/// let scan = FolderScan("/home/ann/notes")
/// scan.files     // ["/home/ann/notes/walden.md", …]
/// scan.problems  // folders that could not be read
/// ```
package struct FolderScan {
  /// The paths of the files, sorted.
  package private(set) var files: [String] = []
  /// The errors for folders that could not be read. The other folders are still scanned.
  package private(set) var problems: [UserError] = []

  /// The file extensions of Markdown files, in lower case.
  package static let extensions: Set<String> = ["md", "markdown", "mdown", "mkd", "mkdn"]

  /// Scans a folder recursively.
  ///
  /// Hidden files and folders are skipped, as are links to folders, which could form a cycle. A
  /// link to a file is included only if its target is below the scanned folder: files elsewhere
  /// were not asked for.
  package init(_ folder: String) {
    let base = FileSystem.resolved(folder) ?? folder
    var pending = [folder]
    while let current = pending.popLast() {
      do throws(UserError) {
        try Self.forEachEntry(of: current) { name, type in
          if name.hasPrefix(".") { return }
          let path = current + "/" + name
          switch Self.kind(of: type, at: path) {
          case .folder: pending.append(path)
          case .file where Self.isMarkdown(name):
            let isLink = type == UInt8(DT_LNK) || type == UInt8(DT_UNKNOWN)
            if isLink, FileSystem.resolved(path)?.isBelow(base) != true { return }
            files.append(path)
          default: break
          }
        }
      } catch { problems.append(error) }
    }
    files.sort()
  }

  /// Returns the Markdown files directly in a folder, in no particular order, without hidden files
  /// and links to files elsewhere; empty if the folder cannot be read.
  package static func files(directlyIn folder: String) -> [String] {
    let base = FileSystem.resolved(folder) ?? folder
    var files: [String] = []
    try? forEachEntry(of: folder) { name, type in
      let path = folder.appending(name)
      let isInside = type != UInt8(DT_LNK) || FileSystem.resolved(path)?.parentFolder == base
      if isUsual(path), isInside, kind(of: type, at: path) == .file { files.append(path) }
    }
    return files
  }

  /// Calls `body` with the name and the type of each entry in a folder, in no particular order. The
  /// type is one of the `DT_` constants.
  ///
  /// - Throws: `UserError` if the folder cannot be opened.
  package static func forEachEntry(
    of folder: String, _ body: (_ name: String, _ type: UInt8) -> Void
  )
    throws(UserError)
  {
    guard let handle = opendir(folder) else {
      throw FileSystem.systemError("read the folder", folder)
    }
    defer { closedir(handle) }
    while let entry = readdir(handle) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      body(name, entry.pointee.d_type)
    }
  }

  /// Whether a file name has an extension of Markdown files. Case is ignored.
  package static func isMarkdown(_ name: String) -> Bool {
    guard let dot = name.lastIndex(of: ".") else { return false }
    return extensions.contains(name[name.index(after: dot)...].lowercased())
  }

  /// Whether a scan of its folder would include a file with this path: it is a Markdown file and is
  /// not hidden.
  package static func isUsual(_ path: String) -> Bool {
    !path.lastComponent.hasPrefix(".") && isMarkdown(path)
  }

  /// The kind of a folder entry for a scan.
  package enum Kind { case file, folder, other }

  /// Returns the kind of an entry from its `DT_` type, and reads its status if the type does not
  /// suffice.
  package static func kind(of type: UInt8, at path: String) -> Kind {
    switch Int(type) {
    case Int(DT_DIR): return .folder
    case Int(DT_REG): return .file
    case Int(DT_LNK), Int(DT_UNKNOWN):
      // A link has the kind of its target, but a link to a folder is excluded. Some file systems
      // report no type at all.
      var status = stat()
      guard lstat(path, &status) == 0 else { return .other }
      if status.st_mode & S_IFMT == S_IFDIR { return .folder }
      guard stat(path, &status) == 0 else { return .other }
      return status.st_mode & S_IFMT == S_IFREG ? .file : .other
    default: return .other
    }
  }
}
