import Foundation
import Model
import Sync
import SystemSupport
import TestSupport
import Transports

/// A bare repository of a test that sshd serves on the loopback address, with its own keys. Neither
/// the user's keys nor the user's known hosts are read or changed.
struct SSHFixture: ServedFixture, @unchecked Sendable {
  let folder: WorkFolder
  let title = "git over ssh"
  let address: String
  let engine: Engine
  /// The command with which git connects.
  let command: String
  var transport: any SyncTransport { SSHGit(command: command) }
  var cacheFolder: String { folder.path + "/caches" }
  let knowsChanges = false
  // Each connection starts several programs.
  let writers = (count: 2, rounds: 2)

  init() throws {
    folder = try WorkFolder()
    let (path, port) = (folder.path, try Engine.freePort())
    address = "ssh://\(NSUserName())@127.0.0.1:\(port)\(path)/remote.git"
    command = "ssh -F \(path)/client"
    try folder.git("init", "--quiet", "--bare", "remote.git")
    try folder.shell(
      """
      ssh-keygen -q -t ed25519 -N '' -f host; ssh-keygen -q -t ed25519 -N '' -f user
      cp user.pub authorized; printf '[127.0.0.1]:\(port) ' >known; cat host.pub >>known
      """)
    try folder.write(
      "client",
      """
      Host *
        IdentityFile \(path)/user
        IdentitiesOnly yes
        UserKnownHostsFile \(path)/known
        GlobalKnownHostsFile none
        StrictHostKeyChecking yes
        BatchMode yes
      """)
    try folder.write(
      "server",
      """
      ListenAddress 127.0.0.1:\(port)
      HostKey \(path)/host
      AuthorizedKeysFile \(path)/authorized
      PidFile none
      StrictModes no
      UsePAM no
      PasswordAuthentication no
      KbdInteractiveAuthentication no
      PermitRootLogin prohibit-password
      MaxStartups 100
      """)
    // sshd of root requires this empty folder, which the system creates when its own sshd starts.
    if geteuid() == 0 {
      try FileManager.default.createDirectory(
        atPath: "/run/sshd", withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o755])
    }
    // sshd starts itself again for each connection, and requires an absolute path for that.
    engine = try Engine(
      [Engine.program("sshd") ?? "/usr/sbin/sshd", "-D", "-e", "-f", path + "/server"],
      log: path + "/server.log"
    ) { Engine.answers(port) }
  }
}

/// A git transport whose clones connect with a given command. The command is in their
/// configuration, because variables would apply to all tests of this process.
private struct SSHGit: SyncTransport {
  static let id = "ssh-git"
  static let summary = "git over ssh"
  static let examples: [TransportExample] = []
  let command: String

  func connect(to place: TransportPlace) async throws(TransportError) -> any TransportConnection {
    do {
      let clone = place.cache + "/repository.git"
      for words in [
        ["init", "--quiet", "--bare", "--template=", clone],
        ["--git-dir=\(clone)", "config", "core.sshCommand", command],
      ] {
        guard try ChildProgram(["git"] + words).end() == 0 else {
          throw CocoaError(.fileWriteUnknown)
        }
      }
    } catch { throw TransportError(.unavailable, "\(error)") }
    return try await Git().connect(to: place)
  }
}
