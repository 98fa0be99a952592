import Glibc

/// The programs that come with this one.
package enum SiblingExecutable {
  /// The path of the one that stands beside this program; nil when it does not.
  package static func path(_ name: String) -> String? {
    guard let own = FileSystem.resolved("/proc/self/exe") else { return nil }
    let candidate = own.parentFolder.appending(name)
    return access(candidate, X_OK) == 0 ? candidate : nil
  }
}
