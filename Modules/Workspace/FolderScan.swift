import Glibc
import Model

/// Finds the Markdown files below a folder.
struct FolderScan {
  /// The files in the order of their paths.
  private(set) var files: [String] = []
  /// What could not be looked into; the rest of the folder is found all the same.
  private(set) var problems: [LibraryError] = []

  /// The endings of names that are taken for Markdown.
  static let extensions: Set<String> = ["md", "markdown", "mdown", "mkd", "mkdn"]

  /// Looks through a folder and those below it, not through hidden ones, and not through links to
  /// folders (they could lead in circles).
  init(_ folder: String) {
    var pending = [folder]
    while let current = pending.popLast() {
      guard let handle = opendir(current) else {
        problems.append(FileSystem.systemError("read the folder", current))
        continue
      }
      defer { closedir(handle) }
      while let entry = readdir(handle) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name.hasPrefix(".") { continue }
        let path = current + "/" + name
        switch kind(of: entry.pointee.d_type, at: path) {
        case .folder: pending.append(path)
        case .file where Self.isMarkdown(name): files.append(path)
        default: break
        }
      }
    }
    files.sort()
  }

  /// Whether a file's name ends as Markdown's do.
  static func isMarkdown(_ name: String) -> Bool {
    guard let dot = name.lastIndex(of: ".") else { return false }
    return extensions.contains(name[name.index(after: dot)...].lowercased())
  }

  private enum Kind { case file, folder, other }

  private func kind(of type: UInt8, at path: String) -> Kind {
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
