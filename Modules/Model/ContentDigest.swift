/// The SHA-256 digest of some content. The caller computes it.
public struct ContentDigest: Hashable, Sendable {
  /// The digest, always 32 bytes.
  package let bytes: [UInt8]

  /// Creates a digest from its bytes; nil unless there are exactly 32.
  package init?(bytes: [UInt8]) {
    guard bytes.count == 32 else { return nil }
    self.bytes = bytes
  }
}

extension ContentDigest: LosslessStringConvertible {
  /// The digest as 64 lower-case hexadecimal digits.
  public var description: String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(64)
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Parses 64 hexadecimal digits in either case; nil if the text is anything else.
  public init?(_ description: String) {
    let digits = Array(description.utf8)
    guard digits.count == 64 else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: 64, by: 2) {
      guard let byte = UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16)
      else { return nil }
      bytes.append(byte)
    }
    self.bytes = bytes
  }
}

extension ContentDigest: Codable {
  /// Decodes the hexadecimal form. Throws `DecodingError.dataCorrupted` if it isn't valid.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let digest = ContentDigest(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "no SHA-256")
    }
    self = digest
  }

  /// Encodes the hexadecimal form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
