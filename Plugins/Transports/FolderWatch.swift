import Glibc
import Model
import Sync
import SystemSupport

/// Watches the folders of all replicas with inotify. The watch stays open between calls, so that no
/// change is missed.
final class FolderWatch {
  /// A descriptor that becomes readable when a file or folder changes.
  let descriptor: Int32
  /// The path of each watched folder relative to the root, by the number of the watch.
  private var watches: [Int32: String] = [:]

  /// The maximum number of watched folders. Changes in other folders are noticed by the next
  /// listing.
  private static let limit = 10_000
  private static let events =
    UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_CLOSE_WRITE) | UInt32(IN_DELETE)
    | UInt32(IN_MOVED_FROM) | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF) | UInt32(IN_ONLYDIR)

  /// Creates a watch without folders; nil if the system's limit is exceeded.
  init?() {
    descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard descriptor >= 0 else { return nil }
  }

  deinit { close(descriptor) }

  /// Watches a folder and all folders of replicas in it, including new ones.
  func follow(_ root: OpenFolder) {
    watch(root, "")
    guard let top = try? root.folder("v1"), watch(top, "v1") else { return }
    forEachFolder(in: top) { vault, folder in
      guard VaultID(vault) != nil, watch(folder, "v1/\(vault)") else { return }
      forEachFolder(in: folder) { replica, files in
        if ReplicaID(replica)?.description == replica { watch(files, "v1/\(vault)/\(replica)") }
      }
    }
  }

  private func forEachFolder(in folder: OpenFolder, _ body: (String, OpenFolder) -> Void) {
    var count = 0
    try? folder.forEachName { (name) throws(OpenFolder.Failure) in
      count += 1
      guard count <= Self.limit, let inner = try? folder.folder(name) else { return }
      body(name, inner)
    }
  }

  @discardableResult
  private func watch(_ folder: OpenFolder, _ path: String) -> Bool {
    guard watches.count < Self.limit else { return false }
    // Watch the folder by its descriptor, so that a link that has replaced the folder isn't
    // followed.
    let number = inotify_add_watch(descriptor, "/proc/self/fd/\(folder.descriptor)", Self.events)
    guard number >= 0 else { return false }
    watches[number] = path
    return true
  }

  /// Reads all pending events and returns whether an object may have changed.
  func takeChange() -> Bool {
    var isChange = false
    withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 8) { buffer in
      while true {
        let count = read(descriptor, buffer.baseAddress!, buffer.count)
        guard count > 0 else { break }
        var offset = 0
        while offset + MemoryLayout<inotify_event>.size <= count {
          let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
          let start = offset + MemoryLayout<inotify_event>.size
          let name = buffer[start..<min(count, start + Int(event.len))].prefix { $0 != 0 }
          if concerns(event, String(decoding: name, as: UTF8.self)) { isChange = true }
          offset = start + Int(event.len)
        }
      }
    }
    return isChange
  }

  private func concerns(_ event: inotify_event, _ name: String) -> Bool {
    if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { return true }
    guard let path = watches[event.wd] else { return false }
    if event.mask & UInt32(IN_IGNORED) != 0 {
      watches[event.wd] = nil
      return true
    }
    if event.mask & UInt32(IN_ISDIR) != 0 || name.isEmpty { return !name.hasPrefix(".") }
    // A new file is still empty when it is created, but a file that is linked or renamed is
    // complete.
    if event.mask & UInt32(IN_DELETE | IN_MOVED_FROM) != 0 { return false }
    return ObjectName("\(path)/\(name)") != nil
  }
}
