import Glibc
import SystemSupport
import Workspace

/// The lock that makes a daemon the only one of its library. It ends with the process, however that
/// ends; the file stays, because a lock on a file that was removed would be no lock.
struct InstanceLock {
  /// What stands in the way.
  enum Failure: Error {
    /// Another daemon; its process as far as it has said so.
    case taken(by: String)
    /// The file cannot be written.
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
