import CSQLite
import Glibc

/// What the system said when a call of SQLite's failed. SQLite's own answer is whatever `errno` says
/// when it gives the error, after it has cleaned up; its log has the number of the call that failed.
enum SystemErrors {
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  /// Begins to listen; before the first database is opened, and once.
  static let listening: Void = {
    _ = key
    _ = csqlite_log { _, _, message in
      guard let message, let number = SystemErrors.number(in: String(cString: message)) else {
        return
      }
      pthread_setspecific(SystemErrors.key, UnsafeRawPointer(bitPattern: Int(number)))
    }
  }()

  /// The error number of a line such as `os_unix.c:39: (28) write(/a-shm) - No space left`.
  static func number(in line: String) -> Int32? {
    guard line.hasPrefix("os_unix.c:"), let start = line.firstIndex(of: "("),
      let end = line[start...].firstIndex(of: ")")
    else { return nil }
    return Int32(line[line.index(after: start)..<end])
  }

  /// Forgets what was said on this thread.
  static func clear() { pthread_setspecific(key, nil) }

  /// What was said last on this thread; 0 when nothing was.
  static var last: Int32 { Int32(truncatingIfNeeded: Int(bitPattern: pthread_getspecific(key))) }
}
