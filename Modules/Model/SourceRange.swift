/// A half-open range of bytes in a Markdown file. Offsets count UTF-8 bytes as stored, including a
/// byte order mark.
public struct SourceRange: Hashable, Comparable, Sendable {
  /// The offsets as plain integers.
  @usableFromInline package var bytes: Range<Int>

  @inlinable package init(bytes: Range<Int>) { self.bytes = bytes }

  /// The length in bytes.
  @inlinable package var count: Int { bytes.count }
  /// Whether the range contains no bytes.
  @inlinable package var isEmpty: Bool { bytes.isEmpty }

  /// Orders ranges by start, then by end.
  public static func < (a: SourceRange, b: SourceRange) -> Bool {
    (a.bytes.lowerBound, a.bytes.upperBound) < (b.bytes.lowerBound, b.bytes.upperBound)
  }
}
