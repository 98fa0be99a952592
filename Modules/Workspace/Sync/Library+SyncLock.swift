import Model
import Storage
package import SystemSupport

extension UserError {
  /// The library is being synced, here or by another process.
  package static let syncIsRunning = UserError(
    .conflict, "another sync of this library is running",
    hint: "nothing was changed here; try again when it has ended")

  /// What a sync began with is not so any more.
  static let changedDuringSync = UserError(
    .conflict, "how this library is synced was changed meanwhile, so the sync was ended",
    hint: "nothing is lost: sync again")
}

/// What keeps two syncs apart: each reads how far all is known, asks a target for a while, and then writes
/// down how far it is known now.
extension Library {
  /// How long it is waited for another sync, unless somebody says otherwise: most take less.
  package static let syncPatience = Duration.seconds(30)

  /// Keeps all other syncs of this person out, and what changes how the library is synced, until it is
  /// unlocked.
  ///
  /// - Throws: `syncIsRunning` when another one took longer than it was to be waited for.
  func lockSync(within time: Duration = syncPatience) async throws(UserError) -> FileLock {
    guard let state = location.state else {
      throw UserError(
        .usage, "no folder for the state of syncing: HOME is not set",
        hint: "set HOME or XDG_STATE_HOME")
    }
    let path = "\(state)/sync/\(location.key).lock"
    let lock: FileLock?
    do throws(SystemFailure) {
      try PrivateFile.makeFolder(path.parentFolder)
      lock = try await FileLock.take(path, within: time)
    } catch { throw UserError(.conflict, "cannot lock \(path): \(error)") }
    guard let lock else { throw .syncIsRunning }
    return lock
  }
}

extension WriteTransaction {
  /// Requires that this copy of the library still has the name under which a sync began: what has none
  /// of the locks, such as another person's program, may have changed it.
  func require(_ own: ReplicaID) throws {
    guard try replica() == own else { throw UserError.changedDuringSync }
  }

  /// Requires as well that a replica is known as far as the sync has read.
  func require(_ own: ReplicaID, _ read: ReplicaProgress, of replica: ReplicaID) throws {
    try require(own)
    guard try progress()[replica].map({ $0 == read }) ?? (read.sequence == 0) else {
      throw UserError.changedDuringSync
    }
  }
}
