/// A serializable description of a passage: the quote with its context, and the position at which
/// it stood in one named text (W3C Web Annotation: TextQuoteSelector and TextPositionSelector, but
/// in UTF-16 units).
public struct Selector: Hashable, Sendable, Codable {
  /// The selected words, exactly.
  public var exact: String
  /// Up to `contextLength` UTF-16 units before them, cut at a grapheme border.
  public var prefix: String
  /// Up to `contextLength` UTF-16 units after them, cut at a grapheme border.
  public var suffix: String
  /// Where they stood.
  public var position: TextRange
  /// The hash of the rendered text they stood in; nil for a selector that came from elsewhere.
  package var textDigest: ContentDigest?
  /// The version of the rendering rules that made that text.
  package var renderVersion: Int

  /// How much context is kept on each side, in UTF-16 units.
  package static let contextLength = 256

  /// Makes a selector of its parts.
  public init(
    exact: String, prefix: String, suffix: String, position: TextRange,
    textDigest: ContentDigest?, renderVersion: Int
  ) {
    self.exact = exact
    self.prefix = prefix
    self.suffix = suffix
    self.position = position
    self.textDigest = textDigest
    self.renderVersion = renderVersion
  }
}
