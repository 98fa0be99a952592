import Model

/// An HTTP or HTTPS address, split into the components of RFC 3986. Relative addresses can be
/// resolved against it.
///
/// ```swift
/// let base = WebAddress("https://example.org/a/c")
/// WebAddress.resolved("../b.html", against: base)  // "https://example.org/b.html"
/// ```
package struct WebAddress: Hashable, Sendable {
  private var scheme: String
  private var authority: String
  private var path: String
  private var query: String?
  private var fragment: String?

  /// Parses an absolute HTTP or HTTPS address; nil for any other text.
  package init?(_ text: String) {
    let text = Self.trimmed(text)
    guard let colon = text.firstIndex(of: ":") else { return nil }
    scheme = text[..<colon].lowercased()
    guard ["http", "https"].contains(scheme) else { return nil }
    let rest = text[text.index(after: colon)...]
    guard rest.hasPrefix("//") else { return nil }
    let parts = Parts(rest)
    guard let authority = parts.authority, !authority.isEmpty else { return nil }
    (self.authority, path) = (authority, Self.withoutDots(parts.path))
    (query, fragment) = (parts.query, parts.fragment)
  }

  /// The host name in lower case, or the IPv6 address in brackets.
  package var host: String {
    var host = authority[...]
    if let at = host.lastIndex(of: "@") { host = host[host.index(after: at)...] }
    if host.hasPrefix("["), let end = host.firstIndex(of: "]") { return String(host[...end]) }
    return host.prefix { $0 != ":" }.lowercased()
  }

  /// Whether the address contains a user name or a password.
  package var hasCredentials: Bool { authority.contains("@") }

  package var withoutFragment: WebAddress {
    var other = self
    other.fragment = nil
    return other
  }

  /// The address as text. Characters that an address cannot contain are percent-encoded.
  package var text: String {
    var text = scheme + "://" + Self.encoded(authority, keeping: "[]")
    text += Self.encoded(path.isEmpty ? "/" : path)
    if let query { text += "?" + Self.encoded(query) }
    if let fragment { text += "#" + Self.encoded(fragment) }
    return text
  }

  /// Returns an address on a page as an absolute address; nil if `LinkSafety` does not permit it or
  /// it is invalid. `mailto:` addresses are permitted.
  ///
  /// - Parameter base: the address to which relative addresses refer; nil if there is none, so that
  ///   they are invalid.
  package static func resolved(_ reference: String, against base: WebAddress?) -> String? {
    let text = trimmed(reference)
    guard text.utf8.count <= 8192 else { return nil }
    if let address = WebAddress(text) { return checked(address.text) }
    if text.lowercased().hasPrefix("mailto:") {
      return checked("mailto:" + encoded(String(text.dropFirst(7))))
    }
    let end = text.firstIndex { ":/?#".contains($0) }
    // The address has another scheme.
    if let end, text[end] == ":" { return nil }
    guard let base else { return nil }
    return checked(base.resolving(text).text)
  }

  private static func checked(_ address: String) -> String? {
    LinkSafety.isSafe(address) ? address : nil
  }

  /// Resolves a reference without a scheme (RFC 3986, section 5.2).
  package func resolving(_ reference: String) -> WebAddress {
    let parts = Parts(Substring(reference))
    var result = self
    result.fragment = parts.fragment
    if let authority = parts.authority {
      (result.authority, result.path, result.query) = (
        authority.isEmpty ? self.authority : authority, Self.withoutDots(parts.path), parts.query
      )
      return result
    }
    guard !parts.path.isEmpty else {
      if parts.query != nil { result.query = parts.query }
      return result
    }
    result.query = parts.query
    if parts.path.hasPrefix("/") {
      result.path = Self.withoutDots(parts.path)
    } else {
      let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "/"
      result.path = Self.withoutDots(folder + parts.path)
    }
    return result
  }

  private struct Parts {
    var authority: String?
    var path: String
    var query: String?
    var fragment: String?

    init(_ text: Substring) {
      var rest = text
      if let sign = rest.firstIndex(of: "#") {
        fragment = String(rest[rest.index(after: sign)...])
        rest = rest[..<sign]
      }
      if let sign = rest.firstIndex(of: "?") {
        query = String(rest[rest.index(after: sign)...])
        rest = rest[..<sign]
      }
      // Browsers treat a backslash as a slash.
      let plain = rest.replacing("\\", with: "/")
      if plain.hasPrefix("//") {
        let after = plain.dropFirst(2)
        let end = after.firstIndex(of: "/") ?? after.endIndex
        authority = String(after[..<end])
        path = String(after[end...])
      } else {
        path = String(plain)
      }
    }
  }

  private static func withoutDots(_ path: String) -> String {
    var parts: [Substring] = []
    let all = path.split(separator: "/", omittingEmptySubsequences: false)
    for (index, part) in all.enumerated() {
      let isLast = index == all.count - 1
      switch part {
      case ".": if isLast { parts.append("") }
      case "..":
        if parts.count > 1 { parts.removeLast() }
        if isLast { parts.append("") }
      default: parts.append(part)
      }
    }
    let joined = parts.joined(separator: "/")
    return joined.hasPrefix("/") || joined.isEmpty ? joined : "/" + joined
  }

  private static func trimmed(_ text: String) -> String {
    // As browsers do, white space is removed at both ends, and line breaks and tabs everywhere.
    let scalars = text.unicodeScalars.filter { !["\n", "\r", "\t"].contains($0) }
    let kept = scalars.drop { $0.value <= 0x20 }
    return String(String.UnicodeScalarView(kept.reversed().drop { $0.value <= 0x20 }.reversed()))
  }

  /// Percent-encodes the characters that cannot be in an address or that are markup in Markdown.
  ///
  /// - Parameter kept: characters that are not encoded.
  static func encoded(_ text: String, keeping kept: String = "") -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      let isPlain =
        scalar.value > 0x20 && scalar.value < 0x7F
        && !"\"<>\\^`{|}[]".unicodeScalars.contains(scalar)
        || scalar.value >= 0xA0 && !scalar.properties.isDefaultIgnorableCodePoint
          && !scalar.properties.isWhitespace
        || kept.unicodeScalars.contains(scalar)
      if isPlain {
        result.unicodeScalars.append(scalar)
      } else {
        PercentEncoding.append(scalar, to: &result)
      }
    }
    return result
  }
}
