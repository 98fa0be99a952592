import FoundationEssentials
import Glibc
import Model

/// What an operation says as Diple stored it until the seventh version of its tables: JSON with sorted
/// keys, as `Codable` makes it. A library holds several for each highlight, so the usual forms are read
/// without the general machinery, in a tenth of its time.
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

  /// A value in exactly the form that was written; nil for another.
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

  /// Reads JSON of a known form piece by piece.
  private struct Scanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var index = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// Goes past a text if it stands here.
    mutating func skip(_ text: StaticString) -> Bool {
      let count = text.utf8CodeUnitCount
      guard bytes.count - index >= count,
        memcmp(bytes.baseAddress! + index, text.utf8Start, count) == 0
      else { return false }
      index += count
      return true
    }

    mutating func ends(with text: StaticString) -> Bool { skip(text) && index == bytes.count }

    /// A number from 0 of at most 15 digits.
    mutating func number() -> Int? {
      var value = 0
      let start = index
      while index < bytes.count, (0x30...0x39).contains(bytes[index]), index - start < 15 {
        value = value * 10 + Int(bytes[index] - 0x30)
        index += 1
      }
      return index > start ? value : nil
    }

    /// A text in quotation marks; nil where it has a character by its number, or is not closed.
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
