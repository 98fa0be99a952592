/// An address that leads to a highlight or document from elsewhere: `diple:hl/42-9f3c0a5517e2b846` or
/// `diple:doc/7-9f3c0a5517e2b846`, with `?library=` and the identity of the library that it was written in.
///
/// The id alone names the record, in every copy of its library; the identity says which of a person's
/// libraries is asked first. There is no path in it: an address is given away, and whoever makes one
/// up must not choose a file.
package struct LibraryAddress: Hashable, Sendable, LosslessStringConvertible {
  /// What it leads to.
  package enum Target: Hashable, Sendable {
    case highlight(Highlight.ID)
    case document(Document.ID)
  }

  /// The scheme, with its colon.
  package static let scheme = "diple:"
  /// The longest one that is read, in bytes.
  private static let longest = 256

  /// What it leads to.
  package var target: Target
  /// The library that it was written in; nil where it does not say.
  package var library: ReplicaID?

  /// Makes an address of its parts.
  package init(_ target: Target, in library: ReplicaID?) {
    (self.target, self.library) = (target, library)
  }

  /// Whether a word is meant as such an address, sound or not.
  package static func isAddress(_ word: String) -> Bool {
    word.prefix(scheme.count).lowercased() == scheme
  }

  /// The address as it is written.
  package var description: String {
    let path =
      switch target {
      case .highlight(let id): "hl/\(id)"
      case .document(let id): "doc/\(id)"
      }
    return Self.scheme + path + (library.map { "?library=\($0)" } ?? "")
  }

  /// Reads an address; nil for one that no Diple writes. Desktops may put `//` behind the scheme.
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
