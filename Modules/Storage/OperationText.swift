import FoundationEssentials
import Glibc
import Model

/// Parses the value of an operation from the JSON with sorted keys that `Codable` produces.
///
/// Exports contain this form. A library has several operations for each highlight, so the common
/// forms are parsed without `JSONDecoder`, which takes ten times as long.
extension Operation.Value {
  init(stored: String) throws {
    switch stored {
    case "null": self = .none
    case "true": self = .flag(true)
    case "false": self = .flag(false)
    default:
      var stored = stored
      if let value = stored.withUTF8({ Self.usual($0) }) {
        self = value
      } else {
        self = try JSONDecoder().decode(Self.self, from: Data(stored.utf8))
      }
    }
  }

  /// Parses the exact text that Diple wrote for the common forms; nil for any other text.
  private static func usual(_ bytes: UnsafeBufferPointer<UInt8>) -> Operation.Value? {
    var scanner = Scanner(bytes)
    if scanner.skip(#"{"text":{"_0":"#) {
      guard let text = scanner.string(), scanner.ends(with: "}}") else { return nil }
      return .text(text)
    }
    if scanner.skip(#"{"reference":{"_0":"#) {
      guard let text = scanner.string(), let dot = Dot(text), scanner.ends(with: "}}") else {
        return nil
      }
      return .reference(dot)
    }
    guard scanner.skip(#"{"selector":{"_0":{"exact":"#), let exact = scanner.string(),
      scanner.skip(#","position":{"end":"#), let end = scanner.number(),
      scanner.skip(#","start":"#), let start = scanner.number(), start <= end,
      scanner.skip(#"},"prefix":"#), let prefix = scanner.string(),
      scanner.skip(#","renderVersion":"#), let version = scanner.number(),
      scanner.skip(#","suffix":"#), let suffix = scanner.string()
    else { return nil }
    var digest: ContentDigest?
    if scanner.skip(#","textDigest":"#) {
      guard let text = scanner.string(), let found = ContentDigest(text) else { return nil }
      digest = found
    }
    guard scanner.ends(with: "}}}") else { return nil }
    return .selector(
      Selector(
        exact: exact, prefix: prefix, suffix: suffix, position: TextRange(utf16: start..<end),
        textDigest: digest, renderVersion: version))
  }

  /// Scans JSON of a known form from start to end.
  private struct Scanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var index = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// Advances past a text if it is next in the input; otherwise returns false and does not
    /// advance.
    mutating func skip(_ text: StaticString) -> Bool {
      let count = text.utf8CodeUnitCount
      guard bytes.count - index >= count,
        memcmp(bytes.baseAddress! + index, text.utf8Start, count) == 0
      else { return false }
      index += count
      return true
    }

    mutating func ends(with text: StaticString) -> Bool { skip(text) && index == bytes.count }

    /// Scans a non-negative integer of at most 15 digits; nil if the next byte is not a digit.
    mutating func number() -> Int? {
      var value = 0
      let start = index
      while index < bytes.count, (0x30...0x39).contains(bytes[index]), index - start < 15 {
        value = value * 10 + Int(bytes[index] - 0x30)
        index += 1
      }
      return index > start ? value : nil
    }

    /// Scans a quoted string; nil if it contains a `\u` escape or is not terminated.
    mutating func string() -> String? {
      guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { return nil }
      index += 1
      let start = index
      while index < bytes.count, bytes[index] != UInt8(ascii: "\""),
        bytes[index] != UInt8(ascii: "\\")
      { index += 1 }
      guard index < bytes.count else { return nil }
      if bytes[index] == UInt8(ascii: "\"") {
        defer { index += 1 }
        return String(decoding: bytes[start..<index], as: UTF8.self)
      }
      var text = Array(bytes[start..<index])
      while index < bytes.count {
        let byte = bytes[index]
        index += 1
        guard byte == UInt8(ascii: "\\") else {
          if byte == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
          text.append(byte)
          continue
        }
        guard index < bytes.count, let meant = Self.escapes[bytes[index]] else { return nil }
        text.append(meant)
        index += 1
      }
      return nil
    }

    private static let escapes: [UInt8: UInt8] = [
      UInt8(ascii: "\""): UInt8(ascii: "\""), UInt8(ascii: "\\"): UInt8(ascii: "\\"),
      UInt8(ascii: "/"): UInt8(ascii: "/"), UInt8(ascii: "b"): 0x08, UInt8(ascii: "t"): 0x09,
      UInt8(ascii: "n"): 0x0A, UInt8(ascii: "f"): 0x0C, UInt8(ascii: "r"): 0x0D,
    ]
  }
}
