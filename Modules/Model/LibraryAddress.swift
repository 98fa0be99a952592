/// A link to a highlight or document: `diple:hl/42-9f3c0a5517e2b846` or
/// `diple:doc/7-9f3c0a5517e2b846`, followed by `?library=` and the identity of the library in which
/// it was created.
///
/// The ID alone identifies the record in every copy of its library. The library's identity
/// determines which of the user's libraries is searched first. An address contains no path:
/// addresses are shared, and the author of a forged one must not be able to choose a file.
///
/// ```swift
/// let address = LibraryAddress("diple:hl/42-9f3c0a5517e2b846")
/// address?.library  // nil
/// ```
package struct LibraryAddress: Hashable, Sendable, LosslessStringConvertible {
  /// The record to which an address leads.
  package enum Target: Hashable, Sendable {
    case highlight(Highlight.ID)
    case document(Document.ID)
  }

  /// The scheme, including its colon.
  package static let scheme = "diple:"
  /// The length of the longest address that is accepted, in bytes.
  private static let longest = 256

  /// The record to which the address leads.
  package var target: Target
  /// The library in which the address was created; nil if the address doesn't contain it.
  package var library: ReplicaID?

  package init(_ target: Target, in library: ReplicaID?) {
    (self.target, self.library) = (target, library)
  }

  /// Whether a word starts with the scheme, in any case. The rest may still be invalid.
  package static func isAddress(_ word: String) -> Bool {
    word.prefix(scheme.count).lowercased() == scheme
  }

  /// The text of the address.
  package var description: String {
    let path =
      switch target {
      case .highlight(let id): "hl/\(id)"
      case .document(let id): "doc/\(id)"
      }
    return Self.scheme + path + (library.map { "?library=\($0)" } ?? "")
  }

  /// Parses an address; nil if Diple would not write it. `//` after the scheme, which some desktops
  /// insert, is accepted.
  package init?(_ description: String) {
    guard description.utf8.count <= Self.longest, Self.isAddress(description) else { return nil }
    var rest = description.dropFirst(Self.scheme.count)
    if rest.hasPrefix("//") { rest = rest.dropFirst(2) }
    let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let path = parts[0].split(separator: "/", omittingEmptySubsequences: false)
    guard path.count == 2, let dot = Dot(String(path[1])) else { return nil }
    switch path[0] {
    case "hl": target = .highlight(Highlight.ID(dot))
    case "doc": target = .document(Document.ID(dot))
    default: return nil
    }
    guard parts.count == 2 else { return }
    let query = parts[1].split(separator: "=", omittingEmptySubsequences: false)
    guard query.count == 2, query[0] == "library", let id = ReplicaID(String(query[1])) else {
      return nil
    }
    library = id
  }
}
