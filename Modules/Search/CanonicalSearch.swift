import Model

/// Converts ranges of the normal form of a text to ranges of the text itself.
public struct OriginalRanges: Sendable {
  fileprivate let canonical: CanonicalText<UInt8>?

  /// Returns the corresponding range of the original text. O(log changes).
  public func callAsFunction(_ range: Range<Int>) -> Range<Int> {
    canonical?.original(range) ?? range
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Calls `search` with the text in Unicode's normal form C, in which canonically equivalent texts
  /// are equal.
  ///
  /// - Parameters:
  ///   - start: an offset of this text.
  ///   - isNeeded: false to pass this text itself.
  ///   - search: receives the normal form, the offset in it, and the conversion of its ranges to
  ///     ranges of this text. If this text is in the normal form, it is passed itself.
  public func withCanonical<Result>(
    from start: Int, if isNeeded: Bool = true,
    _ search: (
      _ text: UnsafeBufferPointer<UInt8>, _ start: Int, _ original: OriginalRanges
    ) -> Result
  ) -> Result {
    guard isNeeded, let canonical = CanonicalText(self) else {
      return search(self, start, OriginalRanges(canonical: nil))
    }
    return canonical.units.withUnsafeBufferPointer {
      search($0, canonical.offset(ofOriginal: start), OriginalRanges(canonical: canonical))
    }
  }
}
