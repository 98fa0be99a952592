import Model
package import Sync
import SystemSupport

/// A git repository. Each replica has one ref, `refs/diple/VAULT/REPLICA`, whose commit contains
/// its files. Only that replica pushes the ref, so no push has to wait for another. The commit has
/// no parent: deleted files aren't part of any history, and disappear when the repository's garbage
/// is collected.
package struct Git: SyncTransport {
  package static let id = "git"
  package static let summary = "a git repository, on a server or a disk"
  package static let examples = TransportExample.forEveryTransport(
    at: "ssh://git@example.org/ada/diple.git")

  private let fileLimit: Int

  /// - Parameter fileLimit: the maximum size in bytes of a file that a fetch may create on this
  ///   device.
  package init(fileLimit: Int = 4 << 30) { self.fileLimit = fileLimit }

  package func connect(to place: TransportPlace) async throws(TransportError)
    -> any TransportConnection
  {
    let address = try GitAddress(place.address)
    let connection = GitConnection(
      GitRunner(address, cache: place.cache, fileLimit: fileLimit))
    try await connection.check()
    return connection
  }
}

/// The address of a repository: an absolute path, a URL with `file`, `https` or `ssh`, or
/// `HOST:PATH`. `http` is accepted for this device only.
struct GitAddress: Hashable {
  /// The address in the form passed to git.
  let text: String
  /// Whether the repository is on this device, so that its own programs would run here.
  let isLocal: Bool

  init(_ text: String) throws(TransportError) {
    func refusal(_ reason: String) -> TransportError {
      TransportError(.usage, "the address of the git repository \(reason)")
    }
    guard !text.isEmpty, !text.unicodeScalars.contains(where: { $0.value < 32 || $0.value == 127 })
    else { throw refusal("is empty, or has characters that no address has") }
    self.text = text
    isLocal = text.hasPrefix("/") || text.hasPrefix("file:///")
    if isLocal { return }
    guard !text.hasPrefix("-"), text.firstRange(of: "::") == nil else {
      throw refusal("'\(text)' is not supported: programs in an address are not run")
    }
    let rest: Substring
    if let mark = text.firstRange(of: "://") {
      let scheme = text[..<mark.lowerBound]
      rest = text[mark.upperBound...]
      let host = rest.prefix { $0 != "/" && $0 != ":" }
      let isLoopback = ["127.0.0.1", "localhost"].contains(host)
      guard ["https", "ssh"].contains(scheme) || scheme == "http" && isLoopback else {
        throw refusal("begins with '\(scheme)://'; use https, ssh, file or a path")
      }
    } else {
      // The address must have the form of scp: HOST:PATH.
      guard let colon = text.firstIndex(of: ":"), !text[..<colon].contains("/"),
        colon > text.startIndex
      else { throw refusal("'\(text)' is neither an absolute path nor an address") }
      rest = text[...]
    }
    let user = rest.prefix { $0 != "/" }.split(separator: "@", omittingEmptySubsequences: false)
    guard user.count < 2 || text.firstRange(of: "://") == nil || !user[0].contains(":") else {
      throw refusal("contains a password; use a credential helper or a key")
    }
    guard rest.first != "-" else { throw refusal("has a host that begins with '-'") }
  }
}
