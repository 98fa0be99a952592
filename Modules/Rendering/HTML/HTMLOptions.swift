/// The options for writing a document as HTML.
public struct HTMLOptions: Sendable {
  /// The prefix of every name that the document defines.
  ///
  /// It allows several documents on one page and prevents a document from using one of the page's
  /// names. The names of highlights are `hl-`, the prefix and their id; those of footnotes are
  /// `fn-`, the prefix and their number. The prefix must not begin with `hl-` or `fn-`.
  public var namePrefix = "t-"
  /// The colours of the page, on which the text colours of a format must be readable.
  public var colors = HTMLPageColors.standard
  /// Returns the `src` of an image for its destination; nil to show only the image's description.
  public var pictureAddress: @Sendable (_ destination: String) -> String? = { _ in nil }
  /// Returns a short reason why an image isn't shown, for its destination; nil to show no reason.
  public var pictureReason: @Sendable (_ destination: String) -> String? = { _ in nil }
  /// Returns the address of a link for its destination, which is safe. Nil writes the link's text
  /// without a link.
  public var linkAddress: @Sendable (_ destination: String) -> String? = { $0 }
  /// Returns the address of a link to a note, for its target such as `[[Note#Part]]`; nil writes the
  /// link's text without a link.
  public var noteAddress: @Sendable (_ target: String) -> String? = { _ in nil }
  /// The content of embedded notes to show; nil to show none.
  package var embeds: PageEmbeds?
  /// Whether the document is shown inside another one: its elements have no offsets and no names.
  var isEmbedded = false
  /// Returns the address of the sign of a highlight, for the highlight's id. Nil writes the sign
  /// without a link.
  public var signAddress: @Sendable (_ id: String) -> String? = { _ in nil }

  /// Whether the sign of a highlight begins its text, so that a page can show it beside the first
  /// line. Otherwise it follows the text.
  public var putsSignsFirst = false

  /// Returns a further class of the sign of a highlight, for the highlight's id; empty
  /// for none.
  public var signClass: @Sendable (_ id: String) -> String = { _ in "" }

  /// Creates options without images and with all safe links.
  public init() {}
}
