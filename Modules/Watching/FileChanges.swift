import Model
import SystemSupport

/// The changes of files since the last report. All paths are absolute.
package struct FileChanges: Hashable, Sendable {
  /// The files that were written, created, deleted or renamed.
  package var files: Set<String> = []
  /// The files that appeared, a subset of `files`. A missing document may be one of them.
  package var arrivals: Set<String> = []
  /// The folders that appeared or disappeared, including everything in them.
  package var folders: Set<String> = []
  /// The renames in their order.
  package var renames: [Rename] = []
  /// The reason to check all documents, not only those in this value; nil if that isn't necessary.
  package var rescan: RescanReason?

  /// A file or folder with a new path.
  package struct Rename: Hashable, Sendable {
    /// The path before.
    package var from: String
    /// The path after.
    package var to: String

    /// Returns the path after the rename; unchanged if the rename doesn't affect it. O(length).
    package func applied(to path: String) -> String {
      if path == from { return to }
      return path.isBelow(from) ? to + path.dropFirst(from.count) : path
    }
  }

  package init() {}

  /// Whether nothing changed.
  package var isEmpty: Bool {
    files.isEmpty && folders.isEmpty && renames.isEmpty && rescan == nil
  }

  /// The approximate number of changes.
  package var count: Int { files.count + folders.count + (rescan == nil ? 0 : 1) }

  /// Appends changes that happened after these.
  package mutating func add(_ later: FileChanges) {
    files.formUnion(later.files)
    arrivals.formUnion(later.arrivals)
    folders.formUnion(later.folders)
    renames += later.renames
    rescan = rescan ?? later.rescan
  }
}

/// The reason to check all documents again.
package enum RescanReason: String, Hashable, Sendable, Codable {
  /// The watcher has just started.
  case start
  /// A user requested it.
  case requested = "asked"
  /// The event queue overflowed.
  case overflow
  /// A file system was unmounted.
  case unmount
  /// Not all folders can be watched, so all documents are checked periodically.
  case unwatched
}
