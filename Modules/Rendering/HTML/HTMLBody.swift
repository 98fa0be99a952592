import MarkdownParse
import Model

/// A document's rendered text as HTML that knows its place: for a page of any kind, which brings the
/// style sheet and all else.
///
/// - A leaf (paragraph, heading, block of code, cell) has `data-b`, where its text begins in the rendered
///   text, and its parts are `<span data-o data-n>`, or `<img data-o data-n alt>`: the place from the
///   leaf's beginning and the length, in UTF-16 units. The text of a part, or its `alt`, is exactly that
///   of the document. Between leaves the rendered text has only line feeds and tabs.
/// - A line feed is one: leaves want `white-space: pre-wrap`.
/// - What stands in an element with `data-x` is no text of the document, and must not be counted.
/// - A highlight is `<mark data-h>` with the ids of those that cover it, the topmost last; it is cut where
///   a link begins or ends, and at the borders of other highlights. `class` has the colour, the state and
///   `noted`. Text for screen readers stands at both ends, and a sign that needs no colours at the end.
/// - What a library holds of the document's format is classes beginning with `f-`, whose rules are in
///   `format`. A paragraph of a leaf with several is an element of its own.
/// - No tag, attribute or script of the document's HTML is copied.
public struct HTMLBody: Sendable {
  /// A block of the document with all that is inside.
  public struct Part: Sendable {
    /// The block's HTML.
    public let html: String
    /// What it shows of the text, in UTF-16 units.
    public let range: Range<Int>
    /// What stands for the HTML but for where it stands in the text, with the how-manieth of equal ones
    /// it is: a part of another version of the document with an equal key differs from this one only in
    /// its places, which are all shifted alike. Equal in one process only.
    public let key: Key
    /// The ids of the highlights that begin in it, in the order of the text.
    public let highlights: [String]
    /// Whether it is the document's first heading of level 1.
    public let isTitle: Bool
  }

  /// What parts are known again by.
  public struct Key: Hashable, Sendable, CustomStringConvertible {
    var hash: Int
    var occurrence: Int

    /// Letters, digits and a hyphen; equal for equal keys only.
    public var description: String {
      String(UInt(bitPattern: hash), radix: 36) + "-\(occurrence)"
    }
  }

  /// The blocks in the order of the document.
  public let parts: [Part]

  /// The rules of the document's format, which belong into the page's style sheet after those of the page.
  public let format: HTMLFormatSheet
  /// The class of the element around the parts, by which the format's defaults hold; empty for none.
  public let formatClass: String

  /// Writes a document with the highlights of a page. What of the page's options concerns columns and
  /// colours does nothing here. O(text + blocks + pieces × highlights at each).
  public init(_ page: Page, options: HTMLOptions = HTMLOptions()) {
    var writer = HTMLWriter(page, options)
    parts = writer.parts()
    format = writer.format?.sheet ?? HTMLFormatSheet()
    formatClass = writer.format?.bodyClass ?? ""
  }

  /// All parts as one text.
  public var html: String { parts.map(\.html).joined() }
}
