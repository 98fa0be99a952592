import Model
import SystemSupport

/// What happened to files, gathered until it was quiet. All paths are absolute.
package struct FileChanges: Hashable, Sendable {
  /// Files that were written, came, went or were renamed.
  package var files: Set<String> = []
  /// Those of them that came: a missing document may be one of them.
  package var arrivals: Set<String> = []
  /// Folders that came or went, with everything below them.
  package var folders: Set<String> = []
  /// What was renamed, in the order in which it happened.
  package var renames: [Rename] = []
  /// Why not only these but all documents must be checked.
  package var rescan: RescanReason?

  /// One file or folder that got another path.
  package struct Rename: Hashable, Sendable {
    /// The path before.
    package var from: String
    /// The path after.
    package var to: String

    /// Where a path leads after this rename. O(length).
    package func applied(to path: String) -> String {
      if path == from { return to }
      return path.isBelow(from) ? to + path.dropFirst(from.count) : path
    }
  }

  /// No changes.
  package init() {}

  /// Whether nothing happened.
  package var isEmpty: Bool {
    files.isEmpty && folders.isEmpty && renames.isEmpty && rescan == nil
  }

  /// About how many things happened.
  package var count: Int { files.count + folders.count + (rescan == nil ? 0 : 1) }

  /// Adds what happened after this.
  package mutating func add(_ later: FileChanges) {
    files.formUnion(later.files)
    arrivals.formUnion(later.arrivals)
    folders.formUnion(later.folders)
    renames += later.renames
    rescan = rescan ?? later.rescan
  }
}

/// Why all documents must be checked again.
package enum RescanReason: String, Hashable, Sendable, Codable {
  /// The watcher has just begun.
  case start
  /// A person asked for it.
  case requested = "asked"
  /// The event queue overflowed.
  case overflow
  /// A file system went away.
  case unmount
  /// Not every folder can be watched: the rest is checked from time to time.
  case unwatched
}
