import MarkdownParse
import Model

/// A document's rendered text as HTML in which every element has its offset. The surrounding page
/// provides the style sheet.
///
/// - A leaf (paragraph, heading, code block, cell) has the attribute `data-b`, the start of its
///   text in the rendered text. Its parts are `<span data-o data-n>` or `<img data-o data-n alt>`,
///   with the offset in the leaf and the length, in UTF-16 units. The text of a part, or its `alt`,
///   equals the document's text. Between leaves, the rendered text contains only line feeds and
///   tabs.
/// - Line feeds are written unchanged, so leaves need `white-space: pre-wrap`.
/// - The content of an element with `data-x` isn't text of the document and must not be counted.
/// - A highlight is `<mark data-h>` with the ids of all highlights that cover it, the topmost last.
///   It is divided at links and at the boundaries of other highlights. `class` contains the colour,
///   the state and `noted`. At both ends there is text for screen readers, and at the end a sign
///   that doesn't rely on colours.
/// - The document's format is in classes that begin with `f-`, with their rules in `format`. If a
///   leaf has several paragraphs, each has a separate element.
/// - No tag, attribute or script in the document's HTML is copied.
/// - If the page shows the Markdown source, a leaf is a line of it, with its number in `data-line`.
///   The markup is in elements with `data-x`. Text that Markdown writes differently, such as
///   `&amp;`, is a part with the source in `data-shown`, which a style sheet shows instead.
///
/// ```swift
/// let document = ParsedDocument(parsing: MarkdownSource("The *quick* fox"))
/// let body = HTMLBody(Page(document: document))
/// body.html  // <p data-b="0" dir="auto"><span data-o="0" data-n="4">The </span>…
/// ```
public struct HTMLBody: Sendable {
  /// A top-level block with its content.
  public struct Part: Sendable {
    /// The HTML of the block.
    public let html: String
    /// The block's range in the rendered text, in UTF-16 units.
    public let range: Range<Int>
    /// The identity of the HTML without its offsets.
    ///
    /// If a part of another version of the document has an equal key, it differs only in its
    /// offsets, which are all shifted by the same distance. Keys are only comparable within one
    /// process.
    public let key: Key
    /// The ids of the highlights that begin in the block, in the order of the text.
    public let highlights: [String]
    /// Whether the block is the document's first heading of level 1.
    public let isTitle: Bool
  }

  /// Identifies equal parts: a hash of the content, and the index among parts with the same hash.
  public struct Key: Hashable, Sendable, CustomStringConvertible {
    var hash: Int
    var occurrence: Int

    /// The key as letters, digits and a hyphen. Different keys have different descriptions.
    public var description: String {
      String(UInt(bitPattern: hash), radix: 36) + "-\(occurrence)"
    }
  }

  /// The blocks in the order of the document.
  public let parts: [Part]

  /// The rules of the document's format. In the page's style sheet, they must follow the page's
  /// rules.
  public let format: HTMLFormatSheet
  /// The class of the element around the parts, to which the format's defaults apply; empty if the
  /// format has no defaults.
  public let formatClass: String

  /// Writes a document with the highlights of a page. Page options for columns and colours are
  /// ignored. O(text + blocks + pieces × highlights at each).
  public init(_ page: Page, options: HTMLOptions = HTMLOptions()) {
    var writer = HTMLWriter(page, options)
    parts = writer.parts()
    format = writer.format?.sheet ?? HTMLFormatSheet()
    formatClass = writer.format?.bodyClass ?? ""
  }

  /// The HTML of all parts.
  public var html: String { parts.map(\.html).joined() }
}
