import Glibc
import SystemSupport

/// The changes of a few files, whose folders are watched with inotify.
///
/// Where the kernel does not report all changes, such as on network file systems, the caller must
/// call `take()` periodically: files are also compared by their fingerprints.
///
/// ```swift
/// let files = FollowedFiles()
/// files.follow(["/home/anna/room.md"])
/// // When `files.descriptor` is readable, or after half a second unless `isReliable`:
/// for path in files.take() { … }
/// ```
package final class FollowedFiles {
  /// The inotify descriptor, readable when there may be changes; negative if the user has too many
  /// watchers.
  package let descriptor: Int32
  /// Whether the kernel reports all changes of the files.
  package private(set) var isReliable = true

  /// The last known state of each file; nil if the file was missing.
  private var states: [String: FileFingerprint?] = [:]
  /// The followed files, by the number of the watch of a folder and the file name in its events.
  private var folders: [Int32: [String: Set<String>]] = [:]

  private static let events = UInt32(
    IN_MODIFY | IN_ATTRIB | IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO
      | IN_MOVE_SELF | IN_DELETE_SELF)

  /// Follows no files yet.
  package init() {
    descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Follows exactly the given files, which may be missing. Changes of new files are reported from
  /// now on. Unreported changes of files that were followed before are kept.
  ///
  /// - Parameter paths: absolute paths.
  package func follow(_ paths: Set<String>) {
    guard paths != Set(states.keys) else { return }
    states = states.filter { paths.contains($0.key) }
    for path in paths where states[path] == nil { states[path] = .some(FileFingerprint(path)) }
    watchFolders()
  }

  private func watchFolders() {
    var wanted: [String: [String: Set<String>]] = [:]
    for path in states.keys {
      // Watch the folder of a symbolic link, and the folder of its target.
      for place in [path, FileSystem.resolved(path) ?? path] {
        wanted[place.parentFolder, default: [:]][String(place.lastComponent), default: []]
          .insert(path)
      }
    }
    var found: [Int32: [String: Set<String>]] = [:]
    let mounts = MountTable()
    isReliable = descriptor >= 0
    for (folder, files) in wanted {
      // Watching a folder again returns the same number.
      let number = descriptor < 0 ? -1 : inotify_add_watch(descriptor, folder, Self.events)
      if number >= 0 { found[number, default: [:]].merge(files) { $0.union($1) } }
      if number < 0 || mounts.type(of: folder).map(MountTable.isRemote) ?? false {
        isReliable = false
      }
    }
    for number in folders.keys where found[number] == nil { inotify_rm_watch(descriptor, number) }
    folders = found
  }

  /// Returns the files that may have changed since they were followed, or since the last call. Does
  /// not wait. O(events + files).
  package func take() -> Set<String> {
    let (named, areFoldersLost) = readEvents()
    var changed: Set<String> = []
    for (path, state) in states {
      let now = FileFingerprint(path)
      // Two writes within a tick of the clock can leave the same fingerprint, so an event counts as
      // a change too.
      if now != state || named.contains(path) { changed.insert(path) }
      states[path] = .some(now)
    }
    if areFoldersLost { watchFolders() }
    return changed
  }

  /// Reads all queued events.
  ///
  /// - Returns: the followed files in the events, and whether a folder must be watched again.
  private func readEvents() -> (named: Set<String>, areFoldersLost: Bool) {
    var named: Set<String> = []
    var areFoldersLost = false
    guard descriptor >= 0 else { return (named, false) }
    var buffer = [UInt64](repeating: 0, count: 2_048)  // Aligned for `inotify_event`.
    while true {
      let size = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if size < 0 && errno == EINTR { continue }
      guard size > 0 else { return (named, areFoldersLost) }
      buffer.withUnsafeBytes { bytes in
        var offset = 0
        while offset < size {
          let head = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
          let start = offset + MemoryLayout<inotify_event>.size
          let name = bytes[start..<start + Int(head.len)].prefix { $0 != 0 }
          offset = start + Int(head.len)
          let lost = IN_IGNORED | IN_MOVE_SELF | IN_DELETE_SELF
          // The kernel also sends IN_IGNORED for a watch that was removed on purpose, which
          // `folders` does not contain.
          if head.mask & UInt32(IN_Q_OVERFLOW) != 0
            || head.mask & UInt32(lost) != 0 && folders[head.wd] != nil
          {
            areFoldersLost = true
          }
          named.formUnion(folders[head.wd]?[String(decoding: name, as: UTF8.self)] ?? [])
        }
      }
    }
  }
}
