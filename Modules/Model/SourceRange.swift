/// A half-open range of the Markdown source in bytes (UTF-8 as it lies in the file, BOM included).
public struct SourceRange: Hashable, Comparable, Sendable {
  /// The range as plain numbers of bytes.
  @usableFromInline package var bytes: Range<Int>

  /// Makes a range of bytes.
  @inlinable package init(bytes: Range<Int>) { self.bytes = bytes }

  /// The length in bytes.
  @inlinable package var count: Int { bytes.count }
  /// Whether the range holds no byte.
  @inlinable package var isEmpty: Bool { bytes.isEmpty }

  /// Orders ranges by start, then by end.
  public static func < (a: SourceRange, b: SourceRange) -> Bool {
    (a.bytes.lowerBound, a.bytes.upperBound) < (b.bytes.lowerBound, b.bytes.upperBound)
  }
}
