/// A place in the rendered text, counted in UTF-16 units from its start.
///
/// It is a type of its own so that it can never be mixed up with a byte offset of the source.
public struct TextOffset: Hashable, Comparable, Sendable, Codable {
  /// UTF-16 units before this place; never negative.
  public var utf16: Int

  /// Makes an offset of `utf16` UTF-16 units.
  public init(utf16: Int) {
    precondition(utf16 >= 0, "a text offset is never negative")
    self.utf16 = utf16
  }

  /// Orders offsets by their distance from the start.
  public static func < (a: TextOffset, b: TextOffset) -> Bool { a.utf16 < b.utf16 }

  /// Reads the bare number that `encode(to:)` writes.
  public init(from decoder: any Decoder) throws {
    utf16 = try decoder.singleValueContainer().decode(Int.self)
  }

  /// Writes the offset as a bare number.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(utf16)
  }
}

/// A half-open range of the rendered text in UTF-16 units.
public struct TextRange: Hashable, Sendable {
  /// The range as plain numbers of UTF-16 units.
  public var utf16: Range<Int>

  /// Makes a range of UTF-16 units.
  @inlinable
  public init(utf16: Range<Int>) {
    precondition(utf16.lowerBound >= 0, "a text range never starts before the text")
    self.utf16 = utf16
  }

  /// Makes the range between two offsets.
  public init(_ lowerBound: TextOffset, _ upperBound: TextOffset) {
    utf16 = lowerBound.utf16..<upperBound.utf16
  }

  /// The first unit inside the range.
  public var lowerBound: TextOffset { TextOffset(utf16: utf16.lowerBound) }
  /// The first unit after the range.
  public var upperBound: TextOffset { TextOffset(utf16: utf16.upperBound) }
  /// The length in UTF-16 units.
  public var count: Int { utf16.count }
  /// Whether the range holds no unit.
  public var isEmpty: Bool { utf16.isEmpty }

  /// Whether the unit at `offset` lies inside the range.
  public func contains(_ offset: TextOffset) -> Bool { utf16.contains(offset.utf16) }
  /// Whether the two ranges share at least one unit.
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

  /// Reads `{"start": …, "end": …}`; throws when the end lies before the start.
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

  /// Writes `{"start": …, "end": …}`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(utf16.lowerBound, forKey: .start)
    try container.encode(utf16.upperBound, forKey: .end)
  }
}

extension TextRange: CustomStringConvertible {
  /// The form that the selection grammar reads: `u16:120-164`.
  public var description: String { "u16:\(utf16.lowerBound)-\(utf16.upperBound)" }
}
