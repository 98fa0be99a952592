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
    hexadecimal(bytes)
  }

  /// Parses 64 hexadecimal digits in either case; nil if the text is anything else.
  public init?(_ description: String) {
    guard let bytes = fromHexadecimal(description), bytes.count == 32 else { return nil }
    self.bytes = bytes
  }
}

extension ContentDigest: Codable {
  /// Decodes the hexadecimal form. Throws `DecodingError.dataCorrupted` if it isn't valid.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let digest = ContentDigest(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a SHA-256")
    }
    self = digest
  }

  /// Encodes the hexadecimal form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
