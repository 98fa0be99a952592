import Model

/// An address of the web, divided as RFC 3986 says, against which others are resolved.
package struct WebAddress: Hashable, Sendable {
  private var scheme: String
  private var authority: String
  private var path: String
  private var query: String?
  private var fragment: String?

  /// An absolute address of http or https; nil for everything else.
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

  /// The name of the machine, in small letters.
  package var host: String {
    var host = authority[...]
    if let at = host.lastIndex(of: "@") { host = host[host.index(after: at)...] }
    if host.hasPrefix("["), let end = host.firstIndex(of: "]") { return String(host[...end]) }
    return host.prefix { $0 != ":" }.lowercased()
  }

  /// Whether it holds a name or a password.
  package var hasCredentials: Bool { authority.contains("@") }

  /// Without the part that names a place in the page.
  package var withoutFragment: WebAddress {
    var other = self
    other.fragment = nil
    return other
  }

  /// As it is written down: what could be no part of an address stands with signs of `%`.
  package var text: String {
    var text = scheme + "://" + Self.encoded(authority, keeping: "[]")
    text += Self.encoded(path.isEmpty ? "/" : path)
    if let query { text += "?" + Self.encoded(query) }
    if let fragment { text += "#" + Self.encoded(fragment) }
    return text
  }

  /// An address as it stands in a page, made absolute; nil for what `LinkSafety` does not hand on, and
  /// for what leads nowhere.
  ///
  /// - Parameter base: what relative addresses count from; nil where they lead nowhere.
  package static func resolved(_ reference: String, against base: WebAddress?) -> String? {
    let text = trimmed(reference)
    guard text.utf8.count <= 8192 else { return nil }
    if let address = WebAddress(text) { return checked(address.text) }
    if text.lowercased().hasPrefix("mailto:") {
      return checked("mailto:" + encoded(String(text.dropFirst(7))))
    }
    let end = text.firstIndex { ":/?#".contains($0) }
    // Another scheme.
    if let end, text[end] == ":" { return nil }
    guard let base else { return nil }
    return checked(base.resolving(text).text)
  }

  private static func checked(_ address: String) -> String? {
    LinkSafety.isSafe(address) ? address : nil
  }

  /// A reference without a scheme, resolved (RFC 3986, 5.2).
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
      // To a browser both strokes are the same.
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
    // As browsers do: no blanks around, no line ends and tabs anywhere.
    let scalars = text.unicodeScalars.filter { !["\n", "\r", "\t"].contains($0) }
    let kept = scalars.drop { $0.value <= 0x20 }
    return String(String.UnicodeScalarView(kept.reversed().drop { $0.value <= 0x20 }.reversed()))
  }

  /// A part of an address with signs of `%` for what Markdown or an address could not hold.
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
        for byte in String(scalar).utf8 {
          result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
      }
    }
    return result
  }
}
