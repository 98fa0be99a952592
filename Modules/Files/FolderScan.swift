import Glibc
import Model
package import SystemSupport

/// Finds the Markdown files below a folder.
package struct FolderScan {
  /// The files in the order of their paths.
  package private(set) var files: [String] = []
  /// What could not be looked into; the rest of the folder is found all the same.
  package private(set) var problems: [UserError] = []

  /// The endings of names that are taken for Markdown.
  package static let extensions: Set<String> = ["md", "markdown", "mdown", "mkd", "mkdn"]

  /// Looks through a folder and those below it, not through hidden ones, and not through links to
  /// folders (they could lead in circles). A link to a file counts where the file lies in the folder
  /// too: nobody named what lies elsewhere.
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

  /// The Markdown files that stand in a folder itself, in no order; none when it cannot be read.
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

  /// Calls `body` with the name and type of everything in one folder, in no order.
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

  /// Whether a file's name ends as Markdown's do.
  package static func isMarkdown(_ name: String) -> Bool {
    guard let dot = name.lastIndex(of: ".") else { return false }
    return extensions.contains(name[name.index(after: dot)...].lowercased())
  }

  /// Whether a file at an absolute path would be found by a look through its folder.
  package static func isUsual(_ path: String) -> Bool {
    !path.lastComponent.hasPrefix(".") && isMarkdown(path)
  }

  /// What an entry of a folder is to somebody who looks for documents.
  package enum Kind { case file, folder, other }

  /// What the entry at a path is, by the type that the folder says it has.
  package static func kind(of type: UInt8, at path: String) -> Kind {
    switch Int(type) {
    case Int(DT_DIR): return .folder
    case Int(DT_REG): return .file
    case Int(DT_LNK), Int(DT_UNKNOWN):
      // A link to a file counts; some file systems say the type of nothing.
      var status = stat()
      guard lstat(path, &status) == 0 else { return .other }
      if status.st_mode & S_IFMT == S_IFDIR { return .folder }
      guard stat(path, &status) == 0 else { return .other }
      return status.st_mode & S_IFMT == S_IFREG ? .file : .other
    default: return .other
    }
  }
}
