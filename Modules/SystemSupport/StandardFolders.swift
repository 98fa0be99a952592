import Glibc

/// A person's folders as the XDG Base Directory Specification names them. Each is absolute; a relative
/// value in the environment counts as none, as the specification asks.
package struct StandardFolders: Sendable {
  /// The person's home; nil when `HOME` names none.
  package let home: String?
  /// Settings: `$XDG_CONFIG_HOME`, else `~/.config`.
  package let config: String?
  /// Data: `$XDG_DATA_HOME`, else `~/.local/share`.
  package let data: String?
  /// What a program remembers: `$XDG_STATE_HOME`, else `~/.local/state`.
  package let state: String?
  /// Sockets and locks of one login: `$XDG_RUNTIME_DIR`; there is no substitute for it.
  package let runtime: String?

  /// The folders that an environment means.
  package init(environment: [String: String]) {
    func absolute(_ name: String) -> String? {
      environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    let home = absolute("HOME")
    self.home = home
    config = absolute("XDG_CONFIG_HOME") ?? home.map { $0 + "/.config" }
    data = absolute("XDG_DATA_HOME") ?? home.map { $0 + "/.local/share" }
    state = absolute("XDG_STATE_HOME") ?? home.map { $0 + "/.local/state" }
    runtime = absolute("XDG_RUNTIME_DIR")
  }

  /// The runtime folder, where it is this person's and nobody else's: a variable that was kept over a
  /// change of user names another's.
  package var privateRuntime: String? {
    var status = stat()
    guard let runtime, lstat(runtime, &status) == 0, status.isFolder, status.st_uid == geteuid(),
      status.st_mode & 0o077 == 0
    else { return nil }
    return runtime
  }
}
