import Glibc

/// Finds programs that are installed together with this one.
package enum SiblingExecutable {
  /// Returns the path of a program in this program's folder; nil if there is none.
  package static func path(_ name: String) -> String? {
    guard let executable = FileSystem.resolved("/proc/self/exe") else { return nil }
    let candidate = executable.parentFolder.appending(name)
    return access(candidate, X_OK) == 0 ? candidate : nil
  }

  /// Returns the path of `diple` in this program's folder if `diple` also runs as the program
  /// `name`; nil for other names.
  package static func host(of name: String) -> String? {
    ["dipled", "diple-read"].contains(name) ? path("diple") : nil
  }
}
