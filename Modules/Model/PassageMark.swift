/// A character for private use that marks the start or the end of a passage while a text is
/// converted, with the index of the passage.
///
/// ```swift
/// PassageMark.start(0).scalar  // U+F0000
/// PassageMark("a")             // nil
/// ```
package enum PassageMark: Hashable, Sendable {
  case start(Int)
  case end(Int)

  /// The maximum number of passages: each takes two of the characters.
  package static let limit = 0x7FFF
  /// The first character of plane 15.
  private static let first: UInt32 = 0xF0000

  /// Creates the mark with a character; nil for other characters.
  package init?(_ scalar: Unicode.Scalar) {
    guard scalar.value >= Self.first, scalar.value < Self.first + 2 * UInt32(Self.limit) else {
      return nil
    }
    let number = Int(scalar.value - Self.first)
    self = number % 2 == 0 ? .start(number / 2) : .end(number / 2)
  }

  /// The character. The index must be less than ``limit``.
  package var scalar: Unicode.Scalar {
    let number =
      switch self {
      case .start(let index): 2 * index
      case .end(let index): 2 * index + 1
      }
    return Unicode.Scalar(Self.first + UInt32(number))!
  }
}
