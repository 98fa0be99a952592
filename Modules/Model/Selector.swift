/// A serializable description of a passage: its text, the text around it, and its position in one
/// version of the document.
///
/// It combines the TextQuoteSelector and the TextPositionSelector of the W3C Web Annotation model,
/// but counts in UTF-16 units.
///
/// ```swift
/// let selector = Selector(
///   exact: "quick", prefix: "the ", suffix: " fox", position: TextRange(utf16: 4..<9),
///   textDigest: nil, renderVersion: 1)
/// ```
public struct Selector: Hashable, Sendable, Codable {
  /// The exact text of the passage.
  public var exact: String
  /// The text before it: up to `contextLength` UTF-16 units, cut at a grapheme boundary.
  public var prefix: String
  /// The text after it: up to `contextLength` UTF-16 units, cut at a grapheme boundary.
  public var suffix: String
  /// The range of the passage in the rendered text.
  public var position: TextRange
  /// The digest of that rendered text; nil for a selector that Diple did not create from it.
  package var textDigest: ContentDigest?
  /// The version of the rendering rules that produced the text.
  package var renderVersion: Int

  /// The maximum length of `prefix` and of `suffix`, in UTF-16 units.
  package static let contextLength = 256

  /// Creates a selector. `position` is only valid for the text with the digest `textDigest`.
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
