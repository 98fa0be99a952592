import Sync
import SystemSupport

/// Tells Syncthing that something is new in a folder, which it would see some seconds later by itself.
struct SyncthingNudge {
  /// The one of a folder; nil where no Syncthing is known to carry it.
  static func named(_ address: FolderAddress) throws(TransportError) -> SyncthingNudge? { nil }

  /// Has it look at a folder, by its path below the root. Failure is of no account.
  func scan(_ path: String) async {}
}
