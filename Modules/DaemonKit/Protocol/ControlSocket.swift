import Files
import Glibc
package import SystemSupport
import Watching
package import Workspace

/// The place of a library's daemon: `daemon.sock`, `daemon.lock` and `daemon.log` in its folder.
package struct ControlSocket: Sendable {
  /// The library's folder.
  package let folder: String
  /// The version of what is said over it. The messages' frames, `id`, `version` and the command `stop`
  /// are the same in all versions.
  package static let version = 1
  /// The largest request in bytes.
  package static let requestLimit = 1 << 16
  /// The largest message from the daemon in bytes.
  package static let messageLimit = 16 << 20

  /// The socket of a library.
  package init(of location: LibraryLocation) { folder = location.folder }

  /// The file on which the one daemon of a library holds a lock.
  package var lockFile: String { folder + "/daemon.lock" }
  /// What a daemon in the background says.
  package var logFile: String { folder + "/daemon.log" }
  /// The socket.
  package var path: String { folder + "/daemon.sock" }

  /// Connects to the daemon; nil when none runs.
  package func connect() -> Int32? {
    open { descriptor, address in
      withAddress(address) { Glibc.connect(descriptor, $0, $1) == 0 }
    }
  }

  /// Waits for connections, which only this person's programs can make.
  ///
  /// - Throws: where the file system of the library has no sockets.
  package func listen() throws(UserError) -> Int32 {
    // What a killed daemon left behind; the lock says that there is no other.
    unlink(path)
    let before = umask(0o177)
    defer { umask(before) }
    let listening = open { descriptor, address in
      withAddress(address) { bind(descriptor, $0, $1) == 0 } && Glibc.listen(descriptor, 64) == 0
    }
    guard let listening else { throw FileSystem.systemError("listen at", path) }
    return listening
  }

  /// Opens a socket at a path of any length: an address has room for 107 bytes only, so the folder
  /// is named by a descriptor.
  private func open(_ use: (Int32, String) -> Bool) -> Int32? {
    let directory = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { return nil }
    defer { close(directory) }
    let type = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    let descriptor = socket(AF_UNIX, Int32(type), 0)
    guard descriptor >= 0 else { return nil }
    if use(descriptor, "/proc/self/fd/\(directory)/daemon.sock") { return descriptor }
    let number = errno
    close(descriptor)
    errno = number
    return nil
  }

  private func withAddress<T>(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> T
  ) -> T {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}
