import Glibc

/// The user's folders by the XDG Base Directory Specification. All are absolute; relative values in
/// the environment are ignored, as the specification requires.
package struct StandardFolders: Sendable {
  /// The home folder; nil if `HOME` is not set to an absolute path.
  package let home: String?
  /// Settings: `$XDG_CONFIG_HOME`, or else `~/.config`.
  package let config: String?
  /// Data: `$XDG_DATA_HOME`, or else `~/.local/share`.
  package let data: String?
  /// State of programs: `$XDG_STATE_HOME`, or else `~/.local/state`.
  package let state: String?
  /// Sockets and locks of one login: `$XDG_RUNTIME_DIR`. There is no fallback.
  package let runtime: String?

  /// Reads the folders from an environment.
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

  /// The runtime folder, if only the user may access it. A variable that survived a change of user
  /// refers to another user's folder.
  package var privateRuntime: String? {
    var status = stat()
    guard let runtime, lstat(runtime, &status) == 0, status.isFolder, status.st_uid == geteuid(),
      status.st_mode & 0o077 == 0
    else { return nil }
    return runtime
  }
}
