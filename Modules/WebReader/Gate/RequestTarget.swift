import Model

/// The decoded path and query of a request.
struct RequestTarget: Hashable, Sendable {
  /// The components of the path, percent-decoded; empty for `/`. No component is empty, `.` or
  /// `..`, or contains a slash or a control character.
  let path: [String]
  /// The query's values by name. If a name occurs more than once, the first value is used.
  let query: [String: String]

  /// The maximum length in bytes.
  private static let longest = 8_192

  /// Parses a request target. Returns nil for an invalid path, or an absolute URL.
  init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.first == UInt8(ascii: "/"), bytes.count <= Self.longest,
      bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") })
    else { return nil }
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var path: [String] = []
    if parts[0] != "/" {
      for part in parts[0].dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
        guard let name = Self.decoded(part, plusIsBlank: false), !name.isEmpty,
          name != ".", name != "..", !name.contains("/"),
          !name.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
        else { return nil }
        path.append(name)
      }
    }
    var query: [String: String] = [:]
    if parts.count > 1 {
      for pair in parts[1].split(separator: "&") {
        let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = Self.decoded(sides[0], plusIsBlank: true),
          let value = Self.decoded(sides.count > 1 ? sides[1] : "", plusIsBlank: true)
        else { return nil }
        if query[name] == nil { query[name] = value }
      }
    }
    (self.path, self.query) = (path, query)
  }

  /// Decodes percent-encoding. Returns nil for an invalid sequence or invalid UTF-8.
  private static func decoded(_ text: Substring, plusIsBlank: Bool) -> String? {
    let text = plusIsBlank ? String(text).replacing("+", with: " ") : String(text)
    let (bytes, isValid) = PercentEncoding.decoded(text)
    return isValid ? String(validating: bytes, as: UTF8.self) : nil
  }

  /// Percent-encodes a text as one component of a path.
  static func encoded(_ part: some StringProtocol) -> String {
    PercentEncoding.encoded(part, keeping: PercentEncoding.isUnreserved)
  }
}
