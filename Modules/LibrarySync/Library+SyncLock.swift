import Model
import Storage
package import SystemSupport
package import Workspace

extension UserError {
  /// The error if another sync of this library is running, in this process or another.
  package static let syncIsRunning = UserError(
    .conflict, "another sync of this library is running",
    hint: "nothing was changed here; try again when it has ended")

  /// The error if another process changed the sync setup or the stored progress during the sync.
  static let changedDuringSync = UserError(
    .conflict, "another command changed how this library is synced, so the sync was stopped",
    hint: "nothing is lost: sync again")
}

/// Prevents concurrent syncs. A sync reads the stored progress, exchanges data with the target, and
/// then stores the new progress.
extension Library {
  /// The default time to wait for another sync. Most syncs take less.
  package static let syncLockTimeout = Duration.seconds(30)

  /// Locks the library against other syncs by this user, and against changes of the sync setup,
  /// until the lock is released.
  ///
  /// - Throws: ``UserError/syncIsRunning`` if the lock is not free within `time`; `usage` if HOME
  ///   is not set; `conflict` if the lock file cannot be created.
  func lockSync(within time: Duration = syncLockTimeout) async throws(UserError) -> FileLock {
    guard let state = location.state else {
      throw UserError(
        .usage, "no folder for the state of syncing: HOME is not set",
        hint: "set HOME or XDG_STATE_HOME")
    }
    let path = "\(state)/sync/\(location.key).lock"
    let lock: FileLock?
    do throws(SystemCallError) {
      try PrivateFile.makeFolder(path.parentFolder)
      lock = try await FileLock.take(path, within: time)
    } catch { throw UserError(.conflict, "cannot lock \(path): \(error)") }
    guard let lock else { throw .syncIsRunning }
    return lock
  }
}

extension WriteTransaction {
  /// Requires that this copy of the library still has the identity with which the sync started. A
  /// program of another user does not use the lock and may have changed it.
  ///
  /// - Throws: `changedDuringSync` if it has another identity.
  func require(_ expected: ReplicaID) throws {
    guard try replica() == expected else { throw UserError.changedDuringSync }
  }

  /// Requires that this copy still has its identity, and that the stored progress of a replica has
  /// not changed since the sync read it.
  ///
  /// - Throws: `changedDuringSync` if either has changed.
  func require(_ expected: ReplicaID, _ read: ReplicaProgress, of replica: ReplicaID) throws {
    try require(expected)
    guard try progress()[replica].map({ $0 == read }) ?? (read.sequence == 0) else {
      throw UserError.changedDuringSync
    }
  }
}
