import Glibc

/// A lock on a file that other processes see, with flock(2). It ends with `unlock`, and with the process
/// however that ends. The file stays: a lock on a file that was removed would be no lock.
package final class FileLock: Sendable {
  /// How long it is waited between two attempts.
  private static let period = Duration.milliseconds(50)

  private let descriptor: Int32

  private init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Takes the lock on a file of this person's, which is made where there is none.
  ///
  /// - Parameter time: how long it is waited for another holder at most, in this process or another one.
  /// - Returns: nil when the time is over, or the task was cancelled.
  /// - Throws: as `PrivateFile.open`, and why the file cannot be locked.
  package static func take(_ path: String, within time: Duration) async throws(SystemFailure)
    -> FileLock?
  {
    let lock = FileLock(try PrivateFile.open(path, O_RDWR | O_CREAT))
    let end = ContinuousClock.now + time
    while flock(lock.descriptor, LOCK_EX | LOCK_NB) != 0 {
      let number = errno
      guard number == EWOULDBLOCK || number == EINTR else { throw SystemFailure(number) }
      guard ContinuousClock.now < end, !Task.isCancelled else { return nil }
      try? await Task.sleep(for: period)
    }
    return lock
  }

  /// Ends it.
  package func unlock() { flock(descriptor, LOCK_UN) }
}
