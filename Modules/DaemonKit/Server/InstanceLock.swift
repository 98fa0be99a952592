import Glibc
import SystemSupport
import Workspace

/// A file lock that ensures that a library has only one daemon. The lock is released when the
/// process ends in any way. The file is never deleted, because a lock on a deleted file excludes
/// nothing.
struct InstanceLock {
  /// The reason why the lock can't be acquired.
  enum Failure: Error {
    /// Another daemon has the lock. The value is its process id, or empty if it hasn't written it
    /// yet.
    case taken(by: String)
    /// The file can't be opened. The value is the `errno`.
    case system(Int32)
  }

  init(_ path: String) throws(Failure) {
    let descriptor: Int32
    do { descriptor = try PrivateFile.open(path, O_RDWR | O_CREAT) } catch {
      throw .system(error.number)
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      var bytes = [UInt8](repeating: 0, count: 32)
      let count = max(0, read(descriptor, &bytes, bytes.count))
      close(descriptor)
      throw .taken(by: String(decoding: bytes[..<count].filter { $0 > 0x20 }, as: UTF8.self))
    }
    ftruncate(descriptor, 0)
    let text = Array("\(getpid())\n".utf8)
    _ = write(descriptor, text, text.count)
    // The descriptor stays open as long as the process lives.
  }
}
