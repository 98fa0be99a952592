package import Model

extension Selector {
  /// Creates a selector of a passage: its text, and up to `contextLength` UTF-16 units of context
  /// on either side, cut at grapheme boundaries.
  ///
  /// - Precondition: `range` is not empty and lies inside the text.
  package init(
    selecting range: TextRange, in text: AnchorText, digest: ContentDigest?, renderVersion: Int
  ) {
    precondition(!range.isEmpty && range.utf16.upperBound <= text.units.count)
    let start = range.utf16.lowerBound
    let end = range.utf16.upperBound
    let before = text.string(max(0, start - Self.contextLength)..<start)
    let after = text.string(end..<min(text.units.count, end + Self.contextLength))
    self.init(
      exact: text.string(range.utf16), prefix: Self.wholeEnd(before, of: text, at: start),
      suffix: Self.wholeStart(after, of: text, at: end), position: range, textDigest: digest,
      renderVersion: renderVersion)
  }

  /// Returns a context without its first grapheme, if the cut at its start may have divided the
  /// grapheme. A context that begins at the start of the text is unchanged.
  private static func wholeEnd(_ context: String, of text: AnchorText, at end: Int) -> String {
    let start = end - context.utf16.count
    guard start > 0, let first = context.first else { return context }
    let joined = text.string(max(0, start - 16)..<start) + String(first)
    // If the preceding character joins with the first one, the cut divides a grapheme.
    let isWhole = joined.last == first && text.units[start] & 0xFC00 != 0xDC00
    return isWhole ? context : String(context.dropFirst())
  }

  private static func wholeStart(_ context: String, of text: AnchorText, at start: Int) -> String {
    let end = start + context.utf16.count
    guard end < text.units.count, let last = context.last else { return context }
    let joined = String(last) + text.string(end..<min(text.units.count, end + 16))
    let isWhole = joined.first == last && text.units[end] & 0xFC00 != 0xDC00
    return isWhole ? context : String(context.dropLast())
  }
}
