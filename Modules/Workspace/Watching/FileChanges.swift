/// What happened to files, gathered until it was quiet. All paths are absolute.
public struct FileChanges: Hashable, Sendable {
  /// Files that were written, came, went or were renamed.
  public var files: Set<String> = []
  /// Those of them that came: a missing document may be one of them.
  public var arrivals: Set<String> = []
  /// Folders that came or went, with everything below them.
  public var folders: Set<String> = []
  /// What was renamed, in the order in which it happened.
  public var renames: [Rename] = []
  /// Why not only these but all documents must be looked at.
  public var rescan: RescanReason?

  /// One file or folder that got another path.
  public struct Rename: Hashable, Sendable {
    /// The path before.
    public var from: String
    /// The path after.
    public var to: String

    /// Where a path leads after this rename. O(length).
    func applied(to path: String) -> String {
      if path == from { return to }
      return path.isBelow(from) ? to + path.dropFirst(from.count) : path
    }
  }

  /// No changes.
  public init() {}

  /// Whether nothing happened.
  public var isEmpty: Bool {
    files.isEmpty && folders.isEmpty && renames.isEmpty && rescan == nil
  }

  /// About how many things happened.
  public var count: Int { files.count + folders.count + (rescan == nil ? 0 : 1) }

  /// Adds what happened after this.
  public mutating func add(_ later: FileChanges) {
    files.formUnion(later.files)
    arrivals.formUnion(later.arrivals)
    folders.formUnion(later.folders)
    renames += later.renames
    rescan = rescan ?? later.rescan
  }
}

/// Why all documents must be looked at again.
public enum RescanReason: String, Hashable, Sendable, Codable {
  /// The watcher has just begun.
  case start
  /// Somebody asked for it.
  case asked
  /// More happened at once than the system keeps for a reader.
  case overflow
  /// A file system went away.
  case unmount
  /// Not every folder can be watched: the rest is looked at from time to time.
  case unwatched
}

extension String {
  /// Whether an absolute path is somewhere below a folder.
  func isBelow(_ folder: String) -> Bool {
    if folder == "/" { return count > 1 }
    guard utf8.count > folder.utf8.count, utf8.starts(with: folder.utf8) else { return false }
    return utf8[utf8.index(utf8.startIndex, offsetBy: folder.utf8.count)] == UInt8(ascii: "/")
  }

  /// The folder that holds what an absolute path names.
  var parentFolder: String {
    guard let slash = lastIndex(of: "/"), slash != startIndex else { return "/" }
    return String(self[..<slash])
  }

  /// The path of something in the folder that this path names.
  func appending(_ name: String) -> String { self == "/" ? "/" + name : self + "/" + name }
}
