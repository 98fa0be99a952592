import CSQLite
import Glibc

/// The system error number behind a failed SQLite call.
///
/// SQLite reports the value of `errno` after it has cleaned up, when it may have changed. SQLite's
/// log has the number of the system call that failed.
enum SystemErrors {
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  /// Installs the log handler. It is evaluated once, before the first database is opened.
  static let listening: Void = {
    _ = key
    _ = csqlite_log { _, _, message in
      guard let message, let number = SystemErrors.number(in: String(cString: message)) else {
        return
      }
      pthread_setspecific(SystemErrors.key, UnsafeRawPointer(bitPattern: Int(number)))
    }
  }()

  /// Parses the error number from a line such as
  /// `os_unix.c:39: (28) write(/a-shm) - No space left`; nil for other lines.
  static func number(in line: String) -> Int32? {
    guard line.hasPrefix("os_unix.c:"), let start = line.firstIndex(of: "("),
      let end = line[start...].firstIndex(of: ")")
    else { return nil }
    return Int32(line[line.index(after: start)..<end])
  }

  /// Clears the number that was recorded for this thread.
  static func clear() { pthread_setspecific(key, nil) }

  /// The number recorded last for this thread; 0 if no call has failed.
  static var last: Int32 { Int32(truncatingIfNeeded: Int(bitPattern: pthread_getspecific(key))) }
}
