import CSys
import Glibc
package import SystemSupport
package import Workspace

/// The paths of a library's daemon: its socket and lock in the runtime folder, and its log in the
/// state folder. They are named by the library's key. Both folders belong to the user, so that
/// other users can't place links in them.
package struct ControlSocket: Sendable {
  /// The folder of the socket and the lock, or nil if the user has none.
  package let folder: String?
  private let state: String?
  private let key: String
  /// The version of the protocol. The framing, `id`, `version` and the command `stop` are the same
  /// in all versions.
  package static let version = 1
  /// The maximum size of a request in bytes.
  package static let requestLimit = 1 << 16
  /// The maximum size of a message from the daemon in bytes.
  package static let messageLimit = 16 << 20

  /// Creates the paths for a library. Nothing is created on disk.
  package init(of location: LibraryLocation) {
    (folder, state, key) = (location.runtime, location.state, location.key)
  }

  /// The file that the daemon locks, so that a library has only one daemon.
  package var lockFile: String { path(".lock", in: folder) }
  /// The log file of a daemon in the background.
  package var logFile: String { path(".log", in: state) }
  /// The path of the socket that the daemon listens on.
  package var path: String { path(".sock", in: folder) }

  private func path(_ ending: String, in folder: String?) -> String {
    (folder ?? "/nonexistent").appending("\(key)\(ending)")
  }

  /// Creates the folder of the socket and the lock, accessible only to the user.
  ///
  /// - Throws: ``UserError`` with the code `usage` if the user has no such folder, `conflict` if it
  ///   can't be used.
  package func makeFolder() throws(UserError) {
    guard let folder else {
      throw UserError(
        .usage, "no place for the daemon's socket: neither XDG_RUNTIME_DIR nor HOME is set")
    }
    do { try PrivateFile.makeFolder(folder) } catch {
      throw UserError(
        .conflict, "cannot use the folder \(folder): \(error)",
        hint: "no other user may have access to the folder")
    }
  }

  /// Connects to the daemon and returns the connection's descriptor. Returns nil if no daemon runs
  /// or the process at the socket belongs to another user.
  package func connect() -> Int32? {
    open { descriptor, address in
      var user = uid_t()
      return withAddress(address) { Glibc.connect(descriptor, $0, $1) == 0 }
        && csys_peer_user(descriptor, &user) == 0 && user == geteuid()
    }
  }

  /// Listens for connections from the user's processes and returns the descriptor.
  ///
  /// - Throws: ``UserError`` if the folder can't be used or doesn't support sockets.
  package func listen() throws(UserError) -> Int32 {
    try makeFolder()
    // Remove the socket of a killed daemon. The lock ensures that no other daemon runs.
    unlink(path)
    let before = umask(0o177)
    defer { umask(before) }
    let listening = open { descriptor, address in
      withAddress(address) { bind(descriptor, $0, $1) == 0 } && Glibc.listen(descriptor, 64) == 0
    }
    guard let listening else { throw FileSystem.systemError("listen at", path) }
    return listening
  }

  /// Opens a socket at a path of any length. A socket address has room for only 107 bytes, so the
  /// folder is referred to by a descriptor.
  private func open(_ use: (Int32, String) -> Bool) -> Int32? {
    guard let folder else { return nil }
    let directory = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard directory >= 0 else { return nil }
    defer { close(directory) }
    var status = stat()
    guard fstat(directory, &status) == 0, status.st_uid == geteuid(),
      status.st_mode & 0o077 == 0
    else { return nil }
    let type = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    let descriptor = socket(AF_UNIX, Int32(type), 0)
    guard descriptor >= 0 else { return nil }
    if use(descriptor, "/proc/self/fd/\(directory)/\(key).sock") { return descriptor }
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
