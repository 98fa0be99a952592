import Glibc

/// The programs that come with this one.
package enum SiblingExecutable {
  /// The path of the one that stands beside this program; nil when it does not.
  package static func path(_ name: String) -> String? {
    guard let own = FileSystem.resolved("/proc/self/exe") else { return nil }
    let candidate = own.parentFolder.appending(name)
    return access(candidate, X_OK) == 0 ? candidate : nil
  }

  /// The path of `diple` where it is this program or stands beside it, and is the program of that name
  /// too when it is called so; nil for others.
  package static func host(of name: String) -> String? {
    ["dipled", "diple-read"].contains(name) ? path("diple") : nil
  }
}
