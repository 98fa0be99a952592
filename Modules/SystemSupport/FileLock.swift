import Glibc

/// A lock on a file between processes, with flock(2). It is released by `unlock`, with this object,
/// and when the process ends in any way. The file is never deleted, because processes could then
/// lock different files of the same name.
package final class FileLock: Sendable {
  /// The delay between two attempts.
  private static let period = Duration.milliseconds(50)

  private let descriptor: Int32

  private init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Locks one of the user's own files, and creates it if it is missing.
  ///
  /// - Parameter time: the maximum wait for another holder, in this process or another one.
  /// - Returns: nil if the time is up or the task was cancelled.
  /// - Throws: the errors of `PrivateFile.open`, or the reason why the file cannot be locked.
  package static func take(_ path: String, within time: Duration) async throws(SystemCallError)
    -> FileLock?
  {
    let lock = FileLock(try PrivateFile.open(path, O_RDWR | O_CREAT))
    let end = ContinuousClock.now + time
    while flock(lock.descriptor, LOCK_EX | LOCK_NB) != 0 {
      let number = errno
      guard number == EWOULDBLOCK || number == EINTR else { throw SystemCallError(number) }
      guard ContinuousClock.now < end, !Task.isCancelled else { return nil }
      try? await Task.sleep(for: period)
    }
    return lock
  }

  /// Releases the lock.
  package func unlock() { flock(descriptor, LOCK_UN) }
}
