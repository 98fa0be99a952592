import Foundation
import Model
import NetworkTransports
import Sync
import TestSupport
import Transports

/// A database for a test, reached through a socket in its folder. Only its running state changes.
struct PostgresFixture: ServedFixture, @unchecked Sendable {
  let folder: WorkFolder
  let title = "PostgreSQL"
  let engine: Engine
  let transport: any SyncTransport
  private let port: Int
  var cacheFolder: String { folder.path + "/caches" }
  let knowsChanges = true
  /// The address for the role `ada`, which creates the vaults of the checks.
  var address: String { address(of: "ada") }

  /// - Parameters:
  ///   - transport: Nil for a separate transport process.
  ///   - options: Additional settings of the server.
  ///   - isPrepared: Whether to create a database with Diple's schema.
  init(transport: (any SyncTransport)? = nil, options: [String] = [], isPrepared: Bool = true)
    throws
  {
    self.transport = transport ?? Carried("postgres")
    folder = try WorkFolder()
    let port = try Engine.freePort()
    self.port = port
    let path = folder.path
    let initdb = Engine.program("initdb") ?? "initdb"
    // The server refuses to run as the superuser.
    let user = geteuid() == 0 ? "postgres" : NSUserName()
    let demote =
      geteuid() == 0
      ? "setpriv --reuid=postgres --regid=postgres --clear-groups" : ""
    try folder.shell(
      """
      chmod 755 .; mkdir data socket
      \(geteuid() == 0 ? "chown postgres data socket" : "")
      \(demote) \(initdb) -A trust -U postgres --no-sync -D '\(path)/data' >/dev/null
      """)
    let settings = [
      "listen_addresses=127.0.0.1", "unix_socket_directories=\(path)/socket", "port=\(port)",
      "max_connections=50",
    ]
    engine = try Engine(
      [Engine.program("postgres") ?? "postgres", "-D", "\(path)/data"]
        + (settings + options).flatMap { ["-c", $0] },
      as: user, log: path + "/server.log", leftovers: ["\(path)/data/postmaster.pid"]
    ) { Engine.answersPostgres("\(path)/socket", port) }
    guard isPrepared else { return }
    try PostgresSchema.prepare(address(of: "postgres"), for: ["ada", "bob"])
    try sql("CREATE ROLE eve LOGIN")
  }

  func address(of role: String) -> String { "postgresql://\(role)@127.0.0.1:\(port)/team" }

  /// Opens a connection of a role.
  func connect(as role: String) async throws -> any TransportConnection {
    try await transport.connect(to: TransportPlace(address: address(of: role), cache: cacheFolder))
  }

  /// Runs a script as the database's owner or another role, and returns its rows.
  @discardableResult
  func sql(_ text: String, as role: String = "postgres") throws -> String {
    let isNew = text.hasPrefix("CREATE DATABASE")
    return try folder.shell(
      "psql -X -q -A -t -v ON_ERROR_STOP=1 -h '\(folder.path)/socket' -p \(port) -U \(role) "
        + "\(isNew ? "postgres" : "team") <<'END'\n\(text);\nEND")
  }
}

extension Engine {
  /// Returns whether a database accepts connections.
  static func answersPostgres(_ folder: String, _ port: Int) -> Bool {
    let words = [program("pg_isready") ?? "pg_isready", "-q", "-h", folder, "-p", String(port)]
    return (try? ChildProgram(words).end(within: 30)) == 0
  }
}
