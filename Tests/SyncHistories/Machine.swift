import BuiltIn
package import Foundation
import Model
import Storage
package import Sync
import Synchronization
package import TestSupport
import Testing

@testable package import LibrarySync
@testable package import Workspace

/// The wall clock of a machine, which can be wrong.
package final class MachineClock: Sendable {
  private let seconds = Mutex<TimeInterval>(0)
  /// The time at which it is stopped. Nil if it runs.
  private let stop: Date?

  package init(stoppedAt stop: Date? = nil) { self.stop = stop }

  /// The number of seconds that it is ahead.
  package var offset: TimeInterval {
    get { seconds.withLock { $0 } }
    set { seconds.withLock { $0 = newValue } }
  }

  package var now: Date { (stop ?? Date()) + offset }
}

/// A home folder with a library, whose documents are not copied to other machines.
package final class Machine: @unchecked Sendable {
  package let library: Library
  package let notes: String
  /// The target that it syncs with.
  package var offer: SyncOffer

  package init(
    _ folder: WorkFolder, _ name: String, copyOf other: Machine? = nil,
    over transport: (any SyncTransport)? = nil, clock: MachineClock = MachineClock(),
    sharing share: String = "shared"
  ) throws {
    let home = "\(folder.path)/\(name)"
    notes = home + "/notes"
    let files = FileManager.default
    if let other {
      try files.createDirectory(atPath: home, withIntermediateDirectories: true)
      try files.copyItem(atPath: other.notes, toPath: notes)
    } else {
      try files.createDirectory(atPath: notes + "/.diple", withIntermediateDirectories: true)
    }
    let shared = "\(folder.path)/\(share)"
    try files.createDirectory(atPath: shared, withIntermediateDirectories: true)
    var location = LibraryLocation(folder: notes + "/.diple")
    location.usePersonalFolders(of: ["HOME": home])
    var plugins = PluginSet.builtIn
    if let transport { plugins.transports.register(transport, "test", "for a test") }
    library = try Library(at: location, plugins: plugins, opening: .create, now: { clock.now })
    offer = SyncOffer(
      transport: transport == nil ? "folder" : "test", address: shared, device: name)
  }

  /// Creates a copy of a machine's home folder, with its keys.
  ///
  /// - Parameter isImage: Whether the copy cannot detect that it is one, like the image of a disk.
  package init(
    _ folder: WorkFolder, _ name: String, cloneOf other: Machine, isImage: Bool = false,
    over transport: (any SyncTransport)? = nil, clock: MachineClock = MachineClock(),
    sharing share: String = "shared"
  ) throws {
    let home = "\(folder.path)/\(name)"
    notes = home + "/notes"
    try FileManager.default.copyItem(
      atPath: URL(fileURLWithPath: other.notes).deletingLastPathComponent().path, toPath: home)
    var location = LibraryLocation(folder: notes + "/.diple")
    location.usePersonalFolders(of: ["HOME": home])
    if isImage {
      try Store(at: notes + "/.diple/library.sqlite").write { try $0.forgetCopy() }
    }
    var plugins = PluginSet.builtIn
    if let transport { plugins.transports.register(transport, "test", "for a test") }
    library = try Library(at: location, plugins: plugins, now: { clock.now })
    let shared = "\(folder.path)/\(share)"
    try FileManager.default.createDirectory(atPath: shared, withIntermediateDirectories: true)
    offer = SyncOffer(
      transport: transport == nil ? "folder" : "test", address: shared, device: name)
  }

  /// Deletes the library's record of its sync target.
  package func forgetSyncTarget() throws {
    try Store(at: notes + "/.diple/library.sqlite").write { try $0.forgetSync() }
  }
}

extension Library {
  /// Returns the lines whose digest is `stateDigest()`, to print how two libraries differ.
  package func stateLines() throws -> [String] {
    var lines: [String] = []
    try storage { try store.read { try $0.stateLines { lines.append($0) } } }
    return lines
  }
}
