extension StringProtocol {
  /// The text escaped for HTML, for use between tags or in a double-quoted attribute.
  ///
  /// Line feeds and tabs are unchanged. Other control characters become character references,
  /// because HTML parsers change some of them and terminals obey some. NUL, which HTML cannot
  /// represent, becomes U+FFFD. O(length).
  public var escapedForHTML: String {
    guard utf8.contains(where: Self.needsEscape) else { return String(self) }
    var result = ""
    result.reserveCapacity(utf8.count + 16)
    for scalar in unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\t", "\n": result.unicodeScalars.append(scalar)
      case "\0": result += "\u{FFFD}"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F: result += "&#\(scalar.value);"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func needsEscape(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""): true
    case 0x09, 0x0A: false
    default: byte < 0x20 || byte == 0x7F
    }
  }
}
