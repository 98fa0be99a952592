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
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "%"):
        guard rest.count >= 2, let high = hexadecimal(rest.removeFirst()),
          let low = hexadecimal(rest.removeFirst())
        else { return nil }
        bytes.append(high << 4 | low)
      case UInt8(ascii: "+") where plusIsBlank: bytes.append(0x20)
      default: bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func hexadecimal(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// Percent-encodes a text as one component of a path.
  static func encoded(_ part: some StringProtocol) -> String {
    part.utf8.reduce(into: "") { text, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        text.unicodeScalars.append(Unicode.Scalar(byte))
      default: text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
  }
}
