/// An offset in the rendered text, in UTF-16 units.
///
/// It has a dedicated type, so that it cannot be confused with a byte offset in the source.
public struct TextOffset: Hashable, Comparable, Sendable, Codable {
  /// The number of UTF-16 units before the offset. `init(utf16:)` traps if it is negative; decoding
  /// does not check it.
  public var utf16: Int

  /// Creates an offset, which must not be negative.
  public init(utf16: Int) {
    precondition(utf16 >= 0, "a text offset is never negative")
    self.utf16 = utf16
  }

  /// Orders offsets by their distance from the start.
  public static func < (a: TextOffset, b: TextOffset) -> Bool { a.utf16 < b.utf16 }

  /// Decodes the number that `encode(to:)` writes. Throws `DecodingError` if the value isn't an
  /// integer.
  public init(from decoder: any Decoder) throws {
    utf16 = try decoder.singleValueContainer().decode(Int.self)
  }

  /// Encodes the offset as a number.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(utf16)
  }
}

/// A half-open range of the rendered text, in UTF-16 units.
///
/// ```swift
/// let range = TextRange(utf16: 120..<164)
/// range.count                          // 44
/// range.contains(TextOffset(utf16: 120))  // true
/// range.description                    // "u16:120-164"
/// ```
public struct TextRange: Hashable, Sendable {
  /// The offsets as plain integers.
  public var utf16: Range<Int>

  /// Creates a range, which must not start before 0.
  @inlinable
  public init(utf16: Range<Int>) {
    precondition(utf16.lowerBound >= 0, "a text range never starts before the text")
    self.utf16 = utf16
  }

  /// Creates the range between two offsets. The second must not be less than the first.
  public init(_ lowerBound: TextOffset, _ upperBound: TextOffset) {
    utf16 = lowerBound.utf16..<upperBound.utf16
  }

  /// The offset of the first unit in the range.
  public var lowerBound: TextOffset { TextOffset(utf16: utf16.lowerBound) }
  /// The offset of the first unit after the range.
  public var upperBound: TextOffset { TextOffset(utf16: utf16.upperBound) }
  /// The length in UTF-16 units.
  public var count: Int { utf16.count }
  /// Whether the range contains no units.
  public var isEmpty: Bool { utf16.isEmpty }

  /// Whether the unit at `offset` is in the range.
  public func contains(_ offset: TextOffset) -> Bool { utf16.contains(offset.utf16) }
  /// Whether the two ranges have at least one unit in common.
  public func overlaps(_ other: TextRange) -> Bool { utf16.overlaps(other.utf16) }
}

extension TextRange: Comparable {
  /// Orders ranges by start, then by end.
  public static func < (a: TextRange, b: TextRange) -> Bool {
    (a.utf16.lowerBound, a.utf16.upperBound) < (b.utf16.lowerBound, b.utf16.upperBound)
  }
}

extension TextRange: Codable {
  private enum CodingKeys: String, CodingKey { case start, end }

  /// Decodes `{"start": …, "end": …}`. Throws `DecodingError.dataCorrupted` if the start is
  /// negative or after the end, and another `DecodingError` if a member is missing or isn't an
  /// integer.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let start = try container.decode(Int.self, forKey: .start)
    let end = try container.decode(Int.self, forKey: .end)
    guard start >= 0, start <= end else {
      throw DecodingError.dataCorruptedError(
        forKey: .end, in: container, debugDescription: "the range \(start)..<\(end) is not valid")
    }
    utf16 = start..<end
  }

  /// Encodes the range as `{"start": …, "end": …}`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(utf16.lowerBound, forKey: .start)
    try container.encode(utf16.upperBound, forKey: .end)
  }
}

extension TextRange: CustomStringConvertible {
  /// The form that a SPEC accepts: `u16:120-164`.
  public var description: String { "u16:\(utf16.lowerBound)-\(utf16.upperBound)" }
}
