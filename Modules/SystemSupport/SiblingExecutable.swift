import Glibc

/// The programs that come with this one.
package enum SiblingExecutable {
  /// The path of the one that stands beside this program; nil when it does not.
  package static func path(_ name: String) -> String? {
    guard let own = realpath("/proc/self/exe", nil) else { return nil }
    defer { free(own) }
    let path = String(cString: own)
    guard let slash = path.lastIndex(of: "/") else { return nil }
    let candidate = path[...slash] + name
    return access(String(candidate), X_OK) == 0 ? String(candidate) : nil
  }
}
